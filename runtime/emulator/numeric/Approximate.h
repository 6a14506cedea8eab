#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_APPROXIMATE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_APPROXIMATE_H

#include "runtime/emulator/numeric/Arithmetic.h"
#include "runtime/emulator/numeric/MathFunctions.h"

// The approximate functions of PTX ISA 9.7.3 and 9.7.4. The manual bounds their
// error; here they return the nearest number of the result's format, or, to
// find programs that rely on more than the manual guarantees, another one
// within the bound. .ftz flushes operands and result (`flushed`).

namespace tilewright::emulator {

enum class Approximate : std::uint8_t {
  ex2,
  lg2,
  sin,
  cos,
  tanh,
  rcp,
  sqrt,
  rsqrt,
  div,    // div.approx
  divFull // div.full
};

inline namespace TILEWRIGHT_ISA {

/// The function's value as a double with a relative error below 2^-49, from
/// which the result is rounded and perturbed. The value of div.approx for a
/// divisor beyond 2^126 is that of PTX ISA 9.7.3.8.
template <Approximate O> inline double accurateValue(float a, float b) {
  switch (O) {
  case Approximate::ex2:
    return exp2Of(a);
  case Approximate::lg2:
    return log2Of(a);
  case Approximate::sin:
    return sineOf(a, 0);
  case Approximate::cos:
    return sineOf(a, 1);
  case Approximate::tanh:
    return tanhOf(a);
  case Approximate::rcp:
    return 1 / double{a};
  case Approximate::sqrt:
    return __builtin_sqrt(double{a});
  case Approximate::rsqrt:
    return 1 / __builtin_sqrt(double{a});
  case Approximate::div: {
    // As a * (1 / b) of which 1 / b is flushed.
    double inverse = 1 / double{b};
    bool beyond = __builtin_fabsf(b) > 0x1p126f;
    return beyond ? a * (inverse * 0) : double{a} / double{b};
  }
  case Approximate::divFull:
    return double{a} / double{b};
  }
  return 0;
}

/// The instruction O on f32: the nearest float, NaN canonical. \p b is the
/// divisor of the two divisions.
template <Approximate O> inline float approximate(float a, float b = 1) {
  // The same, faster.
  if constexpr (O == Approximate::rcp)
    return canonical(1 / a);
  if constexpr (O == Approximate::sqrt)
    return sqrt<Rounding::nearestEven>(a);
  if constexpr (O == Approximate::divFull)
    return canonical(a / b);
  return canonical(static_cast<float>(accurateValue<O>(a, b)));
}

/// ex2 and tanh on f16 and bf16 (PTX ISA 9.7.4.9, 9.7.4.10).
template <Approximate O> inline Half approximate(Half a) {
  static_assert(O == Approximate::ex2 || O == Approximate::tanh);
  return narrow<Half>(accurateValue<O>(widen(a), 1));
}
template <Approximate O> inline BFloat approximate(BFloat a) {
  static_assert(O == Approximate::ex2 || O == Approximate::tanh);
  return narrow<BFloat>(accurateValue<O>(widen(a), 1));
}

/// The upper word of \p value, rounded to nearest; a subnormal number is zero,
/// NaN the canonical one of PTX ISA 9.7.3.14.
inline double upperWord(double value) {
  std::uint64_t bits = bitsOf(flushed(value));
  bits = (bits + 0x80000000) & 0xFFFFFFFF00000000;
  return fromBits<double>(isNan(value) ? 0x7FFFFFFF00000000 : bits);
}
/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 (PTX ISA 9.7.3.14, 9.7.3.17):
/// operand and result are upper words alone. The manual bounds no error.
inline double upperWordOperand(double a) {
  return flushed(fromBits<double>(bitsOf(a) & 0xFFFFFFFF00000000));
}
inline double rcpApproxFtz(double a) {
  double value = 1 / upperWordOperand(a);
  return upperWord(isNan(a) ? a : value);
}
inline double rsqrtApproxFtz(double a) {
  double value = 1 / __builtin_sqrt(upperWordOperand(a));
  return upperWord(isNan(a) ? a : value);
}
/// rsqrt.approx.f64 (PTX ISA 9.7.3.16), with a relative error of about 2^-52;
/// the manual bounds none.
inline double rsqrtApprox(double a) {
  return withNanRule(1 / __builtin_sqrt(a), a);
}

/// The distance between the neighbours of \p value in the format T.
template <class T> inline double ulp(double value) {
  constexpr int mantissaBits = sizeof(T) == 4                     ? 23
                               : FloatBits<T>::infinity == 0x7C00 ? 10
                                                                  : 7;
  constexpr int smallestExponent =
      FloatBits<T>::infinity == 0x7C00 ? -14 : -126;
  int exponent = static_cast<int>(magnitudeOf(value) >> 52) - 1023;
  exponent = exponent < smallestExponent ? smallestExponent : exponent;
  return fromBits<double>(std::uint64_t(exponent - mantissaBits + 1023) << 52);
}

/// The manual's bound on the distance of a result of O in the format T from the
/// exact \p value of the operand \p a.
template <Approximate O, class T>
inline double errorBound(double value, double a) {
  double size = __builtin_fabs(value), operand = __builtin_fabs(a);
  constexpr bool half = FloatBits<T>::infinity == 0x7C00;
  switch (O) {
  case Approximate::ex2: // 9.7.3.21; 9.7.4.10: 2^-9.9, 2^-7
    if constexpr (sizeof(T) == 2)
      return size * (half ? 0x1.125fbee250664p-10 : 0x1p-7);
    return 2 * ulp<T>(value);
  case Approximate::lg2: // 9.7.3.20
    return operand > 0.5 && operand < 2 ? 0x1p-22 : size * 0x1p-22;
  case Approximate::sin: // 9.7.3.18, 9.7.3.19: 2^-20.5 to 2 pi, then 2^-14.7
  case Approximate::cos:
    return operand <= 0x1.921fb54442d18p+2 ? 0x1.6a09e667f3bcdp-21
                                           : 0x1.3b2c47bff8329p-15;
  case Approximate::tanh: // 9.7.3.22; 9.7.4.9: absolute 2^-10.987, 2^-8
    if constexpr (sizeof(T) == 2)
      return half ? 0x1.0251353756991p-11 : 0x1p-8;
    return size * 0x1p-11;
  case Approximate::rcp: // 9.7.3.13
    return ulp<T>(value);
  case Approximate::sqrt: // 9.7.3.15
    return size * 0x1p-23;
  case Approximate::rsqrt: // 9.7.3.16: 2^-22.9
    return size * 0x1.125fbee250664p-23;
  case Approximate::div: // 9.7.3.8
  case Approximate::divFull:
    return 2 * ulp<T>(value);
  }
  return 0;
}

/// A number of [-1, 1) that follows from \p key alone (the mixing function of
/// SplitMix64).
inline double hashed(std::uint64_t key) {
  key += 0x9E3779B97F4A7C15;
  key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9;
  key = (key ^ (key >> 27)) * 0x94D049BB133111EB;
  key ^= key >> 31;
  return static_cast<double>(static_cast<std::int64_t>(key)) * 0x1p-63;
}

/// Whether the manual defines an exact result for this operand.
template <Approximate O> inline bool isSpecialCase(float a, float b) {
  auto ordinary = [](float x) {
    std::uint32_t magnitude = magnitudeOf(x);
    return magnitude != 0 && magnitude < FloatBits<float>::infinity;
  };
  if (!ordinary(a) || !ordinary(b))
    return true;
  // Of a subnormal number, ex2 is 1, and tanh the number itself.
  if (O == Approximate::tanh || O == Approximate::ex2)
    return magnitudeOf(a) < FloatBits<float>::smallestNormal;
  float divisor = __builtin_fabsf(b);
  return O == Approximate::div && (divisor > 0x1p126f || divisor < 0x1p-126f);
}

/// Another number for the result \p nearest of O on \p a (and \p b), as far
/// from the exact one as the manual allows or less; which one follows from O,
/// the operands and \p seed. A finite number remains finite, and only where the
/// bound is absolute does a result change its sign.
template <Approximate O, class T>
inline T perturbedResult(T nearest, float a, float b, std::uint64_t seed) {
  double value = accurateValue<O>(a, b);
  if (isSpecialCase<O>(a, b) || !(hosted(nearest) - hosted(nearest) == 0))
    return nearest;
  std::uint64_t operands = std::uint64_t{bitsOf(a)} << 32 | bitsOf(b);
  double position =
      hashed(operands ^ bitsOf(hashed(seed + static_cast<int>(O))));
  double bound = errorBound<O, T>(value, a);
  double target = value + position * bound;
  // Back towards the exact value.
  T result;
  if constexpr (sizeof(T) == 4)
    result = position > 0 ? roundedToFloat<Rounding::down>(target)
                          : roundedToFloat<Rounding::up>(target);
  else
    result = position > 0 ? narrow<T, Rounding::down>(target)
                          : narrow<T, Rounding::up>(target);
  constexpr bool absolute = O == Approximate::lg2 || O == Approximate::sin ||
                            O == Approximate::cos ||
                            (O == Approximate::tanh && sizeof(T) == 2);
  bool sameSign = bitsOf(result) >> (8 * sizeof(T) - 1) ==
                  bitsOf(nearest) >> (8 * sizeof(T) - 1);
  bool within = __builtin_fabs(hosted(result) - value) <= bound;
  bool finite = hosted(result) - hosted(result) == 0;
  return within && finite && (absolute || sameSign) ? result : nearest;
}

template <Approximate O>
inline float perturbed(float a, float b, std::uint64_t seed) {
  return perturbedResult<O>(approximate<O>(a, b), a, b, seed);
}
template <Approximate O, class T> inline T perturbed(T a, std::uint64_t seed) {
  return perturbedResult<O>(approximate<O>(a), hosted(a), 1.0f, seed);
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_APPROXIMATE_H
