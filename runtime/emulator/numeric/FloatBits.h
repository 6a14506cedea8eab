#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_FLOATBITS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_FLOATBITS_H

#include "runtime/emulator/numeric/Formats.h"

namespace tilewright::emulator {

/// The bits of the formats that PTX calculates in: f16, bf16, f32, f64.
template <class T> struct FloatBits;
template <> struct FloatBits<float> {
  using Bits = std::uint32_t;
  static constexpr Bits sign = 0x80000000;
  static constexpr Bits infinity = 0x7F800000;
  static constexpr Bits smallestNormal = 0x00800000;
  static constexpr Bits one = 0x3F800000;
  /// PTX does not define the NaN of f32 (PTX ISA 9.7.3); this is the
  /// hardware's.
  static constexpr Bits nan = 0x7FFFFFFF;
};
template <> struct FloatBits<double> {
  using Bits = std::uint64_t;
  static constexpr Bits sign = 0x8000000000000000;
  static constexpr Bits infinity = 0x7FF0000000000000;
  static constexpr Bits smallestNormal = 0x0010000000000000;
  static constexpr Bits one = 0x3FF0000000000000;
  /// The NaN of an invalid operation without a NaN operand: PTX does not say;
  /// this is CUDART_NAN of CUDA's math_constants.h.
  static constexpr Bits nan = 0xFFF8000000000000;
  static constexpr Bits quiet = 0x0008000000000000;
};
template <> struct FloatBits<Half> {
  using Bits = std::uint16_t;
  static constexpr Bits sign = 0x8000;
  static constexpr Bits infinity = 0x7C00;
  static constexpr Bits smallestNormal = 0x0400;
  static constexpr Bits one = 0x3C00;
  static constexpr Bits nan = 0x7FFF;
};
template <> struct FloatBits<BFloat> {
  using Bits = std::uint16_t;
  static constexpr Bits sign = 0x8000;
  static constexpr Bits infinity = 0x7F80;
  static constexpr Bits smallestNormal = 0x0080;
  static constexpr Bits one = 0x3F80;
  static constexpr Bits nan = 0x7FFF;
};

inline namespace TILEWRIGHT_ISA {

/// \p value in a type that the host compares and calculates in.
inline float hosted(float value) { return value; }
inline double hosted(double value) { return value; }
inline float hosted(Half value) { return widen(value); }
inline float hosted(BFloat value) { return widen(value); }

template <class T> inline typename FloatBits<T>::Bits bitsOf(T value) {
  return bitCast<typename FloatBits<T>::Bits>(value);
}
template <class T> inline T fromBits(typename FloatBits<T>::Bits bits) {
  return bitCast<T>(bits);
}
/// The bits without the sign.
template <class T> inline typename FloatBits<T>::Bits magnitudeOf(T value) {
  return bitsOf(value) &
         static_cast<typename FloatBits<T>::Bits>(~FloatBits<T>::sign);
}

template <class T> inline bool isNan(T value) {
  return magnitudeOf(value) > FloatBits<T>::infinity;
}
template <> inline bool isNan(float value) { return value != value; }
template <> inline bool isNan(double value) { return value != value; }

/// \p value, or the canonical NaN of T if it is any NaN.
template <class T> inline T canonical(T value) {
  return isNan(value) ? fromBits<T>(FloatBits<T>::nan) : value;
}

/// The NaN result of an f64 operation with the NaN operand \p value: payloads
/// are kept (PTX ISA 9.7.3), a signalling NaN becomes quiet.
inline double quieted(double value) {
  return fromBits<double>(bitsOf(value) | FloatBits<double>::quiet);
}

/// Whether the square root of \p value is NaN, computed from the bits:
/// compilers assume that the root's NaN is the canonical one.
template <class T> inline bool hasNoRoot(T value) {
  constexpr auto negativeZero = FloatBits<T>::sign;
  auto bits = bitsOf(value);
  return bits > FloatBits<T>::infinity && bits != negativeZero;
}

/// \p result of an operation on \p operands with T's rule for NaNs: f64 keeps
/// the payload of the first NaN operand (PTX does not say of which), the other
/// formats return their canonical NaN.
template <class T, class... Operands>
inline T withNanRule(T result, Operands... operands) {
  if constexpr (sizeof(T) == 8) {
    T nan = fromBits<T>(FloatBits<T>::nan);
    T list[] = {operands...};
    for (int i = sizeof...(Operands) - 1; i >= 0; --i)
      nan = isNan(list[i]) ? quieted(list[i]) : nan;
    return isNan(result) ? nan : result;
  } else {
    return canonical(result);
  }
}

/// .ftz: a subnormal number becomes the zero of its sign.
template <class T> inline T flushed(T value) {
  typename FloatBits<T>::Bits bits = bitsOf(value);
  bool subnormal = magnitudeOf(value) < FloatBits<T>::smallestNormal;
  return fromBits<T>(subnormal ? bits & FloatBits<T>::sign : bits);
}

/// .sat: the nearest number of [0, 1]; NaN and -0 become +0.
template <class T> inline T saturated(T value) {
  auto number = hosted(value);
  // False for NaN, for negative numbers and for both zeros.
  T atLeastZero = number > 0 ? value : fromBits<T>(0);
  return number > 1 ? fromBits<T>(FloatBits<T>::one) : atLeastZero;
}

/// .relu: a negative number becomes +0 (so does -0), NaN the canonical NaN.
template <class T> inline T relu(T value) {
  bool negative = bitsOf(value) & FloatBits<T>::sign;
  T result = negative ? fromBits<T>(0) : value;
  return isNan(value) ? fromBits<T>(FloatBits<T>::nan) : result;
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_FLOATBITS_H
