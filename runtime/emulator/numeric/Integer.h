#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_INTEGER_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_INTEGER_H

#include "runtime/emulator/numeric/Isa.h"

#include <cstdint>
#include <type_traits>

// Integer arithmetic (PTX ISA 9.7.1 and 9.7.2). T is the instruction's type, a
// signed or unsigned integer of 16, 32 or 64 bits. All wraps.

namespace tilewright::emulator {

/// An integer of twice the width of T, of the same signedness.
template <class T> struct WiderInteger;
template <> struct WiderInteger<std::int16_t> {
  using Type = std::int32_t;
};
template <> struct WiderInteger<std::uint16_t> {
  using Type = std::uint32_t;
};
template <> struct WiderInteger<std::int32_t> {
  using Type = std::int64_t;
};
template <> struct WiderInteger<std::uint32_t> {
  using Type = std::uint64_t;
};
template <> struct WiderInteger<std::int64_t> {
  __extension__ typedef __int128 Type;
};
template <> struct WiderInteger<std::uint64_t> {
  __extension__ typedef unsigned __int128 Type;
};
template <class T> using Wider = typename WiderInteger<T>::Type;

/// A result and its carry (of a subtraction: the borrow) in CC.CF.
template <class T> struct Carried {
  T value;
  bool carry;
};

inline namespace TILEWRIGHT_ISA {

template <class T> inline constexpr int widthOf = 8 * sizeof(T);

/// \p value as an unsigned integer in which arithmetic wraps: at least as wide
/// as int, so that nothing is promoted to a signed type.
template <class T> inline auto wrapping(T value) {
  if constexpr (sizeof(T) < 4)
    return static_cast<std::uint32_t>(value);
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

template <class T> inline T addWrapped(T a, T b) {
  return static_cast<T>(wrapping(a) + wrapping(b));
}
template <class T> inline T subWrapped(T a, T b) {
  return static_cast<T>(wrapping(a) - wrapping(b));
}
/// mul.lo
template <class T> inline T mulLo(T a, T b) {
  return static_cast<T>(wrapping(a) * wrapping(b));
}
/// mul.wide; T has 16 or 32 bits.
template <class T> inline Wider<T> mulWide(T a, T b) {
  return Wider<T>{a} * Wider<T>{b};
}
/// mul.hi
template <class T> inline T mulHi(T a, T b) {
  return static_cast<T>((Wider<T>{a} * Wider<T>{b}) >> widthOf<T>);
}

/// \p value held to the range of s32 (.sat).
inline std::int32_t saturatedToS32(std::int64_t value) {
  value = value < INT32_MIN ? INT32_MIN : value;
  return static_cast<std::int32_t>(value > INT32_MAX ? INT32_MAX : value);
}
/// add.sat.s32, sub.sat.s32, mad.hi.sat.s32
inline std::int32_t addSaturated(std::int32_t a, std::int32_t b) {
  return saturatedToS32(std::int64_t{a} + b);
}
inline std::int32_t subSaturated(std::int32_t a, std::int32_t b) {
  return saturatedToS32(std::int64_t{a} - b);
}
inline std::int32_t madHiSaturated(std::int32_t a, std::int32_t b,
                                   std::int32_t c) {
  return addSaturated(mulHi(a, b), c);
}

/// The low 24 bits of \p value as an integer of T's signedness.
template <class T> inline std::int64_t low24(T value) {
  static_assert(sizeof(T) == 4);
  if constexpr (std::is_signed_v<T>)
    return static_cast<std::int32_t>(wrapping(value) << 8) >> 8;
  return value & 0xFFFFFF;
}
/// mul24.lo: bits 0 to 31 of the product of the low 24 bits; .hi: bits 16 to
/// 47.
template <class T> inline T mul24Lo(T a, T b) {
  return static_cast<T>(low24(a) * low24(b));
}
template <class T> inline T mul24Hi(T a, T b) {
  return static_cast<T>((low24(a) * low24(b)) >> 16);
}
/// mad24.hi.sat.s32
inline std::int32_t mad24HiSaturated(std::int32_t a, std::int32_t b,
                                     std::int32_t c) {
  return addSaturated(mul24Hi(a, b), c);
}

/// sad: c + |a - b|
template <class T> inline T sad(T a, T b, T c) {
  T difference = a < b ? subWrapped(b, a) : subWrapped(a, b);
  return addWrapped(c, difference);
}

/// div. Where PTX is undefined: a quotient by zero has all bits set (as in
/// ptxas's code for 32 and 64 bits), MIN / -1 is MIN.
template <class T> inline T divide(T a, T b) {
  if (b == 0)
    return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1)
      return subWrapped(T{0}, a);
  return static_cast<T>(a / b);
}

/// rem. Where PTX is undefined: the remainder has the sign of \p a, by zero it
/// has all bits set (as in ptxas's code), of MIN by -1 it is 0.
template <class T> inline T remainder(T a, T b) {
  if (b == 0)
    return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1)
      return 0;
  return static_cast<T>(a % b);
}

/// abs and neg of MIN are MIN.
template <class T> inline T absWrapped(T a) {
  return a < 0 ? subWrapped(T{0}, a) : a;
}
template <class T> inline T negWrapped(T a) { return subWrapped(T{0}, a); }

template <class T> inline T minInteger(T a, T b) { return b < a ? b : a; }
template <class T> inline T maxInteger(T a, T b) { return a < b ? b : a; }

/// a + b + carry: add.cc, addc, addc.cc
template <class T> inline Carried<T> addCarry(T a, T b, bool carry) {
  using Bits = std::make_unsigned_t<T>;
  Bits sum = static_cast<Bits>(wrapping(a) + wrapping(b));
  Bits total = static_cast<Bits>(sum + carry);
  return {static_cast<T>(total), sum < static_cast<Bits>(a) || total < sum};
}
/// a - b - borrow: sub.cc, subc, subc.cc
template <class T> inline Carried<T> subBorrow(T a, T b, bool borrow) {
  using Bits = std::make_unsigned_t<T>;
  Bits difference = static_cast<Bits>(wrapping(a) - wrapping(b));
  Bits total = static_cast<Bits>(difference - borrow);
  return {static_cast<T>(total),
          static_cast<Bits>(a) < static_cast<Bits>(b) || difference < borrow};
}
/// mad.lo.cc, madc.lo, madc.lo.cc, and .hi; the carry is that of the addition.
template <class T> inline Carried<T> madLoCarry(T a, T b, T c, bool carry) {
  return addCarry(mulLo(a, b), c, carry);
}
template <class T> inline Carried<T> madHiCarry(T a, T b, T c, bool carry) {
  return addCarry(mulHi(a, b), c, carry);
}

/// Byte or half word \p index of \p word, by the signedness of the type T.
template <class T>
inline std::int32_t elementOf(std::uint32_t word, int index) {
  return static_cast<T>(word >> (index * widthOf<T>));
}

/// dp4a.atype.btype: A and B are std::int8_t or std::uint8_t.
template <class A, class B>
inline std::uint32_t dp4a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (int i = 0; i < 4; ++i)
    c += static_cast<std::uint32_t>(elementOf<A>(a, i) * elementOf<B>(b, i));
  return c;
}
/// dp2a.{lo,hi}.atype.btype: A is std::int16_t or std::uint16_t, B as in dp4a.
template <bool High, class A, class B>
inline std::uint32_t dp2a(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (int i = 0; i < 2; ++i)
    c += static_cast<std::uint32_t>(elementOf<A>(a, i) *
                                    elementOf<B>(b, i + (High ? 2 : 0)));
  return c;
}

/// Each half word of \p a and \p b by \p function: the instructions of u16x2
/// and s16x2 (T is std::uint16_t or std::int16_t).
template <class T, class Function>
inline std::uint32_t eachHalfWord(std::uint32_t a, std::uint32_t b,
                                  Function function) {
  T low = function(static_cast<T>(a), static_cast<T>(b));
  T high = function(static_cast<T>(a >> 16), static_cast<T>(b >> 16));
  return (wrapping(low) & 0xFFFF) | (wrapping(high) << 16);
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_INTEGER_H
