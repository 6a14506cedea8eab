// Comparison and selection: PTX sections 9.7.5, 9.7.6 and 9.7.7.
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/numeric/Comparison.h"
#include <type_traits>

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

//===--- Truth: the lanes for which a comparison holds --------------------===//

template <Compare C, class T> static bool holds(T a, T b) {
  if constexpr (!std::is_integral_v<T>)
    return compare<C>(a, b);
  else
    return C == Compare::eq   ? a == b
           : C == Compare::ne ? a != b
           : C == Compare::lt ? a < b
           : C == Compare::le ? a <= b
           : C == Compare::gt ? a > b
                              : a >= b;
}

/// Compares operands `first` and `first + 1`.
using Truth = uint32_t (*)(Warp &, const Instruction &, unsigned first);

template <Compare C, bool Flushes, class T>
static uint32_t truth(Warp &warp, const Instruction &in, unsigned first) {
  const T *a = operand<T>(warp, in, first);
  const T *b = operand<T>(warp, in, first + 1);
  return maskOf([&](unsigned lane) {
    if constexpr (Flushes)
      return compare<C>(flushed(a[lane]), flushed(b[lane]));
    else
      return holds<C>(a[lane], b[lane]);
  });
}
template <Compare C, bool Flushes, class T, unsigned Half>
static uint32_t truthOfHalf(Warp &warp, const Instruction &in, unsigned first) {
  const uint32_t *a = operand<uint32_t>(warp, in, first);
  const uint32_t *b = operand<uint32_t>(warp, in, first + 1);
  auto half = [](uint32_t bits) { return T{uint16_t(bits >> 16 * Half)}; };
  return maskOf([&](unsigned lane) {
    T x = half(a[lane]), y = half(b[lane]);
    if constexpr (Flushes)
      return compare<C>(flushed(x), flushed(y));
    else
      return compare<C>(x, y);
  });
}

/// The first truth of a type; for pairs also that of the upper half.
struct Truths {
  Truth low = nullptr, high = nullptr;
};

template <Compare C> static Truths truthsOf(Type type, bool flushes) {
  switch (type) {
  case Type::u16:
  case Type::b16:
    return {truth<C, false, uint16_t>};
  case Type::u32:
  case Type::b32:
    return {truth<C, false, uint32_t>};
  case Type::u64:
  case Type::b64:
    return {truth<C, false, uint64_t>};
  case Type::s16:
    return {truth<C, false, int16_t>};
  case Type::s32:
    return {truth<C, false, int32_t>};
  case Type::s64:
    return {truth<C, false, int64_t>};
  case Type::f32:
    return {flushes ? truth<C, true, float> : truth<C, false, float>};
  case Type::f64:
    return {truth<C, false, double>};
  case Type::f16:
    return {flushes ? truth<C, true, Half> : truth<C, false, Half>};
  case Type::bf16:
    return {truth<C, false, BFloat>};
  case Type::f16x2:
    return flushes ? Truths{truthOfHalf<C, true, Half, 0>,
                            truthOfHalf<C, true, Half, 1>}
                   : Truths{truthOfHalf<C, false, Half, 0>,
                            truthOfHalf<C, false, Half, 1>};
  case Type::bf16x2:
    return {truthOfHalf<C, false, BFloat, 0>, truthOfHalf<C, false, BFloat, 1>};
  default:
    return {};
  }
}

/// Section 9.3.1: `lo`, `ls`, `hi` and `hs` are for unsigned integers.
static Truths truthsOf(const Match &match, std::string_view slot) {
  Type type = match.type(slot);
  bool flushes = match.has("ftz");
  std::string_view name = match["cmp"];
  bool isFloat = typeInfo(type).typeClass == TypeClass::floatingPoint ||
                 typeInfo(type).typeClass == TypeClass::packed;
  bool isOfUnsigned = name[0] == 'h' || name == "lo" || name == "ls";
  if (isOfUnsigned && typeInfo(type).typeClass != TypeClass::unsignedInteger)
    return {};
  if (flushes && type != Type::f32 && type != Type::f16)
    return {};
  if (name == "eq")
    return truthsOf<Compare::eq>(type, flushes);
  if (name == "ne")
    return truthsOf<Compare::ne>(type, flushes);
  if (typeInfo(type).typeClass == TypeClass::untyped)
    return {};
  if (name == "lt" || name == "lo")
    return truthsOf<Compare::lt>(type, flushes);
  if (name == "le" || name == "ls")
    return truthsOf<Compare::le>(type, flushes);
  if (name == "gt" || name == "hi")
    return truthsOf<Compare::gt>(type, flushes);
  if (name == "ge" || name == "hs")
    return truthsOf<Compare::ge>(type, flushes);
  if (!isFloat)
    return {};
  if (name == "equ")
    return truthsOf<Compare::equ>(type, flushes);
  if (name == "neu")
    return truthsOf<Compare::neu>(type, flushes);
  if (name == "ltu")
    return truthsOf<Compare::ltu>(type, flushes);
  if (name == "leu")
    return truthsOf<Compare::leu>(type, flushes);
  if (name == "gtu")
    return truthsOf<Compare::gtu>(type, flushes);
  if (name == "geu")
    return truthsOf<Compare::geu>(type, flushes);
  if (name == "num")
    return truthsOf<Compare::num>(type, flushes);
  return truthsOf<Compare::nan>(type, flushes);
}

/// The functions behind one instruction, kept in its immediate.
template <typename F> static void keep(Instruction &in, F function) {
  in.immediate = reinterpret_cast<uint64_t>(function);
}
static Truth kept(const Instruction &in) {
  return reinterpret_cast<Truth>(in.immediate);
}

//===--- setp -------------------------------------------------------------===//

enum Combine : uint8_t { alone, conjunction, disjunction, exclusive };

static Combine combineOf(const Match &match) {
  std::string_view name = match["bool"];
  return name == "and"   ? conjunction
         : name == "or"  ? disjunction
         : name == "xor" ? exclusive
                         : alone;
}
static uint32_t combined(uint8_t combine, uint32_t a, uint32_t b) {
  return combine == conjunction   ? a & b
         : combine == disjunction ? a | b
         : combine == exclusive   ? a ^ b
                                  : a;
}

/// p = (a cmp b) op c; q = !(a cmp b) op c.
static Step runSetp(Warp &warp, const Instruction &in) {
  uint32_t holds = kept(in)(warp, in, 2);
  uint32_t c = in.mode == alone ? 0 : predicateOperand(warp, in, 4);
  setPredicate(warp, in.operands[0], combined(in.mode, holds, c));
  if (in.operands[1].present())
    setPredicate(warp, in.operands[1], combined(in.mode, ~holds, c));
  return Step::next;
}
static Execute buildSetp(const Match &match, Instruction &in) {
  Truths truths = truthsOf(match, "type");
  // f16 and bf16 have no second result (section 9.7.7.2).
  bool isSmall = typeBits(match.type()) == 16 &&
                 typeInfo(match.type()).typeClass == TypeClass::floatingPoint;
  if (!truths.low || truths.high || (isSmall && in.operands[1].present()))
    return nullptr;
  keep(in, truths.low);
  in.mode = combineOf(match);
  return runSetp;
}

/// p of the lower halves, q of the upper ones.
template <class T, Compare C, bool Flushes>
static Step runSetpOfPairs(Warp &warp, const Instruction &in) {
  uint32_t c = in.mode == alone ? 0 : predicateOperand(warp, in, 4);
  uint32_t low = truthOfHalf<C, Flushes, T, 0>(warp, in, 2);
  uint32_t high = truthOfHalf<C, Flushes, T, 1>(warp, in, 2);
  setPredicate(warp, in.operands[0], combined(in.mode, low, c));
  setPredicate(warp, in.operands[1], combined(in.mode, high, c));
  return Step::next;
}
/// ROW(NAME) for each comparison of floats.
#define COMPARISONS_OF_FLOATS(ROW)                                             \
  ROW(eq)                                                                      \
  ROW(ne)                                                                      \
  ROW(lt)                                                                      \
  ROW(le)                                                                      \
  ROW(gt)                                                                      \
  ROW(ge)                                                                      \
  ROW(equ)                                                                     \
  ROW(neu)                                                                     \
  ROW(ltu)                                                                     \
  ROW(leu)                                                                     \
  ROW(gtu)                                                                     \
  ROW(geu)                                                                     \
  ROW(num)                                                                     \
  ROW(nan)

template <class T, bool Flushes>
static Execute setpOfPairs(std::string_view name) {
#define COMPARISON(NAME)                                                       \
  if (name == #NAME)                                                           \
    return runSetpOfPairs<T, Compare::NAME, Flushes>;
  COMPARISONS_OF_FLOATS(COMPARISON)
#undef COMPARISON
  return nullptr;
}
static Execute buildSetpOfPairs(const Match &match, Instruction &in) {
  in.mode = combineOf(match);
  std::string_view name = match["cmp"];
  if (match.type() == Type::bf16x2)
    return setpOfPairs<BFloat, false>(name);
  return match.has("ftz") ? setpOfPairs<Half, true>(name)
                          : setpOfPairs<Half, false>(name);
}

//===--- set --------------------------------------------------------------===//

/// True is all ones in an integer, 1.0 in a float.
template <class T, T One>
static Step runSet(Warp &warp, const Instruction &in) {
  uint32_t holds = kept(in)(warp, in, 1);
  uint32_t c = in.mode == alone ? 0 : predicateOperand(warp, in, 3);
  uint32_t result = combined(in.mode, holds, c);
  forActive(warp, operand<T>(warp, in, 0),
            [&](unsigned lane) { return result >> lane & 1 ? One : T{0}; });
  return Step::next;
}
constexpr uint32_t oneOfF32 = 0x3F800000;
constexpr uint16_t oneOfF16 = 0x3C00, oneOfBF16 = 0x3F80;

static Execute buildSet(const Match &match, Instruction &in) {
  Truths truths = truthsOf(match, "stype");
  bool flushesToBFloat = match.has("ftz") && match["dtype"] == "bf16";
  if (!truths.low || truths.high || flushesToBFloat)
    return nullptr;
  keep(in, truths.low);
  in.mode = combineOf(match);
  switch (match.type("dtype")) {
  case Type::f32:
    return runSet<uint32_t, oneOfF32>;
  case Type::f16:
    return runSet<uint16_t, oneOfF16>;
  case Type::bf16:
    return runSet<uint16_t, oneOfBF16>;
  case Type::u16:
  case Type::s16:
    return runSet<uint16_t, 0xFFFF>;
  default:
    return runSet<uint32_t, ~uint32_t{0}>;
  }
}

template <class T, Compare C, uint16_t One, bool Flushes>
static Step runSetOfPairs(Warp &warp, const Instruction &in) {
  uint32_t c = in.mode == alone ? 0 : predicateOperand(warp, in, 3);
  uint32_t low =
      combined(in.mode, truthOfHalf<C, Flushes, T, 0>(warp, in, 1), c);
  uint32_t high =
      combined(in.mode, truthOfHalf<C, Flushes, T, 1>(warp, in, 1), c);
  forActive(warp, operand<uint32_t>(warp, in, 0), [&](unsigned lane) {
    uint32_t value = low >> lane & 1 ? One : 0;
    return value | (high >> lane & 1 ? uint32_t{One} << 16 : 0);
  });
  return Step::next;
}
template <class T, uint16_t One, bool Flushes>
static Execute setOfPairs(std::string_view name) {
#define COMPARISON(NAME)                                                       \
  if (name == #NAME)                                                           \
    return runSetOfPairs<T, Compare::NAME, One, Flushes>;
  COMPARISONS_OF_FLOATS(COMPARISON)
#undef COMPARISON
  return nullptr;
}
static Execute buildSetOfPairs(const Match &match, Instruction &in) {
  in.mode = combineOf(match);
  std::string_view name = match["cmp"];
  Type result = match.type("dtype"), source = match.type("stype");
  if (source == Type::f16x2) {
    bool flushes = match.has("ftz");
    if (result == Type::f16x2)
      return flushes ? setOfPairs<Half, oneOfF16, true>(name)
                     : setOfPairs<Half, oneOfF16, false>(name);
    if (typeBits(result) == 32 && result != Type::bf16x2)
      return flushes ? setOfPairs<Half, 0xFFFF, true>(name)
                     : setOfPairs<Half, 0xFFFF, false>(name);
    return nullptr;
  }
  if (result == Type::bf16x2)
    return setOfPairs<BFloat, oneOfBF16, false>(name);
  return result == Type::f16x2 ? nullptr
                               : setOfPairs<BFloat, 0xFFFF, false>(name);
}

//===--- selp, slct -------------------------------------------------------===//

template <class T> static Step runSelp(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1), *b = operand<T>(warp, in, 2);
  uint32_t c = predicateOperand(warp, in, 3);
  forActive(warp, operand<T>(warp, in, 0),
            [&](unsigned lane) { return c >> lane & 1 ? a[lane] : b[lane]; });
  return Step::next;
}
static Execute buildSelp(const Match &match, Instruction &) {
  switch (typeBits(match.type())) {
  case 16:
    return runSelp<uint16_t>;
  case 32:
    return runSelp<uint32_t>;
  default:
    return runSelp<uint64_t>;
  }
}

/// d = c >= 0 ? a : b; -0.0 is not less than 0, NaN selects b.
template <class T, class C, bool Flushes>
static Step runSlct(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1), *b = operand<T>(warp, in, 2);
  const C *c = operand<C>(warp, in, 3);
  forActive(warp, operand<T>(warp, in, 0), [&](unsigned lane) {
    C value = c[lane];
    if constexpr (Flushes)
      value = flushed(value);
    return value >= C{0} ? a[lane] : b[lane];
  });
  return Step::next;
}
template <class T> static Execute slctBy(const Match &match) {
  if (match.type("ctype") == Type::s32)
    return runSlct<T, int32_t, false>;
  return match.has("ftz") ? runSlct<T, float, true> : runSlct<T, float, false>;
}
static Execute buildSlct(const Match &match, Instruction &) {
  switch (typeBits(match.type("dtype"))) {
  case 16:
    return slctBy<uint16_t>(match);
  case 32:
    return slctBy<uint32_t>(match);
  default:
    return slctBy<uint64_t>(match);
  }
}

//===--- The table --------------------------------------------------------===//

#define CMP "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan "
#define FLOAT_CMP "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan "
#define BOOL "bool=and|or|xor "
#define SCALARS "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"
#define RESULTS "d:pred|dq:pred?, a:type, b:type"

static constexpr Form table[] = {
    {"set", CMP ".ftz? dtype=u32|s32|f32 stype=" SCALARS,
     "d:dtype, a:stype, b:stype", "9.7.6.1", buildSet},
    {"set", CMP BOOL ".ftz? dtype=u32|s32|f32 stype=" SCALARS,
     "d:dtype, a:stype, b:stype, !c:pred", "9.7.6.1", buildSet},
    {"setp", CMP ".ftz? type=" SCALARS, RESULTS, "9.7.6.2", buildSetp},
    {"setp", CMP BOOL ".ftz? type=" SCALARS, RESULTS ", !c:pred", "9.7.6.2",
     buildSetp},
    {"selp", "type=" SCALARS, "d:type, a:type, b:type, c:pred", "9.7.6.3",
     buildSelp},
    {"slct", ".ftz? dtype=" SCALARS " ctype=s32|f32",
     "d:dtype, a:dtype, b:dtype, c:ctype", "9.7.6.4", buildSlct},
    {"set", FLOAT_CMP ".ftz? dtype=f16|bf16|u16|s16|u32|s32 stype=f16|bf16",
     "d:dtype, a:stype, b:stype", "9.7.7.1", buildSet},
    {"set",
     FLOAT_CMP BOOL ".ftz? dtype=f16|bf16|u16|s16|u32|s32 stype=f16|bf16",
     "d:dtype, a:stype, b:stype, !c:pred", "9.7.7.1", buildSet},
    {"set", CMP ".ftz? dtype=f16|bf16 stype=" SCALARS,
     "d:dtype, a:stype, b:stype", "9.7.7.1", buildSet},
    {"set", CMP BOOL ".ftz? dtype=f16|bf16 stype=" SCALARS,
     "d:dtype, a:stype, b:stype, !c:pred", "9.7.7.1", buildSet},
    {"set", FLOAT_CMP ".ftz? dtype=f16x2|bf16x2|u32|s32 stype=f16x2|bf16x2",
     "d:dtype, a:stype, b:stype", "9.7.7.1", buildSetOfPairs},
    {"set",
     FLOAT_CMP BOOL ".ftz? dtype=f16x2|bf16x2|u32|s32 stype=f16x2|bf16x2",
     "d:dtype, a:stype, b:stype, !c:pred", "9.7.7.1", buildSetOfPairs},
    {"setp", FLOAT_CMP ".ftz? type=f16|bf16", RESULTS, "9.7.7.2", buildSetp},
    {"setp", FLOAT_CMP BOOL ".ftz? type=f16|bf16", RESULTS ", !c:pred",
     "9.7.7.2", buildSetp},
    {"setp", FLOAT_CMP ".ftz? type=f16x2|bf16x2",
     "d:pred|dq:pred, a:type, b:type", "9.7.7.2", buildSetpOfPairs},
    {"setp", FLOAT_CMP BOOL ".ftz? type=f16x2|bf16x2",
     "d:pred|dq:pred, a:type, b:type, !c:pred", "9.7.7.2", buildSetpOfPairs},
};

std::span<const Form> compareForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
