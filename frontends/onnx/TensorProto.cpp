//===- TensorProto.cpp - Tensors in ONNX's .pb files ----------------------===//
#include "frontends/onnx/TensorProto.h"

#include "frontends/onnx/Messages.h"
#include "tilewright/runtime/MappedFile.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tilewright {

using onnx::SequenceProto;
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
    {1, DType::F32, 1},        {2, DType::U8, 1},
    {3, DType::I8, 1},         {4, DType::U16, 1},
    {5, DType::I16, 1},        {6, DType::I32, 1},
    {7, DType::I64, 1},        {9, DType::Bool, 1},
    {10, DType::F16, 1},       {11, DType::F64, 1},
    {12, DType::U32, 1},       {13, DType::U64, 1},
    {16, DType::BF16, 1},      {17, DType::F8E4M3FN, 1},
    {19, DType::F8E5M2, 1},    {21, DType::U4, 2},
    {22, DType::I4, 2},        {23, DType::F4E2M1FN, 2},
    {24, DType::F8E8M0FNU, 1},
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

static const TypeRow *rowOf(const TensorProto &proto) {
  for (const TypeRow &row : types)
    if (row.number == proto.dataType)
      return &row;
  return nullptr;
}

/// Whether there is as much data as the shape asks for.
static bool fillsItsShape(const TensorProto &proto) {
  const TypeRow *row = rowOf(proto);
  if (!row || !proto.externalData.empty())
    return true;
  StatusOr<size_t> bytes = runtime::denseBytes(row->dtype, proto.dims);
  const size_t width = runtime::dtypeBytes(row->dtype);
  const size_t given = proto.rawData
                           ? proto.rawData->size() * row->packed
                           : (proto.floatData.size() + proto.doubleData.size() +
                              proto.int64Data.size() + proto.uint64Data.size() +
                              proto.int32Data.size() * row->packed) *
                                 width;
  // The last byte may not be full.
  return bytes.ok() && *bytes <= given && given < *bytes + row->packed * width;
}

/// Whether a message is a TensorProto, and no other one. All fields of ONNX's
/// messages have small numbers, so most can be read as a tensor: a sequence's
/// name becomes dimensions, its tensors become a `segment`, which nobody
/// writes, and a sequence in an optional value becomes int32_data.
static bool isTensor(const TensorProto &proto) {
  const bool isEmpty = std::ranges::count(proto.dims, 0) > 0;
  const bool hasElements =
      proto.rawData || !proto.floatData.empty() || !proto.int32Data.empty() ||
      !proto.int64Data.empty() || !proto.uint64Data.empty() ||
      !proto.doubleData.empty() || !proto.stringData.empty() ||
      !proto.externalData.empty();
  return !proto.hasSegment && proto.dataType != 0 && (isEmpty || hasElements);
}

static StatusOr<runtime::HostTensor> toTensor(const TensorProto &proto) {
  const TypeRow *row = rowOf(proto);
  if (!row)
    return Status::unsupported("the tensor has " +
                               onnx::unsupportedType(proto.dataType));
  runtime::Shape shape(proto.dims.begin(), proto.dims.end());
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor,
                              runtime::HostTensor::allocate(row->dtype, shape));
  TILEWRIGHT_RETURN_IF_ERROR(unpack(proto, row->packed, tensor));
  return tensor;
}

/// The sequence in these bytes, as such or in an optional value; nothing if
/// they are another message.
static std::optional<SequenceProto> sequenceIn(std::string_view bytes) {
  StatusOr<SequenceProto> parsed = onnx::parseSequence(bytes);
  if (!parsed)
    return std::nullopt;
  SequenceProto sequence = *std::move(parsed);
  if (sequence.elemType == SequenceProto::SEQUENCE &&
      sequence.tensorValues.empty() && sequence.sequenceValues.size() == 1 &&
      !sequence.hasOtherFields) {
    SequenceProto inner = std::move(sequence.sequenceValues.front());
    sequence = std::move(inner);
  }
  if (sequence.elemType != SequenceProto::TENSOR || sequence.hasOtherFields ||
      !sequence.sequenceValues.empty() ||
      !std::ranges::all_of(sequence.tensorValues, isTensor))
    return std::nullopt;
  return sequence;
}

static std::string_view textOf(const runtime::MappedFile &file) {
  return {reinterpret_cast<const char *>(file.bytes().data()),
          file.bytes().size()};
}

StatusOr<runtime::HostTensor>
readTensorProto(const std::filesystem::path &path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto file, runtime::MappedFile::open(path));
  StatusOr<TensorProto> parsed = onnx::parseTensor(textOf(*file));
  if (!parsed)
    return Status::invalidInput(path.string() +
                                ": expected an ONNX TensorProto, found "
                                "something else or a truncated file");
  std::optional<SequenceProto> sequence;
  if (!isTensor(*parsed) || !fillsItsShape(*parsed))
    sequence = sequenceIn(textOf(*file));
  if (sequence && sequence->tensorValues.size() != 1)
    return Status::invalidInput(
        path.string() + ": expected an ONNX TensorProto, found a sequence of " +
        std::to_string(sequence->tensorValues.size()) +
        " tensors, or an optional value of as many; NAME[]=FILE gives a "
        "sequence to a model");
  if (!sequence && !isTensor(*parsed))
    return Status::invalidInput(
        path.string() +
        ": expected an ONNX TensorProto, found no tensor with elements: an "
        "empty file, or another message, such as an OptionalProto without a "
        "value; write one tensor, as onnx.save_tensor does, or a .npy file");
  StatusOr<runtime::HostTensor> tensor =
      toTensor(sequence ? sequence->tensorValues.front() : *parsed);
  if (!tensor)
    return tensor.status().prefixed(path.string());
  return tensor;
}

StatusOr<std::vector<runtime::HostTensor>>
readSequenceProto(const std::filesystem::path &path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto file, runtime::MappedFile::open(path));
  StatusOr<TensorProto> parsed = onnx::parseTensor(textOf(*file));
  std::optional<SequenceProto> sequence;
  if (!parsed || !isTensor(*parsed) || !fillsItsShape(*parsed))
    sequence = sequenceIn(textOf(*file));
  if (!sequence)
    return Status::invalidInput(
        path.string() +
        ": expected an ONNX SequenceProto of tensors, found something else or "
        "a truncated file; NAME[0]=FILE gives a tensor as an element");
  std::vector<runtime::HostTensor> tensors;
  for (const TensorProto &proto : sequence->tensorValues) {
    StatusOr<runtime::HostTensor> tensor = toTensor(proto);
    if (!tensor)
      return tensor.status().prefixed(path.string());
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

} // namespace tilewright
