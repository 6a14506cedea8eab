//===- Vectors.cpp - Tensors as lists of vectors --------------------------===//
#include "spatial/reference/Vectors.h"

#include "support/Format.h"

using namespace mlir;

namespace tilewright::spatial {

static StringRef nameOf(DictionaryAttr interface) {
  return cast<StringAttr>(interface.get("name")).getValue();
}

/// The model's element at `index`, as a lane.
static StatusOr<Lane> laneOf(const runtime::TensorView &tensor, size_t index,
                             DType element, StringRef name) {
  const std::byte *bytes =
      tensor.data.data() + index * runtime::dtypeBytes(tensor.dtype);
  Lane lane = 0;
  if (tensor.dtype != DType::I64) {
    lanesOfElements(tensor.dtype, {bytes, runtime::dtypeBytes(tensor.dtype)},
                    {&lane, 1});
    if (tensor.dtype != element)
      roundLanes(element, {&lane, 1});
    return lane;
  }
  int64_t value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  if (value < INT32_MIN || value > INT32_MAX)
    return Status::invalidInput(
        format("input '{}': element {} is {}, the machine holds i64 as i32",
               {name.str(), index, value}));
  return static_cast<Lane>(static_cast<int32_t>(value));
}

StatusOr<Vectors> vectorsOfTensor(const runtime::TensorView &tensor,
                                  DictionaryAttr interface, DType element,
                                  int64_t lanes) {
  ArrayRef<int64_t> shape = cast<DenseI64ArrayAttr>(interface.get("shape"));
  StringRef dtype = cast<StringAttr>(interface.get("dtype"));
  if (!std::ranges::equal(shape, tensor.shape) ||
      dtype != StringRef(runtime::dtypeName(tensor.dtype)))
    return Status::invalidInput(format(
        "input '{}' is {}{}, the model expects {}{}",
        {nameOf(interface).str(), std::string(runtime::dtypeName(tensor.dtype)),
         runtime::printShape(tensor.shape), dtype.str(),
         runtime::printShape(shape)}));
  ArrayRef<int32_t> layout = cast<DenseI32ArrayAttr>(interface.get("layout"));
  Vectors vectors(element, static_cast<int64_t>(layout.size()) / lanes, lanes);
  for (size_t i = 0; i < layout.size(); ++i) {
    if (layout[i] < 0)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        vectors.data[i], laneOf(tensor, layout[i], element, nameOf(interface)));
  }
  return vectors;
}

StatusOr<runtime::HostTensor> tensorOfVectors(const Vectors &vectors,
                                              DictionaryAttr interface) {
  ArrayRef<int64_t> shape = cast<DenseI64ArrayAttr>(interface.get("shape"));
  auto dtype = *runtime::dtypeFromName(
      cast<StringAttr>(interface.get("dtype")).getValue());
  TILEWRIGHT_ASSIGN_OR_RETURN(
      runtime::HostTensor tensor,
      runtime::HostTensor::allocate(dtype, {shape.begin(), shape.end()}));
  ArrayRef<int32_t> layout = cast<DenseI32ArrayAttr>(interface.get("layout"));
  const size_t width = runtime::dtypeBytes(dtype);
  for (size_t i = 0; i < layout.size(); ++i) {
    if (layout[i] < 0)
      continue;
    std::span<std::byte> bytes(tensor.data() + layout[i] * width, width);
    if (dtype == DType::I64) {
      auto value = static_cast<int64_t>(static_cast<int32_t>(vectors.data[i]));
      std::memcpy(bytes.data(), &value, sizeof(value));
    } else {
      elementsOfLanes(dtype, {&vectors.data[i], 1}, bytes);
    }
  }
  return tensor;
}

} // namespace tilewright::spatial
