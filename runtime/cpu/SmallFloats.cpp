#include "runtime/cpu/SmallFloats.h"
#include <bit>

namespace tilewright::runtime {

/// Rounds to a format of 1 sign, `exponentBits` and `fractionBits` bits.
template <int exponentBits, int fractionBits>
static uint16_t roundDouble(double value) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  constexpr uint64_t infinity = ((uint64_t{1} << exponentBits) - 1)
                                << fractionBits;
  uint64_t bits = std::bit_cast<uint64_t>(value);
  auto sign =
      static_cast<uint16_t>((bits >> 63) << (exponentBits + fractionBits));
  int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  if (exponent == 1024) {
    if (fraction == 0)
      return sign | static_cast<uint16_t>(infinity);
    uint64_t quiet = uint64_t{1} << (fractionBits - 1);
    return sign | static_cast<uint16_t>(infinity | quiet |
                                        fraction >> (52 - fractionBits));
  }
  // Subnormal doubles are far below half of the least number of the format;
  // their implicit bit does not matter.
  uint64_t significand = fraction | uint64_t{1} << 52;
  int shift = 52 - fractionBits;
  int field = exponent + bias;
  if (field < 1) { // A subnormal result: fewer bits remain.
    shift += 1 - field;
    field = 1;
  }
  if (shift > 53)
    return sign;
  uint64_t kept = significand >> shift;
  uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
  uint64_t half = uint64_t{1} << (shift - 1);
  kept += rest > half || (rest == half && (kept & 1));
  // The leading bit of `kept` adds 1 to the exponent field, and so does a
  // carry out of the fraction; a subnormal result has neither.
  uint64_t result = (uint64_t(field - 1) << fractionBits) + kept;
  return sign | static_cast<uint16_t>(result < infinity ? result : infinity);
}

uint16_t halfFromDouble(double value) { return roundDouble<5, 10>(value); }
uint16_t bfloatFromDouble(double value) { return roundDouble<8, 7>(value); }

float floatFromBfloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

float floatFromHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31, fraction = bits & 0x3ff;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13 |
                                (fraction ? 0x400000u : 0u));
  if (exponent != 0)
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  // Subnormal: an integer times 2^-24, which is exact in float.
  float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

} // namespace tilewright::runtime
