// f16 and bf16 arithmetic, also of pairs: PTX section 9.7.4.
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/numeric/Arithmetic.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

constexpr Rounding rn = Rounding::nearestEven;

/// .ftz flushes subnormal f16 operands and results; .sat and .relu the result.
enum Modifier : unsigned { none = 0, ftz = 1, sat = 2, relued = 4 };

template <unsigned M, class T> inline T before(T value) {
  if constexpr ((M & ftz) != 0)
    return flushed(value);
  return value;
}
template <unsigned M, class T> inline T after(T value) {
  value = before<M>(value);
  if constexpr ((M & sat) != 0)
    return saturated(value);
  if constexpr ((M & relued) != 0)
    return relu(value);
  return value;
}

struct Add {
  template <class T> static T apply(T a, T b) { return add<rn>(a, b); }
};
struct Sub {
  template <class T> static T apply(T a, T b) { return sub<rn>(a, b); }
};
struct Mul {
  template <class T> static T apply(T a, T b) { return mul<rn>(a, b); }
};
struct Fma {
  template <class T> static T apply(T a, T b, T c) { return fma<rn>(a, b, c); }
};
struct Neg {
  template <class T> static T apply(T a) { return neg(a); }
};
struct Abs {
  template <class T> static T apply(T a) { return abs(a); }
};
template <NanRule N> struct Min {
  template <class T> static T apply(T a, T b) { return min<N>(a, b); }
};
template <NanRule N> struct Max {
  template <class T> static T apply(T a, T b) { return max<N>(a, b); }
};
template <NanRule N> struct MinXorSignAbs {
  template <class T> static T apply(T a, T b) { return minXorSignAbs<N>(a, b); }
};
template <NanRule N> struct MaxXorSignAbs {
  template <class T> static T apply(T a, T b) { return maxXorSignAbs<N>(a, b); }
};

/// An operation on the 16 bits of a register, or on each half of 32.
template <class Op, unsigned M, class T> struct Single {
  template <class... Bits> static uint16_t apply(Bits... bits) {
    return after<M>(Op::apply(before<M>(T{bits})...)).bits;
  }
};
template <class Op, unsigned M, class T> struct Pair {
  template <class... Bits> static uint32_t apply(Bits... bits) {
    uint32_t low = Single<Op, M, T>::apply(uint16_t(bits)...);
    uint32_t high = Single<Op, M, T>::apply(uint16_t(bits >> 16)...);
    return high << 16 | low;
  }
};

template <unsigned Arity, class Bits, class Op> constexpr Execute function() {
  if constexpr (Arity == 1)
    return unary<Bits, Bits, Op>;
  else if constexpr (Arity == 2)
    return binary<Bits, Bits, Bits, Op>;
  else
    return ternary<Bits, Bits, Bits, Bits, Op>;
}

template <class Op, unsigned Arity, unsigned M>
static Execute withType(Type type) {
  switch (type) {
  case Type::f16:
    return function<Arity, uint16_t, Single<Op, M, Half>>();
  case Type::f16x2:
    return function<Arity, uint32_t, Pair<Op, M, Half>>();
  case Type::bf16:
    return function<Arity, uint16_t, Single<Op, M, BFloat>>();
  case Type::bf16x2:
    return function<Arity, uint32_t, Pair<Op, M, BFloat>>();
  default:
    return nullptr;
  }
}

template <class Op, unsigned Arity>
static Execute arithmetic(const Match &match, Instruction &) {
  bool flushes = match.has("ftz");
  Type type = match.type();
  if (match.has("sat"))
    return flushes ? withType<Op, Arity, ftz | sat>(type)
                   : withType<Op, Arity, sat>(type);
  if (match.has("relu"))
    return flushes ? withType<Op, Arity, ftz | relued>(type)
                   : withType<Op, Arity, relued>(type);
  return flushes ? withType<Op, Arity, ftz>(type)
                 : withType<Op, Arity, none>(type);
}

template <template <NanRule> class Op>
static Execute extremum(const Match &match, Instruction &instruction) {
  return match.has("NaN")
             ? arithmetic<Op<NanRule::propagate>, 2>(match, instruction)
             : arithmetic<Op<NanRule::ignore>, 2>(match, instruction);
}

//===--- The table --------------------------------------------------------===//

#define ABD "d:type, a:type, b:type"
#define ABCD "d:type, a:type, b:type, c:type"

static constexpr Form table[] = {
    {"add", ".rn? .ftz? .sat? type=f16|f16x2", ABD, "9.7.4.1",
     arithmetic<Add, 2>},
    {"add", ".rn? type=bf16|bf16x2", ABD, "9.7.4.1", arithmetic<Add, 2>},
    {"sub", ".rn? .ftz? .sat? type=f16|f16x2", ABD, "9.7.4.2",
     arithmetic<Sub, 2>},
    {"sub", ".rn? type=bf16|bf16x2", ABD, "9.7.4.2", arithmetic<Sub, 2>},
    {"mul", ".rn? .ftz? .sat? type=f16|f16x2", ABD, "9.7.4.3",
     arithmetic<Mul, 2>},
    {"mul", ".rn? type=bf16|bf16x2", ABD, "9.7.4.3", arithmetic<Mul, 2>},
    {"fma", ".rn .ftz? .sat? type=f16|f16x2", ABCD, "9.7.4.4",
     arithmetic<Fma, 3>},
    {"fma", ".rn .ftz? .relu type=f16|f16x2", ABCD, "9.7.4.4",
     arithmetic<Fma, 3>},
    {"fma", ".rn .relu? type=bf16|bf16x2", ABCD, "9.7.4.4", arithmetic<Fma, 3>},
    {"neg", ".ftz? type=f16|f16x2", "d:type, a:type", "9.7.4.5",
     arithmetic<Neg, 1>},
    {"neg", "type=bf16|bf16x2", "d:type, a:type", "9.7.4.5",
     arithmetic<Neg, 1>},
    {"abs", ".ftz? type=f16|f16x2", "d:type, a:type", "9.7.4.6",
     arithmetic<Abs, 1>},
    {"abs", "type=bf16|bf16x2", "d:type, a:type", "9.7.4.6",
     arithmetic<Abs, 1>},
    {"min", ".ftz? .NaN? type=f16|f16x2|bf16|bf16x2", ABD, "9.7.4.7",
     extremum<Min>},
    {"min", ".ftz? .NaN? .xorsign .abs type=f16|f16x2|bf16|bf16x2", ABD,
     "9.7.4.7", extremum<MinXorSignAbs>},
    {"max", ".ftz? .NaN? type=f16|f16x2|bf16|bf16x2", ABD, "9.7.4.8",
     extremum<Max>},
    {"max", ".ftz? .NaN? .xorsign .abs type=f16|f16x2|bf16|bf16x2", ABD,
     "9.7.4.8", extremum<MaxXorSignAbs>},
};

std::span<const Form> smallFloatForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
