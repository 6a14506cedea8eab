// Constants of the model: TensorProto in all its encodings.
#include "frontends/onnx/DecodeTensor.h"

#include "mlir/IR/Builders.h"

#include <cstring>

using namespace mlir;

namespace tilewright::onnx {

bool isOfConstantsOnly(Element element) {
  return element.type.isInteger(2) ||
         isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(element.type);
}

std::optional<Element> elementOf(MLIRContext *context, int32_t dataType) {
  Builder b(context);
  auto integer = [&](unsigned bits, bool isUnsigned) {
    return Element{b.getIntegerType(bits), isUnsigned};
  };
  // TensorProto::DataType of ONNX 1.22 (IR version 14).
  switch (dataType) {
  case 1:
    return Element{b.getF32Type()};
  case 2:
    return integer(8, true);
  case 3:
    return integer(8, false);
  case 4:
    return integer(16, true);
  case 5:
    return integer(16, false);
  case 6:
    return integer(32, false);
  case 7:
    return integer(64, false);
  case 9:
    return Element{b.getI1Type(), true};
  case 10:
    return Element{b.getF16Type()};
  case 11:
    return Element{b.getF64Type()};
  case 12:
    return integer(32, true);
  case 13:
    return integer(64, true);
  case 16:
    return Element{b.getBF16Type()};
  case 17:
    return Element{Float8E4M3FNType::get(context)};
  case 18:
    return Element{Float8E4M3FNUZType::get(context)};
  case 19:
    return Element{Float8E5M2Type::get(context)};
  case 20:
    return Element{Float8E5M2FNUZType::get(context)};
  case 21:
    return integer(4, true);
  case 22:
    return integer(4, false);
  case 23:
    return Element{Float4E2M1FNType::get(context)};
  case 24:
    return Element{Float8E8M0FNUType::get(context)};
  case 25:
    return integer(2, true);
  case 26:
    return integer(2, false);
  default:
    return std::nullopt;
  }
}

namespace {

using Proto = TensorProto;

/// Copies a repeated field whose elements have the bits in their low part.
template <typename Field>
void copyField(const Field &field, unsigned bytes, char *data) {
  for (auto value : field) {
    std::memcpy(data, &value, bytes);
    data += bytes;
  }
}

Status wrongCount(size_t found, int64_t expected, const std::string &unit) {
  return Status::invalidInput("tensor has " + std::to_string(found) + " " +
                              unit + " of data, its type and shape need " +
                              std::to_string(expected));
}

/// Spreads 2- and 4-bit elements, packed from the low bits up, to bytes.
void unpack(StringRef packed, int64_t count, Element element, char *data) {
  unsigned bits = element.bits(), perByte = 8 / bits;
  for (int64_t i = 0; i < count; ++i) {
    unsigned raw = uint8_t(packed[i / perByte]) >> (i % perByte * bits);
    raw &= (1u << bits) - 1;
    bool negative =
        element.isInteger() && !element.isUnsigned && (raw >> (bits - 1) & 1);
    data[i] = char(negative ? raw | (0xffu << bits) : raw);
  }
}

/// Data in typed fields (float_data, int32_data, ...).
StatusOr<std::shared_ptr<ConstantData>>
decodeFields(const Proto &proto, Element element, int64_t count) {
  char *data;
  unsigned bytes = element.bytes();
  bool packed = element.bits() < 8 && !element.isBool();
  int64_t perWord = packed ? 8 / element.bits() : 1;
  int64_t words = (count + perWord - 1) / perWord;
  auto copy =
      [&](const auto &field) -> StatusOr<std::shared_ptr<ConstantData>> {
    if (std::ssize(field) != words)
      return wrongCount(field.size(), words, "values");
    auto constant = ownedConstant(count, bytes, data);
    if (!packed) {
      copyField(field, bytes, data);
      return constant;
    }
    std::string raw(words, 0);
    copyField(field, 1, raw.data());
    unpack(raw, count, element, data);
    return constant;
  };
  if (element.type.isF32())
    return copy(proto.floatData);
  if (element.type.isF64())
    return copy(proto.doubleData);
  if (element.type.isInteger(64) && !element.isUnsigned)
    return copy(proto.int64Data);
  if (element.isInteger() && element.isUnsigned && element.bits() >= 32)
    return copy(proto.uint64Data);
  return copy(proto.int32Data);
}

StatusOr<std::shared_ptr<ConstantData>>
decodeRaw(ModelFile &file, StringRef raw, Element element, int64_t count) {
  unsigned bytes = element.bytes();
  bool packed = element.bits() < 8 && !element.isBool();
  int64_t perByte = packed ? 8 / element.bits() : 1;
  int64_t expected =
      packed ? (count + perByte - 1) / perByte : count * int64_t(bytes);
  if (int64_t(raw.size()) != expected)
    return wrongCount(raw.size(), expected, "bytes");
  StringRef mapped = file.bytes();
  bool inFile = raw.begin() >= mapped.begin() && raw.end() <= mapped.end();
  for (const auto &[name, contents] : file.storage->external)
    inFile |= raw.begin() >= contents.bytes.begin() &&
              raw.end() <= contents.bytes.end();
  bool aligned = reinterpret_cast<uintptr_t>(raw.data()) % bytes == 0;
  if (inFile && aligned && !packed) {
    auto constant = std::make_shared<ConstantData>();
    constant->bytes = raw;
    constant->owner = file.storage;
    return constant;
  }
  char *data;
  auto constant = ownedConstant(count, bytes, data);
  if (packed)
    unpack(raw, count, element, data);
  else if (!raw.empty())
    std::memcpy(data, raw.data(), raw.size());
  return constant;
}

} // namespace

StatusOr<Tensor> decodeTensor(ModelFile &file, Sizes &sizes,
                              const Proto &proto) {
  auto element = elementOf(sizes.getContext(), proto.dataType);
  if (!element)
    return Status::unsupported("tensor has " + unsupportedType(proto.dataType));
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = *element;
  int64_t count = 1, bytes = 0;
  for (int64_t dim : proto.dims) {
    if (dim < 0)
      return Status::invalidInput("tensor has a dimension of size " +
                                  std::to_string(dim));
    if (__builtin_mul_overflow(count, dim, &count))
      return Status::invalidInput("the size of the tensor overflows");
    tensor->dims.push_back(sizes.constant(dim));
  }
  if (__builtin_mul_overflow(count, int64_t(element->bytes()), &bytes))
    return Status::invalidInput("the size of the tensor overflows");
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<StringRef> raw,
                              file.rawData(proto));
  TILEWRIGHT_ASSIGN_OR_RETURN(tensor->constant,
                              raw ? decodeRaw(file, *raw, *element, count)
                                  : decodeFields(proto, *element, count));
  tensor->constant->name = proto.name;
  if (count <= 1024 && !element->isFloat()) {
    tensor->content.emplace();
    for (int64_t i = 0; i < count; ++i)
      tensor->content->push_back(sizes.constant(intAt(*tensor, i)));
  }
  return tensor;
}

} // namespace tilewright::onnx
