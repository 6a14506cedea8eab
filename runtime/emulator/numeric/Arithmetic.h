#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_ARITHMETIC_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_ARITHMETIC_H

#include "runtime/emulator/numeric/Comparison.h"
#include "runtime/emulator/numeric/ExactDouble.h"
#include "runtime/emulator/numeric/FloatBits.h"

// add, sub, mul, fma, div, rcp, sqrt of PTX ISA 9.7.3 and 9.7.4: the exact
// result, rounded once. Modifiers are separate functions: .ftz flushes the
// operands and the result (`flushed`), .sat and .relu the result.

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// The sum of two numbers: the nearest one of Host (float or double), and what
/// it lacks, exact (Knuth's TwoSum). Without meaning for infinities and NaN.
template <class Host> struct ErrorFreeSum {
  Host sum;
  Host error;
};
template <class Host> inline ErrorFreeSum<Host> twoSum(Host a, Host b) {
  Host sum = a + b;
  Host shadow = sum - a;
  return {sum, (a - (sum - shadow)) + (b - shadow)};
}

/// a + b rounded to odd: toward zero, then with the last bit set if anything
/// was lost. Rounding that again to at least two bits less equals rounding the
/// exact sum, in each mode.
template <class Host> inline Host sumToOdd(Host a, Host b) {
  using Bits = typename FloatBits<Host>::Bits;
  ErrorFreeSum<Host> pair = twoSum(a, b);
  Bits bits = bitsOf(pair.sum);
  bool outward = (pair.error > 0) == (pair.sum > 0);
  bool inexact = pair.error > 0 || pair.error < 0;
  Bits step = outward ? 1 : ~Bits{0};
  bits += inexact && !(bits & 1) ? step : 0;
  return fromBits<Host>(bits);
}

/// The float of \p value in the mode R.
template <Rounding R> inline float roundedToFloat(double value) {
  float nearest = static_cast<float>(value);
  if constexpr (R == Rounding::nearestEven)
    return nearest;
  std::uint32_t bits = bitsOf(nearest);
  double back = nearest;
  bool negative = bits >> 31;
  bool tooHigh = back > value, tooLow = back < value;
  // One up or down in value is one up or down in magnitude.
  bool inward = negative ? tooLow : tooHigh;
  bool outward = negative ? tooHigh : tooLow;
  if constexpr (R == Rounding::towardZero)
    return fromBits<float>(bits - inward);
  if constexpr (R == Rounding::down)
    return fromBits<float>(negative ? bits + outward : bits - inward);
  return fromBits<float>(negative ? bits - inward : bits + outward);
}

/// An exact zero sum of operands of different signs is -0 where R is down
/// (IEEE 754 6.3).
template <Rounding R> inline float signedZero(float sum, double a, double b) {
  if constexpr (R != Rounding::down)
    return sum;
  bool negative = (bitsOf(a) | bitsOf(b)) >> 63;
  float zero = fromBits<float>(std::uint32_t{negative} << 31);
  return sum == 0 && a == -b ? zero : sum;
}

template <Rounding R> inline float add(float a, float b) {
  static_assert(R != Rounding::nearestAway);
  if constexpr (R == Rounding::nearestEven)
    return canonical(a + b);
  float sum = roundedToFloat<R>(sumToOdd<double>(a, b));
  return canonical(signedZero<R>(sum, a, b));
}

template <Rounding R> inline float mul(float a, float b) {
  static_assert(R != Rounding::nearestAway);
  if constexpr (R == Rounding::nearestEven)
    return canonical(a * b);
  // 24 bits by 24 bits are exact in double.
  return canonical(roundedToFloat<R>(double{a} * double{b}));
}

template <Rounding R> inline float fma(float a, float b, float c) {
  static_assert(R != Rounding::nearestAway);
#if defined(__FMA__) || defined(__aarch64__)
  if constexpr (R == Rounding::nearestEven)
    return canonical(__builtin_fmaf(a, b, c));
#endif
  double product = double{a} * double{b};
  float sum = roundedToFloat<R>(sumToOdd<double>(product, c));
  return canonical(signedZero<R>(sum, product, c));
}

/// A quotient of floats that is no float differs from every float, and from the
/// middle between two, by more than 2^-50 of itself. So the nearest double can
/// be rounded again in any mode. The same is true for a root.
template <Rounding R> inline float div(float a, float b) {
  static_assert(R != Rounding::nearestAway);
  if constexpr (R == Rounding::nearestEven)
    return canonical(a / b);
  return canonical(roundedToFloat<R>(double{a} / double{b}));
}

template <Rounding R> inline float sqrt(float a) {
  static_assert(R != Rounding::nearestAway);
  float root = __builtin_sqrtf(a);
  if constexpr (R != Rounding::nearestEven)
    root = roundedToFloat<R>(__builtin_sqrt(double{a}));
  return hasNoRoot(a) ? fromBits<float>(FloatBits<float>::nan) : root;
}

inline bool isFinite(double value) {
  return magnitudeOf(value) < FloatBits<double>::infinity;
}

template <Rounding R> inline double add(double a, double b) {
  static_assert(R != Rounding::nearestAway);
  double nearest = a + b;
  if constexpr (R != Rounding::nearestEven)
    if (isFinite(a) && isFinite(b))
      return rounded<R>(exactSum<R>(exactNumber(a), exactNumber(b)));
  return withNanRule(nearest, a, b);
}

template <Rounding R> inline double mul(double a, double b) {
  static_assert(R != Rounding::nearestAway);
  double nearest = a * b;
  if constexpr (R != Rounding::nearestEven)
    if (isFinite(a) && isFinite(b))
      return rounded<R>(exactProduct(exactNumber(a), exactNumber(b)));
  return withNanRule(nearest, a, b);
}

template <Rounding R> inline double fma(double a, double b, double c) {
  static_assert(R != Rounding::nearestAway);
#if defined(__FMA__) || defined(__aarch64__)
  if constexpr (R == Rounding::nearestEven)
    return withNanRule(__builtin_fma(a, b, c), a, b, c);
#endif
  if (isFinite(a) && isFinite(b) && isFinite(c)) {
    ExactNumber product = exactProduct(exactNumber(a), exactNumber(b));
    return rounded<R>(exactSum<R>(product, exactNumber(c)));
  }
  // With an infinity or a NaN among them, only that decides. A product of
  // finite numbers must not become infinite here.
  double product = isFinite(a) && isFinite(b) ? 0 : a * b;
  return withNanRule(product + c, a, b, c);
}

template <Rounding R> inline double div(double a, double b) {
  static_assert(R != Rounding::nearestAway);
  double nearest = a / b;
  if constexpr (R != Rounding::nearestEven)
    if (isFinite(a) && isFinite(b) && b != 0)
      return rounded<R>(exactQuotient(exactNumber(a), exactNumber(b)));
  return withNanRule(nearest, a, b);
}

template <Rounding R> inline double sqrt(double a) {
  static_assert(R != Rounding::nearestAway);
  double nearest = __builtin_sqrt(a);
  if constexpr (R != Rounding::nearestEven)
    if (isFinite(a) && a > 0)
      return exactRoot<R>(a, nearest);
  double nan = fromBits<double>(FloatBits<double>::nan);
  nan = isNan(a) ? quieted(a) : nan;
  return hasNoRoot(a) ? nan : nearest;
}

template <Rounding R, class T> inline T sub(T a, T b) {
  // Not add(a, -b), because the sign of a NaN is kept.
  T negated = isNan(b) ? b : -b;
  return add<R>(a, negated);
}

template <Rounding R, class T> inline T rcp(T a) { return div<R>(T{1}, a); }

/// f16 and bf16 (PTX ISA 9.7.4), .rn only. Float has 24 bits, twice those of
/// f16 and two more, so rounding a sum or product again is rounding it once.
template <class T> inline T addSmall(T a, T b) {
  return narrow<T>(widen(a) + widen(b));
}
template <class T> inline T subSmall(T a, T b) {
  return narrow<T>(widen(a) - widen(b));
}
template <class T> inline T mulSmall(T a, T b) {
  return narrow<T>(widen(a) * widen(b));
}
/// The product is exact in the wider type, its sum with \p c need not be.
inline Half fmaSmall(Half a, Half b, Half c) {
  return narrow<Half>(sumToOdd(widen(a) * widen(b), widen(c)));
}
inline BFloat fmaSmall(BFloat a, BFloat b, BFloat c) {
  return narrow<BFloat>(
      sumToOdd(double{widen(a)} * widen(b), double{widen(c)}));
}

template <Rounding R> inline Half add(Half a, Half b) {
  static_assert(R == Rounding::nearestEven);
  return addSmall(a, b);
}
template <Rounding R> inline BFloat add(BFloat a, BFloat b) {
  static_assert(R == Rounding::nearestEven);
  return addSmall(a, b);
}
template <Rounding R> inline Half sub(Half a, Half b) {
  static_assert(R == Rounding::nearestEven);
  return subSmall(a, b);
}
template <Rounding R> inline BFloat sub(BFloat a, BFloat b) {
  static_assert(R == Rounding::nearestEven);
  return subSmall(a, b);
}
template <Rounding R> inline Half mul(Half a, Half b) {
  static_assert(R == Rounding::nearestEven);
  return mulSmall(a, b);
}
template <Rounding R> inline BFloat mul(BFloat a, BFloat b) {
  static_assert(R == Rounding::nearestEven);
  return mulSmall(a, b);
}
template <Rounding R> inline Half fma(Half a, Half b, Half c) {
  static_assert(R == Rounding::nearestEven);
  return fmaSmall(a, b, c);
}
template <Rounding R> inline BFloat fma(BFloat a, BFloat b, BFloat c) {
  static_assert(R == Rounding::nearestEven);
  return fmaSmall(a, b, c);
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_ARITHMETIC_H
