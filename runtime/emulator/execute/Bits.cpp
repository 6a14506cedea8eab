// Bits: fields (PTX section 9.7.1), logic and shifts (9.7.8), prmt (9.7.9.7).
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/numeric/BitField.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

#define OPERATION(NAME, PARAMETERS, RESULT, EXPRESSION)                        \
  template <class T> struct NAME {                                             \
    static RESULT apply PARAMETERS { return EXPRESSION; }                      \
  };
OPERATION(Popc, (T a), uint32_t, countOnes(a))
OPERATION(Clz, (T a), uint32_t, countLeadingZeros(a))
OPERATION(Bfind, (T a), uint32_t, findLeading(a))
OPERATION(BfindShift, (T a), uint32_t, findLeadingShift(a))
OPERATION(Brev, (T a), T, reverseBits(a))
OPERATION(And, (T a, T b), T, T(a &b))
OPERATION(Or, (T a, T b), T, T(a | b))
OPERATION(Xor, (T a, T b), T, T(a ^ b))
OPERATION(Not, (T a), T, T(~a))
OPERATION(Cnot, (T a), T, T(a == 0))
OPERATION(Shl, (T a, uint32_t b), T, shiftLeft(a, b))
OPERATION(Shr, (T a, uint32_t b), T, shiftRight(a, b))
OPERATION(Bfe, (T a, uint32_t b, uint32_t c), T, extractField(a, b, c))
#undef OPERATION

template <template <class> class Op>
static Execute count(const Match &match, Instruction &) {
  return withInteger(match.type(), [](auto t) -> Execute {
    using T = std::make_unsigned_t<decltype(t)>;
    return unary<uint32_t, T, Op<T>>;
  });
}
template <template <class> class Op>
static Execute find(const Match &match, Instruction &) {
  return withInteger(match.type(), [](auto t) -> Execute {
    using T = decltype(t);
    return unary<uint32_t, T, Op<T>>;
  });
}
template <template <class> class Op>
static Execute bits1(const Match &match, Instruction &) {
  return withInteger(match.type(), [](auto t) -> Execute {
    using T = std::make_unsigned_t<decltype(t)>;
    return unary<T, T, Op<T>>;
  });
}
template <template <class> class Op>
static Execute bits2(const Match &match, Instruction &) {
  return withInteger(match.type(), [](auto t) -> Execute {
    using T = std::make_unsigned_t<decltype(t)>;
    return binary<T, T, T, Op<T>>;
  });
}
/// The amount has 32 bits.
template <template <class> class Op>
static Execute shift(const Match &match, Instruction &) {
  return withInteger(match.type(), [](auto t) -> Execute {
    using T = decltype(t);
    return binary<T, T, uint32_t, Op<T>>;
  });
}
static Execute buildBfe(const Match &match, Instruction &) {
  return withInteger(match.type(), [](auto t) -> Execute {
    using T = decltype(t);
    return ternary<T, T, uint32_t, uint32_t, Bfe<T>>;
  });
}

//===--- Predicates -------------------------------------------------------===//

template <class F>
static Step onPredicates(Warp &warp, const Instruction &in, F function) {
  setPredicate(
      warp, in.operands[0],
      function(predicateOperand(warp, in, 1),
               in.operandCount > 2 ? predicateOperand(warp, in, 2) : 0));
  return Step::next;
}
template <template <class> class Op>
static Execute predicates2(const Match &, Instruction &) {
  return [](Warp &warp, const Instruction &in) {
    return onPredicates(warp, in, Op<uint32_t>::apply);
  };
}
static Execute predicateNot(const Match &, Instruction &) {
  return [](Warp &warp, const Instruction &in) {
    return onPredicates(warp, in, [](uint32_t a, uint32_t) { return ~a; });
  };
}

//===--- More than two operands -------------------------------------------===//

template <class T> static Step runBfi(Warp &warp, const Instruction &in) {
  T *d = operand<T>(warp, in, 0);
  const T *a = operand<T>(warp, in, 1), *b = operand<T>(warp, in, 2);
  const uint32_t *position = operand<uint32_t>(warp, in, 3);
  const uint32_t *length = operand<uint32_t>(warp, in, 4);
  forActive(warp, d, [&](unsigned lane) {
    return insertField(a[lane], b[lane], position[lane], length[lane]);
  });
  return Step::next;
}
static Execute buildBfi(const Match &match, Instruction &) {
  return match.type() == Type::b64 ? runBfi<uint64_t> : runBfi<uint32_t>;
}

static Step runLop3(Warp &warp, const Instruction &in) {
  uint32_t *d = operand<uint32_t>(warp, in, 0);
  const uint32_t *a = operand<uint32_t>(warp, in, 1);
  const uint32_t *b = operand<uint32_t>(warp, in, 2);
  const uint32_t *c = operand<uint32_t>(warp, in, 3);
  const uint32_t table = operand<uint32_t>(warp, in, 4)[0];
  forActive(warp, d, [&](unsigned lane) {
    return logicOf3(a[lane], b[lane], c[lane], table);
  });
  return Step::next;
}
/// lop3.BoolOp d|p, a, b, c, immLut, q: p = (d != 0) BoolOp q.
template <bool Or>
static Step runLop3Predicate(Warp &warp, const Instruction &in) {
  const uint32_t *a = operand<uint32_t>(warp, in, 2);
  const uint32_t *b = operand<uint32_t>(warp, in, 3);
  const uint32_t *c = operand<uint32_t>(warp, in, 4);
  const uint32_t table = operand<uint32_t>(warp, in, 5)[0];
  uint32_t q = predicateOperand(warp, in, 6);
  uint32_t results[32];
  TILEWRIGHT_EACH_LANE
  results[lane] = logicOf3(a[lane], b[lane], c[lane], table);
  uint32_t nonZero = maskOf([&](unsigned lane) { return results[lane] != 0; });
  forActive(warp, operand<uint32_t>(warp, in, 0),
            [&](unsigned lane) { return results[lane]; });
  setPredicate(warp, in.operands[1], Or ? nonZero | q : nonZero & q);
  return Step::next;
}

template <bool Left, Wrap W> struct Funnel {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    return Left ? funnelLeft<W>(a, b, c) : funnelRight<W>(a, b, c);
  }
};
template <class Op>
constexpr Execute words3 = ternary<uint32_t, uint32_t, uint32_t, uint32_t, Op>;

static Execute buildShf(const Match &match, Instruction &) {
  bool wraps = match["mode"] == "wrap";
  if (match["direction"] == "l")
    return wraps ? words3<Funnel<true, Wrap::wrap>>
                 : words3<Funnel<true, Wrap::clamp>>;
  return wraps ? words3<Funnel<false, Wrap::wrap>>
               : words3<Funnel<false, Wrap::clamp>>;
}

template <PermuteMode M> struct Permute {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    return permute<M>(a, b, c);
  }
};
static Execute buildPrmt(const Match &match, Instruction &) {
  std::string_view mode = match["mode"];
  return mode == "f4e"    ? words3<Permute<PermuteMode::forward4>>
         : mode == "b4e"  ? words3<Permute<PermuteMode::backward4>>
         : mode == "rc8"  ? words3<Permute<PermuteMode::replicate8>>
         : mode == "ecl"  ? words3<Permute<PermuteMode::edgeClampLeft>>
         : mode == "ecr"  ? words3<Permute<PermuteMode::edgeClampRight>>
         : mode == "rc16" ? words3<Permute<PermuteMode::replicate16>>
                          : words3<Permute<PermuteMode::index>>;
}

struct Fns {
  static uint32_t apply(uint32_t mask, uint32_t base, int32_t offset) {
    return findNthSet(mask, base, offset);
  }
};
template <Wrap W> struct Bmsk {
  static uint32_t apply(uint32_t a, uint32_t b) { return bitMask<W>(a, b); }
};
template <Wrap W, class T> struct Szext {
  static T apply(T a, uint32_t b) { return extendFrom<W>(a, b); }
};
static Execute buildBmsk(const Match &match, Instruction &) {
  return match["mode"] == "wrap"
             ? binary<uint32_t, uint32_t, uint32_t, Bmsk<Wrap::wrap>>
             : binary<uint32_t, uint32_t, uint32_t, Bmsk<Wrap::clamp>>;
}
template <class T> static Execute szextOf(bool wraps) {
  return wraps ? binary<T, T, uint32_t, Szext<Wrap::wrap, T>>
               : binary<T, T, uint32_t, Szext<Wrap::clamp, T>>;
}
static Execute buildSzext(const Match &match, Instruction &) {
  bool wraps = match["mode"] == "wrap";
  return match.type() == Type::s32 ? szextOf<int32_t>(wraps)
                                   : szextOf<uint32_t>(wraps);
}
static Execute buildFns(const Match &, Instruction &) {
  return ternary<uint32_t, uint32_t, uint32_t, int32_t, Fns>;
}
static Execute buildLop3(const Match &, Instruction &) { return runLop3; }
template <bool Or>
static Execute buildLop3Predicate(const Match &, Instruction &) {
  return runLop3Predicate<Or>;
}

//===--- The table --------------------------------------------------------===//

#define PREDICATES2 "d:pred, !a:pred, !b:pred"

static constexpr Form table[] = {
    {"popc", "type=b32|b64", "d:u32, a:type", "9.7.1.14", count<Popc>},
    {"clz", "type=b32|b64", "d:u32, a:type", "9.7.1.15", count<Clz>},
    {"bfind", "type=u32|u64|s32|s64", "d:u32, a:type", "9.7.1.16", find<Bfind>},
    {"bfind", ".shiftamt type=u32|u64|s32|s64", "d:u32, a:type", "9.7.1.16",
     find<BfindShift>},
    {"fns", ".b32", "d:b32, a:b32, b:b32, c:s32", "9.7.1.17", buildFns},
    {"brev", "type=b32|b64", "d:type, a:type", "9.7.1.18", bits1<Brev>},
    {"bfe", "type=u32|u64|s32|s64", "d:type, a:type, b:u32, c:u32", "9.7.1.19",
     buildBfe},
    {"bfi", "type=b32|b64", "d:type, a:type, b:type, c:u32, e:u32", "9.7.1.20",
     buildBfi},
    {"szext", "mode=clamp|wrap type=u32|s32", "d:type, a:type, b:u32",
     "9.7.1.21", buildSzext},
    {"bmsk", "mode=clamp|wrap .b32", "d:b32, a:u32, b:u32", "9.7.1.22",
     buildBmsk},
    {"and", "type=b16|b32|b64", "d:type, a:type, b:type", "9.7.8.1",
     bits2<And>},
    {"and", ".pred", PREDICATES2, "9.7.8.1", predicates2<And>},
    {"or", "type=b16|b32|b64", "d:type, a:type, b:type", "9.7.8.2", bits2<Or>},
    {"or", ".pred", PREDICATES2, "9.7.8.2", predicates2<Or>},
    {"xor", "type=b16|b32|b64", "d:type, a:type, b:type", "9.7.8.3",
     bits2<Xor>},
    {"xor", ".pred", PREDICATES2, "9.7.8.3", predicates2<Xor>},
    {"not", "type=b16|b32|b64", "d:type, a:type", "9.7.8.4", bits1<Not>},
    {"not", ".pred", "d:pred, !a:pred", "9.7.8.4", predicateNot},
    {"cnot", "type=b16|b32|b64", "d:type, a:type", "9.7.8.5", bits1<Cnot>},
    {"lop3", ".b32", "d:b32, a:b32, b:b32, c:b32, #t:b32", "9.7.8.6",
     buildLop3},
    {"lop3", ".or .b32", "d:b32|dp:pred, a:b32, b:b32, c:b32, #t:b32, !q:pred",
     "9.7.8.6", buildLop3Predicate<true>},
    {"lop3", ".and .b32", "d:b32|dp:pred, a:b32, b:b32, c:b32, #t:b32, !q:pred",
     "9.7.8.6", buildLop3Predicate<false>},
    {"shf", "direction=l|r mode=clamp|wrap .b32", "d:b32, a:b32, b:b32, c:u32",
     "9.7.8.7", buildShf},
    {"shl", "type=b16|b32|b64", "d:type, a:type, b:u32", "9.7.8.8", shift<Shl>},
    {"shr", "type=b16|b32|b64|u16|u32|u64|s16|s32|s64", "d:type, a:type, b:u32",
     "9.7.8.9", shift<Shr>},
    {"prmt", ".b32 mode?=f4e|b4e|rc8|ecl|ecr|rc16",
     "d:b32, a:b32, b:b32, c:b32", "9.7.9.7", buildPrmt},
};

std::span<const Form> bitForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
