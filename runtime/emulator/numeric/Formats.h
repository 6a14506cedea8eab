#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_FORMATS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_FORMATS_H

#include "runtime/emulator/numeric/Isa.h"
#include "runtime/emulator/numeric/Rounding.h"

#include <cstdint>

namespace tilewright::emulator {

/// The floating-point formats that are narrower than float, as bits (PTX ISA
/// 5.2.3, "Alternate Floating-Point Data Formats"). A number of less than eight
/// bits is in the low bits, the others are zero.
struct Half { // f16
  std::uint16_t bits;
};
struct BFloat { // bf16
  std::uint16_t bits;
};
struct TF32 { // tf32: a float whose low 13 bits are zero
  std::uint32_t bits;
};
struct E4M3 {
  std::uint8_t bits;
};
struct E5M2 {
  std::uint8_t bits;
};
struct E2M3 {
  std::uint8_t bits;
};
struct E3M2 {
  std::uint8_t bits;
};
struct E2M1 {
  std::uint8_t bits;
};
struct UE8M0 { // 2^(bits - 127), 255 is NaN
  std::uint8_t bits;
};

/// How the magnitude (the bits without the sign) of a signed format is read.
struct Layout {
  int exponentBits;
  int mantissaBits;
  int bias;
  /// The magnitude of the largest finite number.
  std::uint32_t largest;
  /// The magnitude of infinity, 0 if the format has none.
  std::uint32_t infinity;
  /// The magnitude of the canonical NaN, 0 if the format has none.
  std::uint32_t nan;
};

template <class F> inline constexpr Layout layoutOf = {};
template <>
inline constexpr Layout layoutOf<Half> = {5, 10, 15, 0x7BFF, 0x7C00, 0x7FFF};
template <>
inline constexpr Layout layoutOf<BFloat> = {8, 7, 127, 0x7F7F, 0x7F80, 0x7FFF};
template <>
inline constexpr Layout layoutOf<TF32> = {8,       10,      127,
                                          0x3FBFF, 0x3FC00, 0x3FFFF};
template <> inline constexpr Layout layoutOf<E4M3> = {4, 3, 7, 0x7E, 0, 0x7F};
template <>
inline constexpr Layout layoutOf<E5M2> = {5, 2, 15, 0x7B, 0x7C, 0x7F};
template <> inline constexpr Layout layoutOf<E2M3> = {2, 3, 1, 0x1F, 0, 0};
template <> inline constexpr Layout layoutOf<E3M2> = {3, 2, 3, 0x1F, 0, 0};
template <> inline constexpr Layout layoutOf<E2M1> = {2, 1, 1, 0x7, 0, 0};

/// What becomes of a number beyond the largest of the format: infinity as the
/// rounding mode has it, or the largest finite number (.satfinite).
enum class Overflow : std::uint8_t { infinite, finite };

inline namespace TILEWRIGHT_ISA {

inline constexpr std::uint32_t canonicalNanBits32 = 0x7FFFFFFF;

/// Exact; a NaN becomes the canonical NaN of float.
template <class F> inline float widen(F value) {
  constexpr Layout layout = layoutOf<F>;
  static_assert(layout.mantissaBits > 0, "not a signed format");
  constexpr int signPosition = layout.exponentBits + layout.mantissaBits;
  constexpr int dropped = 23 - layout.mantissaBits;
  // TF32 is at the top of its register.
  constexpr int unused = sizeof(F) == 4 ? dropped : 0;
  std::uint32_t code = std::uint32_t{value.bits} >> unused;
  std::uint32_t sign = (code >> signPosition) << 31;
  std::uint32_t magnitude = code & ((1u << signPosition) - 1);
  std::uint32_t bits = magnitude << dropped;
  if constexpr (layout.exponentBits < 8) {
    // The product with a power of two is exact, subnormals included.
    constexpr std::uint32_t scale = (254u - layout.bias) << 23;
    bits = bitCast<std::uint32_t>(bitCast<float>(bits) * bitCast<float>(scale));
    if constexpr (layout.infinity != 0)
      bits = magnitude == layout.infinity ? 0x7F800000u : bits;
  }
  bits |= sign;
  if constexpr (layout.nan != 0) {
    constexpr std::uint32_t firstNan =
        layout.infinity ? layout.infinity + 1 : layout.nan;
    bits = magnitude >= firstNan ? canonicalNanBits32 : bits;
  }
  return bitCast<float>(bits);
}

/// A bf16 NaN keeps its payload: PTX does not define it (PTX ISA 9.7.9.21), and
/// ptxas implements this conversion as a shift.
template <> inline float widen<BFloat>(BFloat value) {
  return bitCast<float>(std::uint32_t{value.bits} << 16);
}

/// 2^(bits - 127), exact (2^-127 is a subnormal float); 255 is NaN.
template <> inline float widen<UE8M0>(UE8M0 value) {
  std::uint32_t bits = std::uint32_t{value.bits} << 23;
  bits = value.bits == 0 ? 0x00400000u : bits;
  bits = value.bits == 255 ? canonicalNanBits32 : bits;
  return bitCast<float>(bits);
}

/// \p value without its low \p shift bits (1 to 31), rounded by R as the
/// magnitude of a number of the sign \p negative.
template <Rounding R>
inline std::uint32_t roundedShift(std::uint32_t value, std::uint32_t shift,
                                  bool negative) {
  std::uint32_t quotient = value >> shift;
  std::uint32_t rest = value & ((1u << shift) - 1);
  std::uint32_t half = 1u << (shift - 1);
  if constexpr (R == Rounding::nearestEven)
    return quotient + (rest + (quotient & 1) > half);
  if constexpr (R == Rounding::nearestAway)
    return quotient + (rest >= half);
  if constexpr (R == Rounding::down)
    return quotient + (negative & (rest != 0));
  if constexpr (R == Rounding::up)
    return quotient + (!negative & (rest != 0));
  return quotient;
}

/// The magnitude in F of the float of magnitude \p magnitude (no NaN), not yet
/// clamped to F's largest.
template <class F, Rounding R>
inline std::uint32_t narrowedMagnitude(std::uint32_t magnitude, bool negative) {
  constexpr Layout layout = layoutOf<F>;
  constexpr std::uint32_t dropped = 23 - layout.mantissaBits;
  if constexpr (layout.exponentBits == 8)
    return roundedShift<R>(magnitude, dropped, negative);
  // Float's exponent field of the smallest normal number of F.
  constexpr std::uint32_t smallest = 128 - layout.bias;
  std::uint32_t exponent = magnitude >> 23;
  // Below it the significand shifts right under a fixed exponent. A subnormal
  // float, read here with a leading one, is too small for that to matter.
  std::uint32_t significand = (magnitude & 0x7FFFFF) | 0x800000;
  significand = magnitude == 0 ? 0 : significand;
  std::uint32_t shift = dropped + smallest - exponent;
  shift = shift > 31 ? 31 : shift;
  bool normal = exponent >= smallest;
  std::uint32_t value =
      normal ? magnitude - ((smallest - 1) << 23) : significand;
  return roundedShift<R>(value, normal ? dropped : shift, negative);
}

// Where Clang has instructions for _Float16, it uses them in vector code too.
#if defined(__clang__) && defined(__F16C__)
#define TILEWRIGHT_HALF_INSTRUCTIONS
#endif

/// \p value in the format F: cvt.{rn,rz,rm,rp,rna}{.satfinite} of PTX ISA
/// 9.7.9.21, one rounding. NaN becomes the canonical NaN of F, or F's largest
/// number where it has no NaN.
template <class F, Rounding R = Rounding::nearestEven,
          Overflow O = Overflow::infinite>
inline F narrow(float value) {
  constexpr Layout layout = layoutOf<F>;
  static_assert(layout.mantissaBits > 0, "not a signed format");
  static_assert(layout.infinity != 0 || O == Overflow::finite,
                "a format without infinity needs Overflow::finite");
#ifdef TILEWRIGHT_HALF_INSTRUCTIONS
  if constexpr (layout.exponentBits == 5 && layout.mantissaBits == 10 &&
                R == Rounding::nearestEven && O == Overflow::infinite) {
    auto nearest = bitCast<std::uint16_t>(static_cast<_Float16>(value));
    return F{value == value ? nearest : std::uint16_t{0x7FFF}};
  }
#endif
  std::uint32_t bits = bitCast<std::uint32_t>(value);
  std::uint32_t magnitude = bits & 0x7FFFFFFF;
  bool negative = bits >> 31;
  std::uint32_t code = narrowedMagnitude<F, R>(magnitude, negative);
  std::uint32_t beyond = layout.largest;
  if constexpr (O == Overflow::infinite) {
    bool away = R == Rounding::nearestEven || R == Rounding::nearestAway ||
                (R == Rounding::down && negative) ||
                (R == Rounding::up && !negative) || magnitude == 0x7F800000;
    beyond = away ? layout.infinity : layout.largest;
  }
  code = code > layout.largest ? beyond : code;
  code |= std::uint32_t{negative}
          << (layout.exponentBits + layout.mantissaBits);
  constexpr std::uint32_t nan = layout.nan ? layout.nan : layout.largest;
  code = magnitude > 0x7F800000 ? nan : code;
  if constexpr (sizeof(F) == 4)
    code <<= 23 - layout.mantissaBits;
  return F{static_cast<decltype(F::bits)>(code)};
}

/// The magnitude of \p value as a power of two, rounded up (R is up) or toward
/// zero, at least 2^-127: cvt.{rz,rp}{.satfinite}.ue8m0x2 of PTX ISA
/// 9.7.9.21. NaN stays NaN; so does what is beyond 2^127 without .satfinite.
template <Rounding R, Overflow O> inline UE8M0 narrowToScale(float value) {
  static_assert(R == Rounding::towardZero || R == Rounding::up,
                "ue8m0 is rounded toward zero or up only");
  std::uint32_t magnitude = bitCast<std::uint32_t>(value) & 0x7FFFFFFF;
  std::uint32_t code = magnitude >> 23;
  if constexpr (R == Rounding::up) {
    // 2^-127 itself is the subnormal float 0x00400000.
    bool exact = (magnitude & 0x7FFFFF) == 0 || magnitude <= 0x00400000;
    code += !exact;
  }
  if constexpr (O == Overflow::finite)
    code = code > 254 ? 254 : code;
  code = magnitude > 0x7F800000 ? 255 : code;
  return UE8M0{static_cast<std::uint8_t>(code)};
}

/// The float next to \p value toward zero if it is not exact, with the last
/// bit set in that case ("round to odd"): narrowing the result rounds as
/// narrowing \p value would. NaN stays NaN.
inline float roundedToOdd(double value) {
  float nearest = static_cast<float>(value);
  double back = nearest;
  std::uint32_t bits = bitCast<std::uint32_t>(nearest);
  double magnitude = __builtin_fabs(value);
  // The magnitude of the nearest float is lowered to the one toward zero.
  bits -= __builtin_fabs(back) > magnitude;
  bits |= bitCast<float>(bits & 0x7FFFFFFF) < magnitude;
  return bitCast<float>(bits);
}

template <class F, Rounding R = Rounding::nearestEven,
          Overflow O = Overflow::infinite>
inline F narrow(double value) {
  static_assert(layoutOf<F>.mantissaBits <= 10);
  return narrow<F, R, O>(roundedToOdd(value));
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_FORMATS_H
