#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_CONVERSION_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_CONVERSION_H

#include "runtime/emulator/numeric/Arithmetic.h"

#include <limits>
#include <type_traits>

// cvt between integers, f16, bf16, f32 and f64 (PTX ISA 9.7.9.21); the narrower
// formats are Formats.h's. Modifiers are separate functions: .ftz flushes an
// f32 operand and an f32 result, .sat is `saturated` for a float result.

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// \p value rounded to an integer, in float or double: .rni, .rzi, .rmi, .rpi.
/// Zeros keep the sign of \p value; NaN stays some NaN.
template <Rounding R, class Host> inline Host integral(Host value) {
  static_assert(R != Rounding::nearestAway);
  // From here on every number is an integer. Added to a lesser magnitude, it
  // leaves no bits for the fraction.
  constexpr Host allIntegral = sizeof(Host) == 8 ? 0x1p52 : 0x1p23;
  Host magnitude = fromBits<Host>(magnitudeOf(value));
  Host nearest = (magnitude + allIntegral) - allIntegral;
  bool negative = bitsOf(value) & FloatBits<Host>::sign;
  Host result = nearest;
  if constexpr (R != Rounding::nearestEven) {
    Host floor = nearest > magnitude ? nearest - 1 : nearest;
    Host ceiling = nearest < magnitude ? nearest + 1 : nearest;
    if constexpr (R == Rounding::towardZero)
      result = floor;
    if constexpr (R == Rounding::down)
      result = negative ? ceiling : floor;
    if constexpr (R == Rounding::up)
      result = negative ? floor : ceiling;
  }
  result = magnitude < allIntegral ? result : magnitude;
  return fromBits<Host>(bitsOf(result) |
                        (bitsOf(value) & FloatBits<Host>::sign));
}

/// cvt.{rni,rzi,rmi,rpi} within a type of floats.
template <Rounding R, class T> inline T roundedToIntegral(T value) {
  if constexpr (sizeof(T) == 2)
    return narrow<T>(integral<R>(widen(value)));
  else
    return withNanRule(integral<R>(value), value);
}

/// cvt from float to integer: rounded, then clamped to I. NaN becomes 0, but 1
/// << (width - 1) if the source is f64 or I has 64 bits.
template <class I, Rounding R, class T> inline I toInteger(T value) {
  using Host = decltype(hosted(value));
  constexpr I smallest = std::numeric_limits<I>::min();
  constexpr I largest = std::numeric_limits<I>::max();
  Host number = integral<R>(hosted(value));
  // Both are powers of two or 0, so exact in Host.
  constexpr Host lowest = static_cast<Host>(smallest);
  constexpr Host beyond = static_cast<Host>(largest / 2 + 1) * 2;
  bool inside = number >= lowest && number < beyond;
  I converted = static_cast<I>(inside ? number : Host{0});
  I clamped = number < lowest ? smallest : largest;
  I result = inside ? converted : clamped;
  constexpr bool wide = sizeof(T) == 8 || sizeof(I) == 8;
  constexpr auto nan = static_cast<std::make_unsigned_t<I>>(
      wide ? std::uint64_t{1} << (8 * sizeof(I) - 1) : 0);
  return number != number ? static_cast<I>(nan) : result;
}

/// sum + error, of which sum is the nearest double, rounded to double. Both are
/// integers or the error is 0.
template <Rounding R> inline double roundedSum(ErrorFreeSum<double> pair) {
  std::uint64_t bits = bitsOf(pair.sum);
  bool negative = bits >> 63;
  bool inward = negative ? pair.error > 0 : pair.error < 0;
  bool outward = negative ? pair.error < 0 : pair.error > 0;
  if constexpr (R == Rounding::towardZero)
    bits -= inward;
  if constexpr (R == Rounding::down)
    bits = negative ? bits + outward : bits - inward;
  if constexpr (R == Rounding::up)
    bits = negative ? bits - inward : bits + outward;
  return fromBits<double>(bits);
}

/// The parts of a 64-bit integer above and below bit 32, exact; their sum is
/// the integer.
template <class I> inline ErrorFreeSum<double> halvesOf(I value) {
  using High =
      std::conditional_t<std::is_signed_v<I>, std::int32_t, std::uint32_t>;
  High high = static_cast<High>(value >> 32);
  std::uint32_t low = static_cast<std::uint32_t>(value);
  return {static_cast<double>(high) * 0x1p32, static_cast<double>(low)};
}

/// cvt from integer to float, rounded once.
template <class T, Rounding R, class I> inline T fromInteger(I value) {
  static_assert(R != Rounding::nearestAway);
  if constexpr (sizeof(I) == 8) {
    ErrorFreeSum<double> halves = halvesOf(value);
    if constexpr (sizeof(T) == 8)
      return roundedSum<R>(twoSum(halves.sum, halves.error));
    double odd = sumToOdd(halves.sum, halves.error);
    if constexpr (sizeof(T) == 4)
      return roundedToFloat<R>(odd);
    if constexpr (sizeof(T) == 2)
      return narrow<T, R>(odd);
  } else {
    double exact = static_cast<double>(value);
    if constexpr (sizeof(T) == 8)
      return exact;
    if constexpr (sizeof(T) == 4)
      return roundedToFloat<R>(exact);
    if constexpr (sizeof(T) == 2)
      return narrow<T, R>(exact);
  }
}

/// cvt between types of floats; R counts where precision is lost. A NaN becomes
/// the canonical NaN of To, but f64, and f32 of bf16, take over a payload.
template <class To, Rounding R, class From> inline To convert(From value) {
  if constexpr (sizeof(To) == 8) {
    if constexpr (sizeof(From) == 8)
      return value;
    else
      return static_cast<double>(hosted(value));
  } else if constexpr (sizeof(To) == 4) {
    if constexpr (sizeof(From) == 8)
      return canonical(roundedToFloat<R>(value));
    else if constexpr (sizeof(From) == 4)
      return canonical(value);
    else
      return widen(value);
  } else {
    return narrow<To, R>(hosted(value));
  }
}

/// cvt between integers: the low bits, extended by the sign of the source.
template <class To, class From> inline To convertInteger(From value) {
  return static_cast<To>(value);
}

/// cvt.sat between integers: the nearest number of To.
template <class To, class From> inline To saturatedInteger(From value) {
  constexpr To smallest = std::numeric_limits<To>::min();
  constexpr To largest = std::numeric_limits<To>::max();
  // Each bound is only checked where From exceeds it.
  if constexpr (std::is_signed_v<From> &&
                (!std::is_signed_v<To> || sizeof(From) > sizeof(To)))
    if (value < static_cast<From>(smallest))
      return smallest;
  constexpr int fromBits = 8 * sizeof(From) - std::is_signed_v<From>;
  constexpr int toBits = 8 * sizeof(To) - std::is_signed_v<To>;
  if constexpr (fromBits > toBits)
    if (value > static_cast<From>(largest))
      return largest;
  return static_cast<To>(value);
}

/// The packed forms: the element of operand a is above that of operand b
/// (f16x2, bf16x2, e4m3x2, ...; e2m1x2 shares a byte).
template <class F> inline auto pack(F upper, F lower) {
  if constexpr (sizeof(F) == 2)
    return std::uint32_t{upper.bits} << 16 | lower.bits;
  else if constexpr (std::is_same_v<F, E2M1>)
    return static_cast<std::uint8_t>(upper.bits << 4 | lower.bits);
  else
    return static_cast<std::uint16_t>(upper.bits << 8 | lower.bits);
}
template <class F> inline F upperOf(std::uint32_t packed) {
  if constexpr (sizeof(F) == 2)
    return F{static_cast<std::uint16_t>(packed >> 16)};
  else if constexpr (std::is_same_v<F, E2M1>)
    return F{static_cast<std::uint8_t>(packed >> 4 & 0xF)};
  else
    return F{static_cast<std::uint8_t>(packed >> 8)};
}
template <class F> inline F lowerOf(std::uint32_t packed) {
  if constexpr (sizeof(F) == 2)
    return F{static_cast<std::uint16_t>(packed)};
  else if constexpr (std::is_same_v<F, E2M1>)
    return F{static_cast<std::uint8_t>(packed & 0xF)};
  else
    return F{static_cast<std::uint8_t>(packed)};
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_CONVERSION_H
