#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_BITFIELD_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_BITFIELD_H

#include "runtime/emulator/numeric/Integer.h"

// Shifts, bit fields and byte permutation (PTX ISA 9.7.1.14 to 9.7.1.22, 9.7.8,
// 9.7.9.7).

namespace tilewright::emulator {

/// What becomes of a shift, position or width of 32 and more: held to 32, or
/// taken modulo 32 (.clamp, .wrap).
enum class Wrap : std::uint8_t { clamp, wrap };

/// The modes of prmt: `index` takes each byte's selector from c, the others
/// have a fixed pattern of which c's low two bits choose one.
enum class PermuteMode : std::uint8_t {
  index,
  forward4,       // .f4e
  backward4,      // .b4e
  replicate8,     // .rc8
  edgeClampLeft,  // .ecl
  edgeClampRight, // .ecr
  replicate16     // .rc16
};

inline namespace TILEWRIGHT_ISA {

/// shl: 0 for an amount of at least the width.
template <class T> inline T shiftLeft(T a, std::uint32_t amount) {
  using Bits = std::make_unsigned_t<T>;
  Bits shifted = static_cast<Bits>(wrapping(a) << (amount % widthOf<T>));
  return amount < widthOf<T> ? static_cast<T>(shifted) : T{0};
}
/// shr: a signed T is filled with the sign, an unsigned one with 0.
template <class T> inline T shiftRight(T a, std::uint32_t amount) {
  T shifted = static_cast<T>(a >> (amount % widthOf<T>));
  T fill = static_cast<T>(a < 0 ? -1 : 0);
  return amount < widthOf<T> ? shifted : fill;
}

/// shf.l: the upper half of (b:a) << amount, \p a the lower word.
template <Wrap W>
inline std::uint32_t funnelLeft(std::uint32_t a, std::uint32_t b,
                                std::uint32_t amount) {
  std::uint32_t clamped = amount > 32 ? 32 : amount;
  std::uint32_t shift = W == Wrap::clamp ? clamped : amount & 31;
  std::uint64_t both = std::uint64_t{b} << 32 | a;
  return static_cast<std::uint32_t>(both << shift >> 32);
}
/// shf.r: the lower half of (b:a) >> amount.
template <Wrap W>
inline std::uint32_t funnelRight(std::uint32_t a, std::uint32_t b,
                                 std::uint32_t amount) {
  std::uint32_t clamped = amount > 32 ? 32 : amount;
  std::uint32_t shift = W == Wrap::clamp ? clamped : amount & 31;
  std::uint64_t both = std::uint64_t{b} << 32 | a;
  return static_cast<std::uint32_t>(both >> shift);
}

/// The low \p length bits of \p value (0 to all), extended by their sign or by
/// 0 as T is.
template <class T> inline T extended(T value, std::uint32_t length) {
  using Bits = std::make_unsigned_t<T>;
  std::uint32_t rest = (widthOf<T> - length) % widthOf<T>;
  T result =
      static_cast<T>(static_cast<T>(static_cast<Bits>(value) << rest) >> rest);
  return length == 0 ? T{0} : result;
}

/// bfe: T has 32 or 64 bits.
template <class T>
inline T extractField(T a, std::uint32_t position, std::uint32_t length) {
  position &= 0xFF;
  length &= 0xFF;
  // Past its top, a shifts in what the field is to be filled with.
  return extended(shiftRight(a, position),
                  length > widthOf<T> ? widthOf<T> : length);
}

/// bfi: the field of \p b becomes the low bits of \p a. T is unsigned.
template <class T>
inline T insertField(T a, T b, std::uint32_t position, std::uint32_t length) {
  position &= 0xFF;
  length &= 0xFF;
  T ones = length < widthOf<T> ? shiftLeft(T{1}, length) - 1 : ~T{0};
  T mask = shiftLeft(ones, position);
  return (b & ~mask) | (shiftLeft(a, position) & mask);
}

/// popc
template <class T> inline std::uint32_t countOnes(T a) {
  static_assert(std::is_unsigned_v<T>);
  return sizeof(T) == 8 ? __builtin_popcountll(a) : __builtin_popcount(a);
}

/// clz: 0 to the width of T.
template <class T> inline std::uint32_t countLeadingZeros(T a) {
  static_assert(std::is_unsigned_v<T>);
  // The builtin is undefined for 0.
  int zeros = sizeof(T) == 8 ? __builtin_clzll(a | 1) : __builtin_clz(a | 1);
  return a == 0 ? widthOf<T> : zeros;
}

/// bfind: the position of the highest bit that is not the sign, 0xFFFFFFFF if
/// there is none.
template <class T> inline std::uint32_t findLeading(T a) {
  using Bits = std::make_unsigned_t<T>;
  Bits bits = static_cast<Bits>(a < 0 ? ~a : a);
  return widthOf<T> - 1 - countLeadingZeros(bits);
}
/// bfind.shiftamt: the shift that brings that bit to the top.
template <class T> inline std::uint32_t findLeadingShift(T a) {
  std::uint32_t position = findLeading(a);
  return position == 0xFFFFFFFF ? position : widthOf<T> - 1 - position;
}

/// brev
template <class T> inline T reverseBits(T a) {
  static_assert(std::is_unsigned_v<T>);
  T mask = ~T{0};
  for (int shift = widthOf<T> / 2; shift > 0; shift /= 2) {
    mask ^= mask << shift;
    a = (a >> shift & mask) | (a << shift & ~mask);
  }
  return a;
}

/// fns: the position of the |offset|-th set bit at or above \p base, or for a
/// negative offset at or below it; for offset 0 base itself. 0xFFFFFFFF if
/// there is none, and for a base above 31, which PTX leaves undefined.
inline std::uint32_t findNthSet(std::uint32_t mask, std::uint32_t base,
                                std::int32_t offset) {
  constexpr std::uint32_t none = 0xFFFFFFFF;
  if (base > 31)
    return none;
  if (offset == 0)
    return mask >> base & 1 ? base : none;
  std::int64_t left = offset < 0 ? -std::int64_t{offset} : offset;
  std::uint32_t step = offset < 0 ? ~0u : 1;
  // Going below 0 wraps beyond 31.
  for (std::uint32_t position = base; position < 32; position += step)
    if ((mask >> position & 1) && --left == 0)
      return position;
  return none;
}

/// bmsk: \p width ones from \p position up.
template <Wrap W>
inline std::uint32_t bitMask(std::uint32_t position, std::uint32_t width) {
  if constexpr (W == Wrap::wrap) {
    position &= 31;
    width &= 31;
  }
  std::uint32_t ones = ~shiftLeft(~0u, width);
  return shiftLeft(ones, position);
}

/// szext: T is std::uint32_t or std::int32_t.
template <Wrap W, class T> inline T extendFrom(T a, std::uint32_t width) {
  std::uint32_t clamped = width > 32 ? 32 : width;
  return extended(a, W == Wrap::clamp ? clamped : width & 31);
}

/// lop3: bit i of \p table is the result where the operands' bits are i = 4a +
/// 2b + c.
inline std::uint32_t logicOf3(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                              std::uint32_t table) {
  std::uint32_t result = 0;
  for (int i = 0; i < 8; ++i) {
    std::uint32_t term = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    result |= term & (0 - (table >> i & 1));
  }
  return result;
}

/// The selectors of a fixed pattern of prmt, as `index` has them in c.
template <PermuteMode M>
inline std::uint32_t permuteSelectors(std::uint32_t c) {
  constexpr std::uint32_t patterns[][4] = {
      {},
      {0x3210, 0x4321, 0x5432, 0x6543},
      {0x5670, 0x6701, 0x7012, 0x0123},
      {0x0000, 0x1111, 0x2222, 0x3333},
      {0x3210, 0x3211, 0x3222, 0x3333},
      {0x0000, 0x1110, 0x2210, 0x3210},
      {0x1010, 0x3232, 0x1010, 0x3232},
  };
  return M == PermuteMode::index ? c : patterns[static_cast<int>(M)][c & 3];
}

/// prmt: byte i of the result is the byte of (b:a) that selector i selects;
/// with bit 3 of the selector set, eight times its sign.
template <PermuteMode M>
inline std::uint32_t permute(std::uint32_t a, std::uint32_t b,
                             std::uint32_t c) {
  std::uint32_t selectors = permuteSelectors<M>(c);
  std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    std::uint32_t selector = selectors >> (4 * i);
    std::uint32_t byte = both >> (8 * (selector & 7)) & 0xFF;
    std::uint32_t signs = byte & 0x80 ? 0xFF : 0;
    result |= (selector & 8 ? signs : byte) << (8 * i);
  }
  return result;
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_BITFIELD_H
