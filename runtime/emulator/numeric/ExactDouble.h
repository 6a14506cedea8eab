#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_EXACTDOUBLE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_EXACTDOUBLE_H

#include "runtime/emulator/numeric/FloatBits.h"

// Arithmetic of f64 in integers, rounded once in any mode. For the modes that
// the host does not run in; not fast.

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

__extension__ typedef unsigned __int128 UInt128;

/// (negative ? -1 : 1) * significand * 2^exponent. The lowest bit of the
/// significand may represent any non-zero rest below it ("sticky") where enough
/// bits are above it that no rounding sees the difference.
struct ExactNumber {
  bool negative;
  int exponent;
  UInt128 significand;
};

/// A finite \p value.
inline ExactNumber exactNumber(double value) {
  std::uint64_t bits = bitsOf(value);
  int field = (bits >> 52) & 0x7FF;
  std::uint64_t fraction = bits & 0xFFFFFFFFFFFFF;
  if (field != 0)
    fraction |= 0x10000000000000;
  return {bits >> 63 != 0, (field ? field : 1) - 1075, fraction};
}

/// The number of zero bits above the highest set one of \p value (not 0).
inline int leadingZeros(UInt128 value) {
  std::uint64_t high = static_cast<std::uint64_t>(value >> 64);
  return high ? __builtin_clzll(high)
              : 64 + __builtin_clzll(static_cast<std::uint64_t>(value));
}

/// \p value >> \p shift (0 or more), with the lost bits made sticky.
inline UInt128 stickyShift(UInt128 value, int shift) {
  if (shift == 0)
    return value;
  if (shift > 127)
    return value != 0;
  UInt128 kept = value >> shift;
  return kept | (kept << shift != value);
}

/// Whether a magnitude is rounded up from its quotient, from the highest lost
/// bit and whether any lower bit is set.
template <Rounding R>
inline bool roundsUp(bool negative, bool odd, bool half, bool below) {
  if constexpr (R == Rounding::nearestEven)
    return half && (below || odd);
  if constexpr (R == Rounding::nearestAway)
    return half;
  if constexpr (R == Rounding::down)
    return negative && (half || below);
  if constexpr (R == Rounding::up)
    return !negative && (half || below);
  return false;
}

/// \p number as a double, rounded once.
template <Rounding R> inline double rounded(ExactNumber number) {
  std::uint64_t sign = std::uint64_t{number.negative} << 63;
  if (number.significand == 0)
    return fromBits<double>(sign);
  // The last place of the result: 53 bits, but not below 2^-1074.
  int top = 127 - leadingZeros(number.significand) + number.exponent;
  int last = top - 52 > -1074 ? top - 52 : -1074;
  int shift = last - number.exponent;
  std::uint64_t quotient;
  if (shift <= 0) {
    quotient = static_cast<std::uint64_t>(number.significand << -shift);
  } else {
    // Two bits more than the result: half of the last place, and the rest.
    UInt128 wide = shift > 1 ? stickyShift(number.significand, shift - 2)
                             : number.significand << 1;
    quotient = static_cast<std::uint64_t>(wide >> 2);
    quotient +=
        roundsUp<R>(number.negative, quotient & 1, wide >> 1 & 1, wide & 1);
  }
  if (last > 971) // beyond 2^1024
    return fromBits<double>(
        sign |
        (0x7FEFFFFFFFFFFFFF + roundsUp<R>(number.negative, true, true, true)));
  // The leading bit of a normal number adds one to the exponent's field; so
  // does a carry. 0x7FEFFFFFFFFFFFFF and a carry is infinity.
  std::uint64_t field = static_cast<std::uint64_t>(last + 1074) << 52;
  return fromBits<double>(sign | (field + quotient));
}

/// The same number (not 0, at most 126 bits) with its highest bit at 125.
inline ExactNumber aligned(ExactNumber number) {
  int shift = leadingZeros(number.significand) - 2;
  return {number.negative, number.exponent - shift,
          number.significand << shift};
}

/// a + b, exact up to a sticky bit. Each has at most 106 bits. An exact zero of
/// operands of different signs is negative where R is down (IEEE 754 6.3).
template <Rounding R>
inline ExactNumber exactSum(ExactNumber a, ExactNumber b) {
  if (a.significand == 0 && b.significand == 0) {
    bool negative = R == Rounding::down ? a.negative || b.negative
                                        : a.negative && b.negative;
    return {negative, 0, 0};
  }
  if (a.significand == 0)
    return b;
  if (b.significand == 0)
    return a;
  // The larger exponent first.
  a = aligned(a);
  b = aligned(b);
  if (a.exponent < b.exponent) {
    ExactNumber swap = a;
    a = b;
    b = swap;
  }
  b.significand = stickyShift(b.significand, a.exponent - b.exponent);
  if (a.negative == b.negative)
    return {a.negative, a.exponent, a.significand + b.significand};
  if (a.significand == b.significand)
    return {R == Rounding::down, 0, 0};
  if (a.significand > b.significand)
    return {a.negative, a.exponent, a.significand - b.significand};
  return {b.negative, a.exponent, b.significand - a.significand};
}

inline ExactNumber exactProduct(ExactNumber a, ExactNumber b) {
  return {a.negative != b.negative, a.exponent + b.exponent,
          a.significand * b.significand};
}

/// a / b for b not 0.
inline ExactNumber exactQuotient(ExactNumber a, ExactNumber b) {
  bool negative = a.negative != b.negative;
  if (a.significand == 0)
    return {negative, 0, 0};
  // 128 bits by at most 53: a quotient of at least 74 bits.
  int shift = leadingZeros(a.significand);
  UInt128 dividend = a.significand << shift;
  UInt128 quotient = dividend / b.significand;
  bool exact = quotient * b.significand == dividend;
  return {negative, a.exponent - shift - b.exponent, quotient | !exact};
}

/// The square root of \p value (positive, finite), whose nearest double is
/// \p nearest.
template <Rounding R> inline double exactRoot(double value, double nearest) {
  ExactNumber square = exactProduct(exactNumber(nearest), exactNumber(nearest));
  square.negative = true;
  ExactNumber error = exactSum<R>(exactNumber(value), square);
  if (error.significand == 0)
    return nearest;
  std::uint64_t bits = bitsOf(nearest);
  if (R == Rounding::up)
    return fromBits<double>(bits + !error.negative);
  return fromBits<double>(bits - error.negative);
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_EXACTDOUBLE_H
