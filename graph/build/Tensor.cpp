#include "graph/build/Tensor.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"

#include <cstring>

using namespace mlir;

namespace tilewright::build {

std::string dtypeName(Element element) {
  if (element.isBool())
    return "bool";
  if (element.type.isInteger())
    return (element.isUnsigned ? "u" : "i") + std::to_string(element.bits());
  std::string name;
  llvm::raw_string_ostream(name) << element.type;
  return name;
}

namespace {
APInt bitsAt(const TensorInfo &tensor, int64_t index) {
  unsigned bytes = tensor.element.bytes();
  uint64_t raw = 0;
  std::memcpy(&raw, tensor.constant->at(index, bytes), bytes);
  unsigned bits = tensor.element.bits();
  return APInt(64, raw).trunc(bits);
}

APFloat apfloatAt(const TensorInfo &tensor, int64_t index) {
  auto type = cast<FloatType>(tensor.element.type);
  return APFloat(type.getFloatSemantics(), bitsAt(tensor, index));
}
} // namespace

double floatAt(const TensorInfo &tensor, int64_t index) {
  if (!tensor.element.isFloat())
    return double(intAt(tensor, index));
  APFloat value = apfloatAt(tensor, index);
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

int64_t intAt(const TensorInfo &tensor, int64_t index) {
  if (tensor.element.isFloat())
    return int64_t(floatAt(tensor, index));
  APInt bits = bitsAt(tensor, index);
  return tensor.element.isUnsigned ? int64_t(bits.getZExtValue())
                                   : bits.getSExtValue();
}

TypedAttr scalarAttr(const TensorInfo &tensor, int64_t index) {
  if (tensor.element.isFloat())
    return FloatAttr::get(tensor.element.type, apfloatAt(tensor, index));
  return IntegerAttr::get(tensor.element.type, bitsAt(tensor, index));
}

std::optional<int64_t> countOf(const TensorInfo &tensor) {
  int64_t count = 1;
  for (Expr dim : tensor.dims) {
    auto size = constantOf(dim);
    if (!size || __builtin_mul_overflow(count, *size, &count))
      return std::nullopt;
  }
  return count;
}

std::shared_ptr<ConstantData>
ownedConstant(int64_t count, unsigned elementBytes, char *&data) {
  auto buffer =
      std::make_shared<std::vector<uint64_t>>((count * elementBytes + 7) / 8);
  data = reinterpret_cast<char *>(buffer->data());
  auto constant = std::make_shared<ConstantData>();
  constant->bytes = StringRef(data, count * elementBytes);
  constant->owner = buffer;
  return constant;
}

void writeElement(char *data, Element element, Attribute value) {
  APInt bits = isa<FloatAttr>(value)
                   ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                   : cast<IntegerAttr>(value).getValue();
  uint64_t raw = element.isUnsigned || bits.getBitWidth() == 1
                     ? bits.getZExtValue()
                     : uint64_t(bits.getSExtValue());
  std::memcpy(data, &raw, element.bytes());
}

ElementsAttr elementsAttr(const TensorInfo &tensor, RankedTensorType type) {
  const ConstantData &data = *tensor.constant;
  if (data.splat)
    return DenseElementsAttr::get(type, Attribute(scalarAttr(tensor, 0)));
  bool wholeBytes = tensor.element.bits() % 8 == 0;
  if (data.bytes.size() > 1024 && (wholeBytes || tensor.element.isBool())) {
    // The deleter keeps the owner alive as long as the context owns the blob.
    auto owner = data.owner;
    AsmResourceBlob blob = UnmanagedAsmResourceBlob::allocateWithAlign(
        ArrayRef<char>(data.bytes.data(), data.bytes.size()),
        tensor.element.bytes(), [owner](void *, size_t, size_t) {});
    return DenseResourceElementsAttr::get(
        type, data.name.empty() ? "constant" : data.name, std::move(blob));
  }
  if (wholeBytes)
    return DenseElementsAttr::getFromRawBuffer(
        type, ArrayRef<char>(data.bytes.data(), data.bytes.size()));
  SmallVector<Attribute> values;
  for (int64_t i = 0, e = type.getNumElements(); i < e; ++i)
    values.push_back(scalarAttr(tensor, i));
  return DenseElementsAttr::get(type, values);
}

} // namespace tilewright::build
