#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_COMPARISON_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_COMPARISON_H

#include "runtime/emulator/numeric/FloatBits.h"

// min, max, abs, neg, copysign, testp and the comparisons of setp, set and slct
// on f16, bf16, f32 and f64.

namespace tilewright::emulator {

/// The comparisons of PTX ISA 9.3.1: the ordered ones are false if an operand
/// is NaN, the unordered ones (..u) true.
enum class Compare : std::uint8_t {
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan
};

/// The properties of testp (PTX ISA 9.7.3.1).
enum class FloatProperty : std::uint8_t {
  finite,
  infinite,
  number,
  notANumber,
  normal,
  subnormal
};

inline namespace TILEWRIGHT_ISA {

template <Compare C, class T> inline bool compare(T a, T b) {
  auto x = hosted(a), y = hosted(b);
  switch (C) {
  case Compare::eq:
    return x == y;
  case Compare::ne:
    return x < y || x > y;
  case Compare::lt:
    return x < y;
  case Compare::le:
    return x <= y;
  case Compare::gt:
    return x > y;
  case Compare::ge:
    return x >= y;
  case Compare::equ:
    return !(x < y || x > y);
  case Compare::neu:
    return x != y;
  case Compare::ltu:
    return !(x >= y);
  case Compare::leu:
    return !(x > y);
  case Compare::gtu:
    return !(x <= y);
  case Compare::geu:
    return !(x < y);
  case Compare::num:
    return x == x && y == y;
  case Compare::nan:
    return x != x || y != y;
  }
  return false;
}

/// Zeros are normal numbers here.
template <FloatProperty P, class T> inline bool hasProperty(T value) {
  auto magnitude = magnitudeOf(value);
  using Traits = FloatBits<T>;
  switch (P) {
  case FloatProperty::finite:
    return magnitude < Traits::infinity;
  case FloatProperty::infinite:
    return magnitude == Traits::infinity;
  case FloatProperty::number:
    return magnitude <= Traits::infinity;
  case FloatProperty::notANumber:
    return magnitude > Traits::infinity;
  case FloatProperty::normal:
    return magnitude == 0 || (magnitude >= Traits::smallestNormal &&
                              magnitude < Traits::infinity);
  case FloatProperty::subnormal:
    return magnitude != 0 && magnitude < Traits::smallestNormal;
  }
  return false;
}

/// abs (PTX ISA 9.7.3.9, 9.7.4.7). An f64 NaN passes unchanged (CUDA
/// Programming Guide, "Floating-Point Standard"), another becomes canonical.
template <class T> inline T abs(T value) {
  T result = fromBits<T>(magnitudeOf(value));
  if constexpr (sizeof(T) == 8)
    return isNan(value) ? value : result;
  return canonical(result);
}

/// neg (PTX ISA 9.7.3.10, 9.7.4.6), NaN as in abs.
template <class T> inline T neg(T value) {
  T result = fromBits<T>(bitsOf(value) ^ FloatBits<T>::sign);
  if constexpr (sizeof(T) == 8)
    return isNan(value) ? value : result;
  return canonical(result);
}

/// \p value with the sign of \p sign (PTX ISA 9.7.3.2).
template <class T> inline T copySign(T sign, T value) {
  return fromBits<T>(magnitudeOf(value) | (bitsOf(sign) & FloatBits<T>::sign));
}

/// Whether a NaN operand is ignored, or the result is NaN (.NaN).
enum class NanRule : std::uint8_t { ignore, propagate };

/// min (PTX ISA 9.7.3.11): -0 is less than +0. Of two f64 NaNs the second
/// remains (as in ptxas's code for min.f64).
template <NanRule N, class T> inline T min(T a, T b) {
  auto x = hosted(a), y = hosted(b);
  T result = x < y || y != y ? a : b;
  result = x == y ? fromBits<T>(bitsOf(a) | bitsOf(b)) : result;
  if constexpr (N == NanRule::propagate) {
    result = x != x ? a : result;
    result = y != y ? b : result;
  }
  return withNanRule(result, b, a);
}

/// max (PTX ISA 9.7.3.12), likewise.
template <NanRule N, class T> inline T max(T a, T b) {
  auto x = hosted(a), y = hosted(b);
  T result = x > y || y != y ? a : b;
  result = x == y ? fromBits<T>(bitsOf(a) & bitsOf(b)) : result;
  if constexpr (N == NanRule::propagate) {
    result = x != x ? a : result;
    result = y != y ? b : result;
  }
  return withNanRule(result, b, a);
}

/// min.xorsign.abs and max.xorsign.abs: the lesser or greater magnitude, with
/// the product of the signs; NaN without it.
template <class T> inline T withXorSign(T magnitude, T a, T b) {
  auto sign = (bitsOf(a) ^ bitsOf(b)) & FloatBits<T>::sign;
  return isNan(magnitude) ? magnitude : fromBits<T>(bitsOf(magnitude) | sign);
}
template <NanRule N, class T> inline T minXorSignAbs(T a, T b) {
  return withXorSign(min<N>(abs(a), abs(b)), a, b);
}
template <NanRule N, class T> inline T maxXorSignAbs(T a, T b) {
  return withXorSign(max<N>(abs(a), abs(b)), a, b);
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_COMPARISON_H
