#include "spatial/simulator/Elements.h"

#include "support/Format.h"
#include <algorithm>
#include <cstring>
#include <limits>

namespace tilewright::spatial {

static Status cannotConvert(const Interface &interface, DType from, DType to) {
  return Status::unsupported(format(
      "'{}': {} does not become {}",
      {interface.name, runtime::dtypeName(from), runtime::dtypeName(to)}));
}

static bool isInteger(DType type) {
  return type == DType::Bool || type == DType::I8 || type == DType::U8 ||
         type == DType::I32;
}

/// The least and the greatest integer of a value's type.
static std::pair<int64_t, int64_t> rangeOf(DType type) {
  switch (type) {
  case DType::Bool:
    return {0, 1};
  case DType::I8:
    return {-128, 127};
  case DType::U8:
    return {0, 255};
  default:
    return {std::numeric_limits<int32_t>::min(),
            std::numeric_limits<int32_t>::max()};
  }
}

static Status checkTensor(const Interface &input,
                          const runtime::TensorView &tensor) {
  if (tensor.dtype == input.dtype &&
      std::ranges::equal(tensor.shape, input.shape))
    return {};
  return Status::invalidInput(format(
      "input '{}': expected {} {}, found {} {}",
      {input.name, runtime::dtypeName(input.dtype),
       runtime::printShape(input.shape), runtime::dtypeName(tensor.dtype),
       runtime::printShape(tensor.shape)}));
}

StatusOr<std::vector<Lane>> lanesOfInput(const Interface &input,
                                         DType valueType,
                                         const runtime::TensorView &tensor) {
  TILEWRIGHT_RETURN_IF_ERROR(checkTensor(input, tensor));
  std::vector<Lane> lanes(tensor.data.size() /
                          runtime::dtypeBytes(tensor.dtype));
  if (isFloat(tensor.dtype) && isFloat(valueType)) {
    lanesOfElements(tensor.dtype, tensor.data, lanes);
    if (valueType != tensor.dtype)
      roundLanes(valueType, lanes);
    return lanes;
  }
  if (!isInteger(valueType) ||
      !(isInteger(tensor.dtype) || tensor.dtype == DType::I64))
    return cannotConvert(input, tensor.dtype, valueType);
  auto [least, most] = rangeOf(valueType);
  if (tensor.dtype != DType::I64)
    lanesOfElements(tensor.dtype, tensor.data, lanes);
  for (size_t i = 0; i < lanes.size(); ++i) {
    int64_t element = static_cast<int32_t>(lanes[i]);
    if (tensor.dtype == DType::I64)
      std::memcpy(&element, tensor.data.data() + i * 8, 8);
    if (element < least || element > most)
      return Status::invalidInput(
          format("input '{}': element {} is {}, which does not fit {}",
                 {input.name, i, element, valueTypeName(valueType)}));
    lanes[i] = static_cast<Lane>(element);
  }
  return lanes;
}

StatusOr<runtime::HostTensor> tensorOfOutput(const Interface &output,
                                             DType valueType,
                                             std::vector<Lane> lanes) {
  bool isSameKind = isFloat(output.dtype)
                        ? isFloat(valueType)
                        : isInteger(valueType) && (isInteger(output.dtype) ||
                                                   output.dtype == DType::I64);
  if (!isSameKind)
    return cannotConvert(output, valueType, output.dtype);
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto tensor, runtime::HostTensor::allocate(output.dtype, output.shape));
  if (output.dtype == DType::I64) {
    std::span<int64_t> elements = tensor.as<int64_t>();
    std::ranges::transform(lanes, elements.begin(), [](Lane lane) {
      return static_cast<int32_t>(lane);
    });
    return tensor;
  }
  if (valueType != output.dtype)
    roundLanes(output.dtype, lanes);
  elementsOfLanes(output.dtype, lanes, {tensor.data(), tensor.bytes()});
  return tensor;
}

} // namespace tilewright::spatial
