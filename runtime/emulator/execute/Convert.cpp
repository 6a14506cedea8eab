// cvt between integers, f16, bf16, f32 and f64: PTX section 9.7.9.21.
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/numeric/Conversion.h"
#include <type_traits>

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

//===--- Registers that may be wider than the type ------------------------===//
//
// Not inlined: a type has tens of conversions, and each would be compiled for
// all widths of a register.

/// The source's lanes as T, in `buffer` where the register is wider; its upper
/// bits do not count (section 9.4.1).
template <class T>
[[gnu::noinline]] static const T *source(Warp &warp, const Instruction &in,
                                         T *buffer) {
  auto chopped = [&](auto wide) -> const T * {
    using Bits = std::conditional_t<
        sizeof(T) == 1, uint8_t,
        std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>>;
    const auto *a = operand<decltype(wide)>(warp, in, 1);
    TILEWRIGHT_EACH_LANE {
      Bits bits = Bits(a[lane]);
      __builtin_memcpy(&buffer[lane], &bits, sizeof(T));
    }
    return buffer;
  };
  if constexpr (sizeof(T) < 8) {
    if (in.sourceBytes == 8)
      return chopped(uint64_t{});
    if (sizeof(T) < 4 && in.sourceBytes == 4)
      return chopped(uint32_t{});
    if (sizeof(T) < 2)
      return chopped(uint16_t{});
  }
  return operand<T>(warp, in, 1);
}

/// Writes a T of each lane, extended by its sign, to the result's register.
template <class T>
[[gnu::noinline]] static Step storeAll(Warp &warp, const Instruction &in,
                                       const T *results) {
  if constexpr (std::is_integral_v<T>) {
    auto extended = [&](auto wide) {
      using Wide = decltype(wide);
      using Same = std::conditional_t<std::is_signed_v<T>,
                                      std::make_signed_t<Wide>, Wide>;
      forActive(warp, operand<Wide>(warp, in, 0),
                [&](unsigned lane) { return Wide(Same(results[lane])); });
      return Step::next;
    };
    if (sizeof(T) < 8 && in.resultBytes == 8)
      return extended(uint64_t{});
    if (sizeof(T) < 4 && in.resultBytes == 4)
      return extended(uint32_t{});
    if (sizeof(T) < 2)
      return extended(uint16_t{});
  }
  if constexpr (sizeof(T) == 2) {
    if (in.resultBytes == 4) {
      forActive(warp, operand<uint32_t>(warp, in, 0), [&](unsigned lane) {
        return uint32_t{__builtin_bit_cast(uint16_t, results[lane])};
      });
      return Step::next;
    }
  }
  forActive(warp, operand<T>(warp, in, 0),
            [&](unsigned lane) { return results[lane]; });
  return Step::next;
}

/// Writes function(lane), a T, which is called for all lanes.
template <class T, typename F>
static Step store(Warp &warp, const Instruction &in, F function) {
  T results[32];
  TILEWRIGHT_EACH_LANE
  results[lane] = function(lane);
  return storeAll<T>(warp, in, results);
}

//===--- The four kinds ---------------------------------------------------===//

template <class To, class From, bool Saturates>
static Step runInteger(Warp &warp, const Instruction &in) {
  From buffer[32];
  const From *a = source<From>(warp, in, buffer);
  return store<To>(warp, in, [&](unsigned lane) {
    return Saturates ? saturatedInteger<To>(a[lane])
                     : convertInteger<To>(a[lane]);
  });
}

enum Modifier : unsigned { none = 0, ftz = 1, sat = 2 };

/// To narrower integers by way of 32 bits: clamping twice is clamping to the
/// smaller range. NaN of f64 is the upper half's first number.
template <class To, class From, Rounding R, bool Flushes>
static Step runToInteger(Warp &warp, const Instruction &in) {
  using Middle = std::conditional_t<
      sizeof(To) == 8, To,
      std::conditional_t<std::is_signed_v<To>, int32_t, uint32_t>>;
  From buffer[32];
  const From *a = source<From>(warp, in, buffer);
  return store<To>(warp, in, [&](unsigned lane) {
    From value = a[lane];
    if constexpr (Flushes)
      value = flushed(value);
    To result = saturatedInteger<To>(toInteger<Middle, R>(value));
    if constexpr (sizeof(From) == 8 && sizeof(To) < 4)
      return value == value ? result : To(To{1} << (8 * sizeof(To) - 1));
    else
      return result;
  });
}

template <class To, class From, Rounding R, bool Saturates>
static Step runFromInteger(Warp &warp, const Instruction &in) {
  From buffer[32];
  const From *a = source<From>(warp, in, buffer);
  return store<To>(warp, in, [&](unsigned lane) {
    To value = fromInteger<To, R>(a[lane]);
    return Saturates ? saturated(value) : value;
  });
}

template <class To, class From, Rounding R, unsigned M, bool Integral>
static Step runFloat(Warp &warp, const Instruction &in) {
  From buffer[32];
  const From *a = source<From>(warp, in, buffer);
  return store<To>(warp, in, [&](unsigned lane) {
    From value = a[lane];
    if constexpr ((M & ftz) && sizeof(From) == 4)
      value = flushed(value);
    To result;
    if constexpr (Integral)
      result = roundedToIntegral<R>(value);
    else
      result = convert<To, R>(value);
    if constexpr ((M & ftz) && sizeof(To) == 4)
      result = flushed(result);
    if constexpr ((M & sat) != 0)
      result = saturated(result);
    return result;
  });
}

//===--- Choosing ---------------------------------------------------------===//

template <typename F> static Execute withAnyInteger(Type type, F function) {
  if (type == Type::u8)
    return function(uint8_t{});
  return type == Type::s8 ? function(int8_t{}) : withInteger(type, function);
}
template <typename F> static Execute withFloat(Type type, F function) {
  switch (type) {
  case Type::f16:
    return function(Half{});
  case Type::bf16:
    return function(BFloat{});
  case Type::f32:
    return function(float{});
  default:
    return function(double{});
  }
}
template <Rounding R>
using RoundingConstant = std::integral_constant<Rounding, R>;
/// `rnd` is .rni, .rn or the like.
template <typename F>
static Execute withRounding(std::string_view rnd, F function) {
  switch (rnd[1]) {
  case 'z':
    return function(RoundingConstant<Rounding::towardZero>{});
  case 'm':
    return function(RoundingConstant<Rounding::down>{});
  case 'p':
    return function(RoundingConstant<Rounding::up>{});
  default:
    return function(RoundingConstant<Rounding::nearestEven>{});
  }
}

/// Whether all values of `from` are values of `to`.
static bool holdsAll(Type to, Type from) {
  if (isSigned(from) && !isSigned(to))
    return false;
  return typeBits(to) >= typeBits(from) + (isSigned(to) && !isSigned(from));
}
/// .ftz is for f32 alone, .sat for all floats but bf16.
static bool modifiersFit(const Match &match) {
  std::string_view to = match["to"], from = match["from"];
  bool isOfBFloat = to == "bf16" || from == "bf16";
  return (!match.has("ftz") || to == "f32" || from == "f32") &&
         (!match.has("sat") || !isOfBFloat);
}

static Execute buildInteger(const Match &match, Instruction &) {
  bool saturates = match.has("sat");
  if (saturates && holdsAll(match.type("to"), match.type("from")))
    return nullptr;
  return withAnyInteger(match.type("to"), [&](auto to) {
    return withAnyInteger(match.type("from"), [&](auto from) -> Execute {
      using To = decltype(to);
      using From = decltype(from);
      return saturates ? runInteger<To, From, true>
                       : runInteger<To, From, false>;
    });
  });
}
static Execute buildToInteger(const Match &match, Instruction &) {
  bool flushes = match.has("ftz");
  if (!modifiersFit(match))
    return nullptr;
  return withAnyInteger(match.type("to"), [&](auto to) {
    return withFloat(match.type("from"), [&](auto from) {
      return withRounding(match["rnd"], [&](auto r) -> Execute {
        using To = decltype(to);
        using From = decltype(from);
        if (sizeof(From) == 4 && flushes)
          return runToInteger<To, From, r, sizeof(From) == 4>;
        return runToInteger<To, From, r, false>;
      });
    });
  });
}
static Execute buildFromInteger(const Match &match, Instruction &) {
  bool saturates = match.has("sat");
  if (!modifiersFit(match))
    return nullptr;
  return withFloat(match.type("to"), [&](auto to) {
    return withAnyInteger(match.type("from"), [&](auto from) {
      return withRounding(match["rnd"], [&](auto r) -> Execute {
        using To = decltype(to);
        using From = decltype(from);
        return saturates ? runFromInteger<To, From, r, true>
                         : runFromInteger<To, From, r, false>;
      });
    });
  });
}

template <class To, class From, Rounding R, bool Integral>
static Execute floatWith(unsigned modifiers) {
  switch (modifiers) {
  case ftz:
    return runFloat<To, From, R, ftz, Integral>;
  case sat:
    return runFloat<To, From, R, sat, Integral>;
  case ftz | sat:
    return runFloat<To, From, R, ftz | sat, Integral>;
  default:
    return runFloat<To, From, R, none, Integral>;
  }
}
/// A conversion that can lose precision has a rounding modifier; an exact one
/// has none (ptxas accepts cvt.bf16.f16 too, to nearest). Within a type, .rni
/// and the like round to an integer.
static Execute buildFloat(const Match &match, Instruction &) {
  Type to = match.type("to"), from = match.type("from");
  std::string_view rnd = match["rnd"];
  unsigned modifiers =
      (match.has("ftz") ? ftz : none) | (match.has("sat") ? sat : none);
  bool integral = rnd.ends_with('i');
  bool narrows = typeBits(to) < typeBits(from);
  bool isExact = typeBits(to) > typeBits(from) && from != Type::bf16;
  bool known = to == from ? rnd.empty() || integral
                          : !integral && !(narrows && rnd.empty()) &&
                                !(isExact && !rnd.empty());
  if (!known || !modifiersFit(match))
    return nullptr;
  return withFloat(to, [&](auto t) {
    return withFloat(from, [&](auto f) {
      return withRounding(rnd.empty() ? "rn" : rnd, [&](auto r) -> Execute {
        using To = decltype(t);
        using From = decltype(f);
        if constexpr (std::is_same_v<To, From>)
          if (integral)
            return floatWith<To, From, r, true>(modifiers);
        return floatWith<To, From, r, false>(modifiers);
      });
    });
  });
}

//===--- cvt.pack ---------------------------------------------------------===//

/// The elements are saturated; c's lower bits move up, before them.
template <class To, unsigned Bits>
static Step runPack(Warp &warp, const Instruction &in) {
  const int32_t *a = operand<int32_t>(warp, in, 1);
  const int32_t *b = operand<int32_t>(warp, in, 2);
  const uint32_t *c =
      in.operandCount > 3 ? operand<uint32_t>(warp, in, 3) : nullptr;
  constexpr uint32_t mask = (uint32_t{1} << Bits) - 1;
  constexpr bool isSigned = std::is_signed_v<To>;
  constexpr int32_t most = int32_t(mask >> isSigned);
  constexpr int32_t least = isSigned ? -most - 1 : 0;
  auto element = [](int32_t value) {
    return uint32_t(value < least ? least : value > most ? most : value) & mask;
  };
  forActive(warp, operand<uint32_t>(warp, in, 0), [&](unsigned lane) {
    uint32_t both = element(a[lane]) << Bits | element(b[lane]);
    if constexpr (Bits < 16)
      both |= c[lane] << 2 * Bits;
    return both;
  });
  return Step::next;
}
static Execute buildPack(const Match &match, Instruction &) {
  std::string_view to = match["to"];
  return to == "u16"   ? runPack<uint16_t, 16>
         : to == "s16" ? runPack<int16_t, 16>
         : to == "u8"  ? runPack<uint8_t, 8>
         : to == "s8"  ? runPack<int8_t, 8>
         : to == "u4"  ? runPack<uint8_t, 4>
         : to == "s4"  ? runPack<int8_t, 4>
         : to == "u2"  ? runPack<uint8_t, 2>
                       : runPack<int8_t, 2>;
}

//===--- The table --------------------------------------------------------===//

#define INTEGERS "u8|u16|u32|u64|s8|s16|s32|s64"
#define FLOATS "f16|bf16|f32|f64"
#define OPERANDS "d~to, a~from"

static constexpr Form table[] = {
    {"cvt", ".sat? to=" INTEGERS " from=" INTEGERS, OPERANDS, "9.7.9.21",
     buildInteger},
    {"cvt", "rnd=rni|rzi|rmi|rpi .ftz? .sat? to=" INTEGERS " from=" FLOATS,
     OPERANDS, "9.7.9.21", buildToInteger},
    {"cvt", "rnd=rn|rz|rm|rp .sat? to=" FLOATS " from=" INTEGERS, OPERANDS,
     "9.7.9.21", buildFromInteger},
    {"cvt",
     "rnd?=rn|rz|rm|rp|rni|rzi|rmi|rpi .ftz? .sat? to=" FLOATS " from=" FLOATS,
     OPERANDS, "9.7.9.21", buildFloat},
    {"cvt", ".pack .sat to=u16|s16 .s32", "d:b32, a:s32, b:s32", "9.7.9.22",
     buildPack},
    {"cvt", ".pack .sat to=u8|s8|u4|s4|u2|s2 .s32 .b32",
     "d:b32, a:s32, b:s32, c:b32", "9.7.9.22", buildPack},
};

std::span<const Form> convertForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
