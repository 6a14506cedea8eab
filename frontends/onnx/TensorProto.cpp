//===- TensorProto.cpp - Tensors in ONNX's .pb files ----------------------===//
#include "frontends/onnx/TensorProto.h"

#include "frontends/onnx/Messages.h"
#include "tilewright/runtime/MappedFile.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

namespace tilewright {

using onnx::TensorProto;
using runtime::DType;

namespace {
/// ONNX's data types by number; newer ones than the library's own enum too.
struct TypeRow {
  int number;
  DType dtype;
  /// Elements of raw_data in one byte.
  int packed;
};
} // namespace

static const TypeRow types[] = {
    {1, DType::F32, 1},   {2, DType::U8, 1},        {3, DType::I8, 1},
    {4, DType::U16, 1},   {5, DType::I16, 1},       {6, DType::I32, 1},
    {7, DType::I64, 1},   {9, DType::Bool, 1},      {10, DType::F16, 1},
    {11, DType::F64, 1},  {12, DType::U32, 1},      {13, DType::U64, 1},
    {16, DType::BF16, 1}, {17, DType::F8E4M3FN, 1}, {19, DType::F8E5M2, 1},
    {22, DType::I4, 2},   {23, DType::F4E2M1FN, 2}, {24, DType::F8E8M0FNU, 1},
};

std::optional<int> onnxTypeOf(DType dtype) {
  for (const TypeRow &row : types)
    if (row.dtype == dtype && row.packed == 1)
      return row.number;
  return std::nullopt;
}

static Status unpackRaw(std::string_view raw, int packed,
                        runtime::HostTensor &tensor) {
  size_t expected = (tensor.bytes() + packed - 1) / packed;
  if (raw.size() != expected)
    return Status::invalidInput("raw_data: expected " +
                                std::to_string(expected) + " bytes, found " +
                                std::to_string(raw.size()));
  if (packed == 1) {
    std::memcpy(tensor.data(), raw.data(), raw.size());
    return Status();
  }
  for (size_t i = 0; i < tensor.bytes(); ++i) {
    int nibble = (raw[i / 2] >> (i % 2 * 4)) & 15;
    if (tensor.dtype() == DType::I4 && nibble > 7)
      nibble -= 16;
    tensor.data()[i] = static_cast<std::byte>(nibble);
  }
  return Status();
}

/// Copies a typed field, each element truncated to the tensor's element width.
template <typename Field>
static Status unpackField(const Field &field, runtime::HostTensor &tensor) {
  size_t width = runtime::dtypeBytes(tensor.dtype());
  if (field.size() != tensor.size())
    return Status::invalidInput("expected " + std::to_string(tensor.size()) +
                                " elements, found " +
                                std::to_string(field.size()));
  for (size_t i = 0; i < field.size(); ++i) {
    auto element = field[i];
    std::memcpy(tensor.data() + i * width, &element, width);
  }
  return Status();
}

static Status unpack(const TensorProto &proto, int packed,
                     runtime::HostTensor &tensor) {
  if (proto.rawData)
    return unpackRaw(*proto.rawData, packed, tensor);
  switch (tensor.dtype()) {
  case DType::F32:
    return unpackField(proto.floatData, tensor);
  case DType::F64:
    return unpackField(proto.doubleData, tensor);
  case DType::I64:
    return unpackField(proto.int64Data, tensor);
  case DType::U32:
  case DType::U64:
    return unpackField(proto.uint64Data, tensor);
  default:
    break;
  }
  if (packed == 1)
    return unpackField(proto.int32Data, tensor);
  std::string raw;
  for (int32_t element : proto.int32Data)
    raw += static_cast<char>(element);
  return unpackRaw(raw, packed, tensor);
}

/// Whether a message of another type was read as a TensorProto. All fields of
/// ONNX's messages have small numbers, so most can be read as one: a sequence's
/// name becomes dimensions, its tensors become a `segment`, which nobody
/// writes.
static bool isOtherMessage(const TensorProto &proto) {
  const bool isEmpty = std::ranges::count(proto.dims, 0) > 0;
  const bool hasElements =
      proto.rawData || !proto.floatData.empty() || !proto.int32Data.empty() ||
      !proto.int64Data.empty() || !proto.uint64Data.empty() ||
      !proto.doubleData.empty() || !proto.stringData.empty() ||
      !proto.externalData.empty();
  return proto.hasSegment || proto.dataType == 0 || (!isEmpty && !hasElements);
}

StatusOr<runtime::HostTensor>
readTensorProto(const std::filesystem::path &path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto file, runtime::MappedFile::open(path));
  std::span<const std::byte> bytes = file->bytes();
  StatusOr<TensorProto> parsed = onnx::parseTensor(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (!parsed)
    return Status::invalidInput(path.string() +
                                ": expected an ONNX TensorProto, found "
                                "something else or a truncated file");
  const TensorProto &proto = *parsed;
  if (isOtherMessage(proto))
    return Status::invalidInput(
        path.string() +
        ": expected an ONNX TensorProto, found no tensor with elements: an "
        "empty file, or another message, such as a SequenceProto or an "
        "OptionalProto; write one tensor, as onnx.save_tensor does, or a .npy "
        "file");
  const TypeRow *row = nullptr;
  for (const TypeRow &candidate : types)
    if (candidate.number == proto.dataType)
      row = &candidate;
  if (!row)
    return Status::unsupported(path.string() + ": tensors of ONNX type " +
                               std::to_string(proto.dataType) +
                               " are not supported");
  runtime::Shape shape(proto.dims.begin(), proto.dims.end());
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor,
                              runtime::HostTensor::allocate(row->dtype, shape));
  Status unpacked = unpack(proto, row->packed, tensor);
  if (!unpacked.ok())
    return unpacked.prefixed(path.string());
  return tensor;
}

} // namespace tilewright
