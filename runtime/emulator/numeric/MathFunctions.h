#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_MATHFUNCTIONS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_MATHFUNCTIONS_H

#include "runtime/emulator/numeric/ExactDouble.h"

// Math functions of a float, in double, with a relative error below 2^-49:
// rounded to float they are the nearest float except where the exact value is
// within 2^-49 of the middle between two. Only additions, multiplications and
// divisions of IEEE 754, so the same on every host. Infinity and NaN are
// operands like others; a NaN result is any NaN.

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// c[0] + c[1] x + c[2] x^2 + ...
template <int N> inline double polynomial(const double (&c)[N], double x) {
  double sum = c[N - 1];
  for (int i = N - 2; i >= 0; --i)
    sum = sum * x + c[i];
  return sum;
}

/// The integer nearest to \p value (a magnitude below 2^51) as a double, and in
/// the low bits of `bits`.
struct NearestInteger {
  double value;
  std::uint64_t bits;
};
inline NearestInteger nearestInteger(double value) {
  // Between 2^52 and 2^53 the last place of a double is 1.
  constexpr double shift = 0x1.8p52;
  double shifted = value + shift;
  return {shifted - shift, bitsOf(shifted)};
}

/// 2^n for the integer in the low bits of \p bits, -1022 to 1023.
inline double powerOfTwo(std::uint64_t bits) {
  return fromBits<double>((bits + 1023) << 52);
}

/// e^x - 1 for |x| <= 0.35: Taylor's series, the first term left out is 2^-57
/// of the result.
inline double expMinus1Near0(double x) {
  static constexpr double c[] = {
      1.0,
      1.0 / 2,
      1.0 / 6,
      1.0 / 24,
      1.0 / 120,
      1.0 / 720,
      1.0 / 5040,
      1.0 / 40320,
      1.0 / 362880,
      1.0 / 3628800,
      1.0 / 39916800,
      1.0 / 479001600,
      1.0 / 6227020800,
  };
  return x * polynomial(c, x);
}

inline constexpr double ln2 = 0x1.62e42fefa39efp-1;

/// 2^x. Where that is outside the range of float, so is the result, which is
/// not exact then. A NaN stays NaN.
inline double exp2Of(float x) {
  double held = x < -200 ? -200 : double{x};
  held = held > 200 ? 200 : held;
  NearestInteger n = nearestInteger(held);
  double fraction = held - n.value; // exact
  double power = 1 + expMinus1Near0(fraction * ln2);
  return power * powerOfTwo(n.bits);
}

/// The base-2 logarithm; of a zero -infinity, of a negative number NaN.
inline double log2Of(float x) {
  // x = 2^n m with sqrt(1/2) <= m < sqrt(2), and log m = 2 atanh((m-1)/(m+1)).
  constexpr std::uint64_t rootHalf = 0x3FE6A09E667F3BCD;
  std::uint64_t bits = bitsOf(double{x});
  std::uint64_t exponent = (bits - rootHalf) & 0xFFF0000000000000;
  double m = fromBits<double>(bits - exponent);
  // The exponent is signed; in the middle of 2^52..2^53 it is an integer.
  std::uint64_t biased = ((exponent >> 52) + 2048) & 0xFFF;
  double n = fromBits<double>(biased | 0x4330000000000000) - (0x1p52 + 2048);
  double s = (m - 1) / (m + 1);
  // |s| < 0.172; the first term left out is 2^-55 of the result.
  static constexpr double c[] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,
                                 1.0 / 9,  1.0 / 11, 1.0 / 13, 1.0 / 15,
                                 1.0 / 17, 1.0 / 19};
  constexpr double twoOverLn2 = 0x1.71547652b82fep+1;
  double result = n + twoOverLn2 * (s * polynomial(c, s * s));
  constexpr double infinity = __builtin_inf();
  result = x == 0 ? -infinity : result;
  return x >= 0 && x < infinity ? result
         : x < 0                ? __builtin_nan("")
                                : double{x};
}

/// tanh x; for a magnitude beyond 20, +-1 to the last bit.
inline double tanhOf(float x) {
  double magnitude = __builtin_fabs(double{x});
  double twice = 2 * (magnitude < 20 ? magnitude : 20);
  constexpr double inverseLn2 = 0x1.71547652b82fep+0;
  NearestInteger n = nearestInteger(twice * inverseLn2);
  double power = powerOfTwo(n.bits);
  double rest = twice - n.value * ln2;
  // e^2x - 1, without cancellation: the power is 1, or at least 2.
  double grown = power * expMinus1Near0(rest) + (power - 1);
  double result = grown / (grown + 2);
  return x != x ? double{x} : __builtin_copysign(result, double{x});
}

/// An angle less the nearest multiple of pi / 2, and that multiple modulo 4.
struct ReducedAngle {
  double rest;
  int quadrant;
};

/// Of a finite \p x of 0 or more, by the bits of 2 / pi (Payne and Hanek).
inline ReducedAngle reduced(float x) {
  constexpr double halfPi = 0x1.921fb54442d18p+0;
  if (x < 0x1.921fb4p-1f) // pi / 4
    return {x, 0};
  // 64 zeros, then 2 / pi without its leading "0."
  static constexpr std::uint64_t digits[] = {
      0, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041,
      0xFE5163ABDEBBC561};
  // x = m 2^e. Of 2 / pi 2^e modulo 4 take the first 128 bits, then the product
  // with m modulo 4 has 126 bits behind the point, of which 100 are right.
  std::uint32_t bits = bitsOf(x);
  int start = 64 + static_cast<int>(bits >> 23) - 150 - 2;
  std::uint32_t m = (bits & 0x7FFFFF) | 0x800000;
  int word = start / 64, skip = start % 64;
  UInt128 window = UInt128{digits[word]} << 64 | digits[word + 1];
  window = window << skip | digits[word + 2] >> 1 >> (63 - skip);
  UInt128 product = window * m;
  std::uint64_t high = static_cast<std::uint64_t>(product >> 64);
  std::uint64_t low = static_cast<std::uint64_t>(product);
  // To the nearest quadrant: the rest becomes signed.
  std::uint64_t quadrant = (high + 0x2000000000000000) >> 62;
  std::int64_t signedHigh = static_cast<std::int64_t>(high - (quadrant << 62));
  double rest = static_cast<double>(signedHigh) * 0x1p-62 +
                static_cast<double>(low) * 0x1p-126;
  return {rest * halfPi, static_cast<int>(quadrant)};
}

/// sin and cos for |x| <= pi / 4, Taylor's series to 2^-58 of the result.
inline double sinNear0(double x) {
  static constexpr double c[] = {1.0,
                                 -1.0 / 6,
                                 1.0 / 120,
                                 -1.0 / 5040,
                                 1.0 / 362880,
                                 -1.0 / 39916800,
                                 1.0 / 6227020800,
                                 -1.0 / 1307674368000,
                                 1.0 / 355687428096000};
  return x * polynomial(c, x * x);
}
inline double cosNear0(double x) {
  static constexpr double c[] = {1.0,
                                 -1.0 / 2,
                                 1.0 / 24,
                                 -1.0 / 720,
                                 1.0 / 40320,
                                 -1.0 / 3628800,
                                 1.0 / 479001600,
                                 -1.0 / 87178291200,
                                 1.0 / 20922789888000};
  return polynomial(c, x * x);
}

/// Sine, or with \p ahead = 1 cosine; of an infinity NaN.
inline double sineOf(float x, int ahead) {
  float magnitude = __builtin_fabsf(x);
  if (!(magnitude < __builtin_inff()))
    return __builtin_nan("");
  ReducedAngle angle = reduced(magnitude);
  int quadrant = angle.quadrant + ahead;
  double result = quadrant & 1 ? cosNear0(angle.rest) : sinNear0(angle.rest);
  bool negative = (quadrant & 2) != 0;
  if (ahead == 0)
    negative ^= bitsOf(x) >> 31 != 0;
  return negative ? -result : result;
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_MATHFUNCTIONS_H
