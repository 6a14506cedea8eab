// Formats of floats as the host computes them: on its own numbers, which IEEE
// 754 defines bit by bit (but for NaNs, of which any is right).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tilewright::reference {

/// Formats that the host has: numbers are its own.
template <typename N, typename Bits> struct HostFormat {
  using Number = N;
  static N load(uint64_t bits) {
    return std::bit_cast<N>(static_cast<Bits>(bits));
  }
  static uint64_t store(N number) { return std::bit_cast<Bits>(number); }
};
using F32Format = HostFormat<float, uint32_t>;
using F64Format = HostFormat<double, uint64_t>;

/// Formats of 16 bits with infinities: numbers are doubles, which have more
/// than twice the bits, so that one operation on them that is rounded again
/// gives what one rounding gives (Figueroa, "When is double rounding
/// innocuous?", 1995).
template <int mantissa> struct HalfFormat {
  using Number = double;
  static constexpr int kExponent = 15 - mantissa;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr uint64_t kMantissa = (uint64_t(1) << mantissa) - 1;
  static constexpr uint64_t kSpecial = (uint64_t(1) << kExponent) - 1;

  static double power(int exponent) {
    return std::bit_cast<double>(uint64_t(exponent + 1023) << 52);
  }
  static double load(uint64_t bits) {
    const uint64_t exponent = bits >> mantissa & kSpecial;
    const uint64_t fraction = bits & kMantissa;
    const uint64_t sign = bits >> 15 << 63;
    if (exponent == 0) {
      double number = double(fraction) * power(1 - kBias - mantissa);
      return sign ? -number : number;
    }
    const uint64_t wide =
        exponent == kSpecial ? 0x7ff : exponent + 1023 - kBias;
    return std::bit_cast<double>(sign | wide << 52 |
                                 fraction << (52 - mantissa));
  }
  static uint64_t store(double number) {
    const uint64_t sign = std::bit_cast<uint64_t>(number) >> 63 << 15;
    const double size = std::fabs(number);
    if (std::isnan(number))
      return sign | kSpecial << mantissa | uint64_t(1) << (mantissa - 1);
    // Doubles from here on have the distance of the subnormal numbers.
    if (size < power(1 - kBias)) {
      const double shift = power(52 + 1 - kBias - mantissa);
      return sign | (std::bit_cast<uint64_t>(size + shift) -
                     std::bit_cast<uint64_t>(shift));
    }
    uint64_t bits = std::bit_cast<uint64_t>(size);
    const uint64_t isOdd = bits >> (52 - mantissa) & 1;
    bits += (uint64_t(1) << (51 - mantissa)) - 1 + isOdd;
    const int exponent = int(bits >> 52) - 1023;
    if (exponent > kBias)
      return sign | kSpecial << mantissa;
    return sign | uint64_t(exponent + kBias) << mantissa |
           (bits >> (52 - mantissa) & kMantissa);
  }
};
using F16Format = HalfFormat<10>;
using BF16Format = HalfFormat<7>;

/// NaN spreads, and 0 is greater than -0.
template <typename F> F maximumOf(F a, F b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename F> F minimumOf(F a, F b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

/// A number rather than a NaN.
template <typename F> F maxnumOf(F a, F b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : maximumOf(a, b);
}
template <typename F> F minnumOf(F a, F b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : minimumOf(a, b);
}

} // namespace tilewright::reference
