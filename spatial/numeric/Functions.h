// Functions of f32, computed in double by a fixed order of IEEE operations: the
// same bits on every host, with an error that is hardly above half an ulp. Must
// be compiled with -ffp-contract=off.
#ifndef TILEWRIGHT_SPATIAL_NUMERIC_FUNCTIONS_H
#define TILEWRIGHT_SPATIAL_NUMERIC_FUNCTIONS_H

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tilewright::spatial {

/// x * y + z, rounded once, without an instruction for it. The product is exact
/// in double. The sum is rounded to odd: if it lost digits, its last bit
/// becomes 1, so that rounding it to float equals rounding the exact sum.
inline float fusedMultiplyAdd(float x, float y, float z) {
  double product = static_cast<double>(x) * static_cast<double>(y), addend = z;
  double sum = product + addend, part = sum - product;
  // What sum lost; NaN where it is not finite.
  double lost = (product - (sum - part)) + (addend - part);
  auto bits = std::bit_cast<int64_t>(sum);
  bool isInexact = (lost > 0) | (lost < 0);
  int64_t isNearer = (bits ^ std::bit_cast<int64_t>(lost)) >> 63;
  bits += isInexact && !(bits & 1) ? isNearer | 1 : 0;
  return static_cast<float>(std::bit_cast<double>(bits));
}

/// sum over n of coefficients[n] x^n.
template <size_t N>
constexpr double polynomial(const std::array<double, N> &coefficients,
                            double x) {
  double sum = coefficients[N - 1];
  for (size_t n = N - 1; n-- > 0;)
    sum = sum * x + coefficients[n];
  return sum;
}

/// e^x for results that f32 has; beyond, what rounds to 0 or infinity.
inline double exponential(double x) {
  // 1 / n!: the rest is below 1e-14 for |r| <= ln(2) / 2.
  static constexpr auto coefficients = [] {
    std::array<double, 13> c = {1};
    for (size_t n = 1; n < c.size(); ++n)
      c[n] = c[n - 1] / static_cast<double>(n);
    return c;
  }();
  // ln(2) in two parts; n times the first is exact.
  constexpr double log2High = 0x1.62e42fecp-1, log2Low = 0x1.d1cf79abc9e3bp-32;
  x = x < -110 ? -110 : x > 90 ? 90 : x;
  // Rounds to an integer, which is in the low bits.
  constexpr double shift = 0x1.8p52;
  double shifted = x * 0x1.71547652b82fep+0 + shift, n = shifted - shift;
  double r = (x - n * log2High) - n * log2Low;
  auto exponent = std::bit_cast<uint64_t>(shifted) + 1023;
  return polynomial(coefficients, r) *
         std::bit_cast<double>(exponent << 52 & 0x7ff0000000000000);
}

/// ln(x) of a positive f32.
inline double logarithm(double x) {
  // 1 / (2 n + 1): artanh(s) = s (1 + s^2 / 3 + s^4 / 5 ..), |s| < 0.172.
  static constexpr auto coefficients = [] {
    std::array<double, 10> c = {};
    for (size_t n = 0; n < c.size(); ++n)
      c[n] = 1.0 / static_cast<double>(2 * n + 1);
    return c;
  }();
  // x = m 2^e, m from sqrt(1/2) to sqrt(2).
  auto bits = std::bit_cast<uint64_t>(x) - 0x3fe6a09e667f3bcd;
  auto e = static_cast<double>(static_cast<int64_t>(bits) >> 52);
  auto m = std::bit_cast<double>((bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd);
  double s = (m - 1) / (m + 1);
  return e * 0x1.62e42fefa39efp-1 + 2 * s * polynomial(coefficients, s * s);
}

inline float expOf(float x) {
  return x != x ? x : static_cast<float>(exponential(x));
}

inline float logOf(float x) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (!(x > 0) || x == infinity)
    return x == 0 ? -infinity : x > 0 ? x : x - x + NAN;
  return static_cast<float>(logarithm(x));
}

inline float tanhOf(float value) {
  // x - x^3 / 3 ..; above, 1 - 2 / (e^2x + 1) loses no digits that f32 has.
  static constexpr std::array<double, 5> coefficients = {
      1, -1.0 / 3, 2.0 / 15, -17.0 / 315, 62.0 / 2835};
  double x = value, magnitude = x < 0 ? -x : x;
  if (!(magnitude >= 0.0625))
    return static_cast<float>(x * polynomial(coefficients, x * x));
  double y = 1 - 2 / (exponential(2 * magnitude) + 1);
  return static_cast<float>(x < 0 ? -y : y);
}

inline float erfOf(float value) {
  // (-1)^n / (n! (2 n + 1)) of x^2n; the rest is below 1e-13 for |x| <= 1.
  static constexpr auto nearZero = [] {
    std::array<double, 15> c = {};
    double factorial = 1;
    for (size_t n = 0; n < c.size(); ++n) {
      factorial *= n ? -static_cast<double>(n) : 1;
      c[n] = 1 / (factorial * static_cast<double>(2 * n + 1));
    }
    return c;
  }();
  // erfc(2.5 + 1.5 t), |t| <= 1: its Chebyshev series by powers of t. The error
  // is below 2e-11.
  static constexpr std::array<double, 19> complement = {
      0.0004069520242819778,  -0.003267426299731771,  0.012252847422984603,
      -0.028181554643123944,  0.04365081934603961,    -0.04645357811638781,
      0.03187596612462966,    -0.009267782606872641,  -0.006676857229658118,
      0.00962218213266113,    -0.004558520821887389,  -0.0004434474122738542,
      0.0018600137058247485,  -0.0009188635268633544, -0.00010030648762041664,
      0.00029381092873594046, -7.670253602547147e-05, -3.2936277250959954e-05,
      1.5399691762447793e-05};
  constexpr double twoBySqrtPi = 0x1.20dd750429b6dp+0;
  double x = value, magnitude = x < 0 ? -x : x;
  if (!(magnitude >= 1))
    return static_cast<float>(x * twoBySqrtPi * polynomial(nearZero, x * x));
  double y =
      magnitude >= 4 ? 1 : 1 - polynomial(complement, (magnitude - 2.5) / 1.5);
  return static_cast<float>(x < 0 ? -y : y);
}

/// An angle less a multiple of pi / 2, which is at most pi / 4 in magnitude.
struct ReducedAngle {
  double rest = 0;
  /// The multiple, modulo 4.
  unsigned quadrant = 0;
};

/// Of a finite x.
inline ReducedAngle reduceAngle(float x) {
  // The binary digits of 2 / pi behind the point: as many as the greatest f32
  // needs.
  constexpr uint64_t digits[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
                                 0xdb6295993c439041, 0xfe5163abdebbc561,
                                 0xb7246e3a424dd2e0};
  using Wide = unsigned __int128;
  if (x < 0x1.921fb6p-1f && x > -0x1.921fb6p-1f)
    return {x, 0};
  // |x| = m 2^e. Digits that make multiples of 4 are left out: the window
  // begins with the one that m 2^e makes a multiple of 2.
  auto bits = std::bit_cast<uint32_t>(x);
  int e = static_cast<int>(bits >> 23 & 0xff) - 150, first = e - 2;
  Wide m = (bits & 0x7fffff) | 0x800000;
  Wide window = (Wide(digits[0]) << 64 | digits[1]) >> (first < 0 ? -first : 0);
  if (first > 0) {
    const uint64_t *word = digits + first / 64;
    unsigned offset = static_cast<unsigned>(first) % 64;
    window = Wide(word[0]) << 64 | word[1];
    if (offset)
      window = window << offset | word[2] >> (64 - offset);
  }
  // m window 2^-126 is |x| 2 / pi, modulo 4.
  Wide product = m * window;
  Wide rounded = product + (Wide(1) << 125);
  auto quadrant = static_cast<unsigned>(rounded >> 126);
  auto fraction = static_cast<__int128>(product - (Wide(quadrant) << 126));
  double rest = static_cast<double>(fraction) * 0x1p-126 * 0x1.921fb54442d18p+0;
  return x < 0 ? ReducedAngle{-rest, -quadrant & 3}
               : ReducedAngle{rest, quadrant};
}

/// sin(x + quarters pi / 2).
inline float sineOf(float x, unsigned quarters) {
  // (-1)^n / (2 n + 1)! and (-1)^n / (2 n)!, of r^2n.
  static constexpr auto taylor = [](int odd) {
    std::array<double, 9> c = {1};
    for (int n = 1; n < 9; ++n)
      c[static_cast<size_t>(n)] = -c[static_cast<size_t>(n - 1)] /
                                  static_cast<double>(2 * n * (2 * n + odd));
    return c;
  };
  static constexpr auto sine = taylor(1), cosine = taylor(-1);
  if (!(x - x == 0))
    return x - x;
  auto [r, quadrant] = reduceAngle(x);
  quadrant += quarters;
  double y =
      quadrant & 1 ? polynomial(cosine, r * r) : r * polynomial(sine, r * r);
  return static_cast<float>(quadrant & 2 ? -y : y);
}

/// As IEEE 754 defines pow.
inline float powOf(float x, float y) {
  if (y == 0 || x == 1)
    return 1;
  if (x != x || y != y)
    return x + y;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  float magnitude = x < 0 ? -x : x;
  bool isInteger = std::trunc(y) == y;
  // From 2^24 on all are even.
  bool isOdd =
      isInteger && y > -0x1p24f && y < 0x1p24f && (static_cast<int32_t>(y) & 1);
  bool isNegative = std::signbit(x) && isOdd;
  float result = 1;
  if (magnitude == 0 || magnitude == infinity)
    result = (magnitude == 0) == (y < 0) ? infinity : 0;
  else if (x < 0 && !isInteger)
    return std::numeric_limits<float>::quiet_NaN();
  else if (magnitude != 1)
    result = static_cast<float>(exponential(y * logarithm(magnitude)));
  return isNegative ? -result : result;
}

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_NUMERIC_FUNCTIONS_H
