// 16-bit floats on the host: the elements of f16 and bf16 tensors.
#ifndef TILEWRIGHT_RUNTIME_HALFFLOATS_H
#define TILEWRIGHT_RUNTIME_HALFFLOATS_H

#include "tilewright/support/Language.h"

#include <bit>
#include <concepts>
#include <cstdint>

namespace tilewright {

namespace detail {

/// Rounds a double to a float with round-to-odd: the last bit records whether
/// digits were lost. A further rounding to 16 bits then equals one rounding of
/// the double.
constexpr float roundToOdd(double x) {
  auto nearest = static_cast<float>(x);
  double back = nearest;
  auto bits = std::bit_cast<uint32_t>(nearest);
  bool isExact = back == x || x != x;
  if (isExact || (bits & 1))
    return nearest;
  bool isAway = (back < 0 ? -back : back) > (x < 0 ? -x : x);
  return std::bit_cast<float>(isAway ? bits - 1 : bits + 1);
}

/// Rounds to nearest, ties to even.
constexpr uint16_t halfBits(float x) {
  auto bits = std::bit_cast<uint32_t>(x);
  auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  bits &= 0x7fffffff;
  if (bits > 0x7f800000) // NaN: quiet, with the upper bits of its payload.
    return static_cast<uint16_t>(sign | 0x7e00 | (bits >> 13 & 0x1ff));
  if (bits >= 0x477ff000) // From 65520 on.
    return static_cast<uint16_t>(sign | 0x7c00);
  if (bits < 0x38800000) // Below 2^-14: the last place of 0.5 is 2^-24.
    return static_cast<uint16_t>(
        sign | (std::bit_cast<uint32_t>(std::bit_cast<float>(bits) + 0.5f) -
                0x3f000000));
  bits += 0xfff + (bits >> 13 & 1);
  return static_cast<uint16_t>(sign | ((bits - 0x38000000) >> 13));
}
constexpr float halfValue(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16, bits = half & 0x7fff;
  if (bits < 0x400) { // Multiples of 2^-24.
    float size = static_cast<float>(bits) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(size) | sign);
  }
  bits = (bits << 13) + (bits < 0x7c00 ? 0x38000000 : 0x70000000);
  return std::bit_cast<float>(bits | sign);
}

constexpr uint16_t brainBits(float x) {
  auto bits = std::bit_cast<uint32_t>(x);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  bits += 0x7fff + (bits >> 16 & 1);
  return static_cast<uint16_t>(bits >> 16);
}
constexpr float brainValue(uint16_t brain) {
  return std::bit_cast<float>(uint32_t(brain) << 16);
}

} // namespace detail

/// A float with 5 exponent bits and 10 bits of significand. Conversion rounds
/// to nearest, ties to even; numbers that are too large become infinite.
struct Float16 {
  uint16_t bits = 0;
  constexpr Float16() = default;
  constexpr Float16(float x) : bits(detail::halfBits(x)) {}
  constexpr Float16(double x) : Float16(detail::roundToOdd(x)) {}
  template <std::integral N>
  constexpr Float16(N x) : Float16(static_cast<double>(x)) {}
  constexpr operator float() const { return detail::halfValue(bits); }
  static constexpr Float16 fromBits(uint16_t bits) {
    Float16 x;
    x.bits = bits;
    return x;
  }
};

/// The upper half of a float: 8 exponent bits and 7 bits of significand.
/// Conversion rounds to nearest, ties to even.
struct BFloat16 {
  uint16_t bits = 0;
  constexpr BFloat16() = default;
  constexpr BFloat16(float x) : bits(detail::brainBits(x)) {}
  constexpr BFloat16(double x) : BFloat16(detail::roundToOdd(x)) {}
  template <std::integral N>
  constexpr BFloat16(N x) : BFloat16(static_cast<double>(x)) {}
  constexpr operator float() const { return detail::brainValue(bits); }
  static constexpr BFloat16 fromBits(uint16_t bits) {
    BFloat16 x;
    x.bits = bits;
    return x;
  }
};

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_HALFFLOATS_H
