#include "spatial/numeric/Numeric.h"

#include "spatial/numeric/MultiplyKernels.h"
#include "spatial/numeric/Rounding.h"
#include "tilewright/runtime/HalfFloats.h"
#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

namespace tilewright::spatial {

Lane numberLane(DType type, double number) {
  if (type == DType::F32)
    return withOneNan(laneOf(static_cast<float>(number)));
  if (!(number > -0x1p31)) // NaN, too.
    return laneOf(INT32_MIN);
  return laneOf(number < 0x1p31 ? static_cast<int32_t>(number) : INT32_MAX);
}

void roundLanes(DType valueType, std::span<Lane> lanes) {
  switch (valueType) {
  case DType::F32:
    for (Lane &lane : lanes)
      lane = withOneNan(lane);
    break;
  case DType::F16:
    for (Lane &lane : lanes)
      lane = roundedToHalf(lane);
    break;
  case DType::BF16:
    for (Lane &lane : lanes)
      lane = roundedToBrain(lane);
    break;
  case DType::I8:
    for (Lane &lane : lanes)
      lane = saturated(lane, -128, 127);
    break;
  case DType::U8:
    for (Lane &lane : lanes)
      lane = saturated(lane, 0, 255);
    break;
  case DType::Bool:
    for (Lane &lane : lanes)
      lane = lane != 0;
    break;
  default: // i32 is exact.
    break;
  }
}

void multiply(DType type, std::span<const Lane> x,
              std::span<const Lane *const> weights, const Lane *accumulator,
              std::span<Lane> result) {
  assert(x.size() >= weights.size());
  static const MultiplyKernels &kernels = *multiplyKernels(hostIsa());
  // Products of f16 have 22 digits and exponents from -48 to 32. Those of bf16
  // have few digits, too, but exponents that f32 does not have.
  auto *kernel = type == DType::I8    ? kernels.integers
                 : type == DType::F16 ? kernels.exactProducts
                                      : kernels.fused;
  std::array<Lane, 1024> sums;
  for (size_t first = 0; first < result.size(); first += sums.size()) {
    size_t count = std::min(sums.size(), result.size() - first);
    kernel({x.data(), weights.data(), static_cast<int64_t>(weights.size()),
            static_cast<int64_t>(first), static_cast<int64_t>(count),
            sums.data()});
    Lane *lanes = result.data() + first;
    const Lane *addend = accumulator ? accumulator + first : nullptr;
    if (type == DType::I8)
      for (size_t c = 0; c < count; ++c)
        lanes[c] = sums[c] + (addend ? addend[c] : 0);
    else
      for (size_t c = 0; c < count; ++c)
        lanes[c] = withOneNan(
            addend ? laneOf(floatOf(sums[c]) + floatOf(addend[c])) : sums[c]);
  }
}

/// Lanes of elements that are T in memory.
template <typename T, typename LaneOf>
static void readLanes(std::span<const std::byte> bytes, std::span<Lane> lanes,
                      LaneOf laneOfElement) {
  assert(bytes.size() >= lanes.size() * sizeof(T));
  for (size_t i = 0; i < lanes.size(); ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
    lanes[i] = laneOfElement(element);
  }
}

void lanesOfElements(DType type, std::span<const std::byte> bytes,
                     std::span<Lane> lanes) {
  switch (type) {
  case DType::F16:
    return readLanes<uint16_t>(
        bytes, lanes, [](uint16_t x) { return laneOf(detail::halfValue(x)); });
  case DType::BF16:
    return readLanes<uint16_t>(bytes, lanes,
                               [](uint16_t x) { return Lane(x) << 16; });
  case DType::I8:
    return readLanes<int8_t>(bytes, lanes,
                             [](int8_t x) { return laneOf(int32_t(x)); });
  case DType::U8:
    return readLanes<uint8_t>(bytes, lanes, [](uint8_t x) { return Lane(x); });
  case DType::Bool:
    return readLanes<uint8_t>(bytes, lanes,
                              [](uint8_t x) { return Lane(x != 0); });
  default:
    return readLanes<Lane>(bytes, lanes, [](Lane x) { return x; });
  }
}

template <typename T, typename ElementOf>
static void writeLanes(std::span<const Lane> lanes, std::span<std::byte> bytes,
                       ElementOf elementOfLane) {
  assert(bytes.size() >= lanes.size() * sizeof(T));
  for (size_t i = 0; i < lanes.size(); ++i) {
    T element = elementOfLane(lanes[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
}

void elementsOfLanes(DType type, std::span<const Lane> lanes,
                     std::span<std::byte> bytes) {
  switch (type) {
  case DType::F16:
    return writeLanes<uint16_t>(
        lanes, bytes, [](Lane x) { return detail::halfBits(floatOf(x)); });
  case DType::BF16:
    return writeLanes<uint16_t>(
        lanes, bytes, [](Lane x) { return detail::brainBits(floatOf(x)); });
  case DType::I8:
  case DType::U8:
  case DType::Bool:
    return writeLanes<uint8_t>(lanes, bytes,
                               [](Lane x) { return static_cast<uint8_t>(x); });
  default:
    return writeLanes<Lane>(lanes, bytes, [](Lane x) { return x; });
  }
}

} // namespace tilewright::spatial
