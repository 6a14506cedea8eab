//===- TensorProto.cpp - Tensors in ONNX's .pb files ----------------------===//
#include "frontends/onnx/TensorProto.h"

#include "tilewright/runtime/MappedFile.h"

#include "onnx/onnx.pb.h"
#include <algorithm>
#include <cstring>
#include <optional>

namespace tilewright {

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

static Status unpackRaw(const std::string &raw, int packed,
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
  if (static_cast<size_t>(field.size()) != tensor.size())
    return Status::invalidInput("expected " + std::to_string(tensor.size()) +
                                " elements, found " +
                                std::to_string(field.size()));
  for (int i = 0; i < field.size(); ++i) {
    auto element = field.Get(i);
    std::memcpy(tensor.data() + i * width, &element, width);
  }
  return Status();
}

static Status unpack(const ::onnx::TensorProto &proto, int packed,
                     runtime::HostTensor &tensor) {
  if (proto.has_raw_data())
    return unpackRaw(proto.raw_data(), packed, tensor);
  switch (tensor.dtype()) {
  case DType::F32:
    return unpackField(proto.float_data(), tensor);
  case DType::F64:
    return unpackField(proto.double_data(), tensor);
  case DType::I64:
    return unpackField(proto.int64_data(), tensor);
  case DType::U32:
  case DType::U64:
    return unpackField(proto.uint64_data(), tensor);
  default:
    break;
  }
  if (packed == 1)
    return unpackField(proto.int32_data(), tensor);
  std::string raw;
  for (int32_t element : proto.int32_data())
    raw += static_cast<char>(element);
  return unpackRaw(raw, packed, tensor);
}

/// Whether a message of another type was read as a TensorProto. All fields of
/// ONNX's messages have small numbers, so most can be read as one: a sequence's
/// name becomes dimensions, its tensors become a `segment`, which nobody
/// writes.
static bool isOtherMessage(const ::onnx::TensorProto &proto) {
  const bool isEmpty = std::ranges::count(proto.dims(), 0) > 0;
  const bool hasElements =
      proto.has_raw_data() || proto.float_data_size() ||
      proto.int32_data_size() || proto.int64_data_size() ||
      proto.uint64_data_size() || proto.double_data_size() ||
      proto.string_data_size() || proto.external_data_size();
  return proto.has_segment() || proto.data_type() == 0 ||
         (!isEmpty && !hasElements);
}

StatusOr<runtime::HostTensor>
readTensorProto(const std::filesystem::path &path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto file, runtime::MappedFile::open(path));
  ::onnx::TensorProto proto;
  if (file->bytes().size() > INT32_MAX ||
      !proto.ParseFromArray(file->bytes().data(), int(file->bytes().size())))
    return Status::invalidInput(path.string() +
                                ": expected an ONNX TensorProto, found "
                                "something else or a truncated file");
  if (isOtherMessage(proto))
    return Status::invalidInput(
        path.string() +
        ": expected an ONNX TensorProto, found no tensor with elements: an "
        "empty file, or another message, such as a SequenceProto or an "
        "OptionalProto; write one tensor, as onnx.save_tensor does, or a .npy "
        "file");
  const TypeRow *row = nullptr;
  for (const TypeRow &candidate : types)
    if (candidate.number == proto.data_type())
      row = &candidate;
  if (!row)
    return Status::unsupported(path.string() + ": tensors of ONNX type " +
                               std::to_string(proto.data_type()) +
                               " are not supported");
  runtime::Shape shape(proto.dims().begin(), proto.dims().end());
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor,
                              runtime::HostTensor::allocate(row->dtype, shape));
  Status unpacked = unpack(proto, row->packed, tensor);
  if (!unpacked.ok())
    return unpacked.prefixed(path.string());
  return tensor;
}

} // namespace tilewright
