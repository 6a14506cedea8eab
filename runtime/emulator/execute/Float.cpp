// f32 and f64 arithmetic: PTX section 9.7.3, without the approximations.
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/numeric/Arithmetic.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

// Modifiers that change values around an operation.
enum Modifier : unsigned { none = 0, ftz = 1, sat = 2 };

template <unsigned M, class T> inline T before(T value) {
  if constexpr ((M & ftz) && sizeof(T) == 4)
    return flushed(value);
  return value;
}
template <unsigned M, class T> inline T after(T value) {
  value = before<M>(value);
  if constexpr ((M & sat) != 0)
    return saturated(value);
  return value;
}

#define OPERATION(NAME, PARAMETERS, EXPRESSION)                                \
  template <Rounding R> struct NAME {                                          \
    template <class T> static T apply PARAMETERS { return EXPRESSION; }        \
  };
OPERATION(Add, (T a, T b), add<R>(a, b))
OPERATION(Sub, (T a, T b), sub<R>(a, b))
OPERATION(Mul, (T a, T b), mul<R>(a, b))
OPERATION(Div, (T a, T b), div<R>(a, b))
OPERATION(Fma, (T a, T b, T c), fma<R>(a, b, c))
OPERATION(Sqrt, (T a), sqrt<R>(a))
OPERATION(Rcp, (T a), rcp<R>(a))
#undef OPERATION

template <class Op, unsigned M> struct Modified {
  template <class... T> static auto apply(T... values) {
    return after<M>(Op::apply(before<M>(values)...));
  }
};

//===--- Choosing by type, rounding and modifiers -------------------------===//

static unsigned modifiersOf(const Match &match) {
  return (match.has("ftz") ? ftz : none) | (match.has("sat") ? sat : none);
}
/// The default is .rn, which only add, sub and mul may leave out.
static Rounding roundingOf(const Match &match) {
  std::string_view mode = match["rnd"];
  return mode == "rz"   ? Rounding::towardZero
         : mode == "rm" ? Rounding::down
         : mode == "rp" ? Rounding::up
                        : Rounding::nearestEven;
}

template <unsigned Arity, class T, class Op> constexpr Execute function() {
  if constexpr (Arity == 1)
    return unary<T, T, Op>;
  else if constexpr (Arity == 2)
    return binary<T, T, T, Op>;
  else
    return ternary<T, T, T, T, Op>;
}

template <template <Rounding> class Op, unsigned Arity, class T, Rounding R>
static Execute withModifiers(unsigned modifiers) {
  switch (modifiers) {
  case ftz:
    return function<Arity, T, Modified<Op<R>, ftz>>();
  case sat:
    return function<Arity, T, Modified<Op<R>, sat>>();
  case ftz | sat:
    return function<Arity, T, Modified<Op<R>, ftz | sat>>();
  default:
    return function<Arity, T, Op<R>>();
  }
}

template <template <Rounding> class Op, unsigned Arity, class T>
static Execute withRounding(const Match &match, Instruction &) {
  unsigned modifiers = modifiersOf(match);
  switch (roundingOf(match)) {
  case Rounding::towardZero:
    return withModifiers<Op, Arity, T, Rounding::towardZero>(modifiers);
  case Rounding::down:
    return withModifiers<Op, Arity, T, Rounding::down>(modifiers);
  case Rounding::up:
    return withModifiers<Op, Arity, T, Rounding::up>(modifiers);
  default:
    return withModifiers<Op, Arity, T, Rounding::nearestEven>(modifiers);
  }
}

//===--- Signs, minima, properties ----------------------------------------===//

struct Abs {
  template <class T> static T apply(T a) { return abs(a); }
};
struct Neg {
  template <class T> static T apply(T a) { return neg(a); }
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
template <NanRule N> struct Min3 {
  template <class T> static T apply(T a, T b, T c) {
    return min<N>(min<N>(a, b), c);
  }
};
template <NanRule N> struct Max3 {
  template <class T> static T apply(T a, T b, T c) {
    return max<N>(max<N>(a, b), c);
  }
};
struct CopySign {
  template <class T> static T apply(T a, T b) { return copySign(a, b); }
};

template <class Op, class T>
static Execute sign(const Match &match, Instruction &) {
  return match.has("ftz") ? unary<T, T, Modified<Op, ftz>> : unary<T, T, Op>;
}
template <template <NanRule> class Op, unsigned Arity>
static Execute extremum(const Match &match, Instruction &) {
  constexpr NanRule ignore = NanRule::ignore, keep = NanRule::propagate;
  bool flushes = match.has("ftz");
  if (match.has("NaN"))
    return flushes ? function<Arity, float, Modified<Op<keep>, ftz>>()
                   : function<Arity, float, Op<keep>>();
  return flushes ? function<Arity, float, Modified<Op<ignore>, ftz>>()
                 : function<Arity, float, Op<ignore>>();
}
template <template <NanRule> class Op>
static Execute extremum64(const Match &, Instruction &) {
  return binary<double, double, double, Op<NanRule::ignore>>;
}
template <class T> static Execute buildCopySign(const Match &, Instruction &) {
  return binary<T, T, T, CopySign>;
}

template <FloatProperty P, class T>
static Step runTestp(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1);
  setPredicate(warp, in.operands[0],
               maskOf([&](unsigned lane) { return hasProperty<P>(a[lane]); }));
  return Step::next;
}
template <class T> static Execute testp(std::string_view property) {
  using enum FloatProperty;
  return property == "finite"       ? runTestp<finite, T>
         : property == "infinite"   ? runTestp<infinite, T>
         : property == "number"     ? runTestp<number, T>
         : property == "notanumber" ? runTestp<notANumber, T>
         : property == "normal"     ? runTestp<normal, T>
                                    : runTestp<subnormal, T>;
}
static Execute buildTestp(const Match &match, Instruction &) {
  return match.type() == Type::f64 ? testp<double>(match["property"])
                                   : testp<float>(match["property"]);
}

//===--- f32x2 ------------------------------------------------------------===//

/// Both halves of a 64-bit register.
template <class Op> struct Both {
  static uint64_t apply(uint64_t a, uint64_t b) {
    return packed(Op::apply(lower(a), lower(b)), Op::apply(upper(a), upper(b)));
  }
  static uint64_t apply(uint64_t a, uint64_t b, uint64_t c) {
    return packed(Op::apply(lower(a), lower(b), lower(c)),
                  Op::apply(upper(a), upper(b), upper(c)));
  }
  static float lower(uint64_t value) { return bitCast<float>(uint32_t(value)); }
  static float upper(uint64_t value) {
    return bitCast<float>(uint32_t(value >> 32));
  }
  static uint64_t packed(float low, float high) {
    return uint64_t{bitCast<uint32_t>(high)} << 32 | bitCast<uint32_t>(low);
  }
};
template <template <Rounding> class Op, unsigned Arity, Rounding R>
static Execute pairOf(bool flushes) {
  return flushes ? function<Arity, uint64_t, Both<Modified<Op<R>, ftz>>>()
                 : function<Arity, uint64_t, Both<Op<R>>>();
}
template <template <Rounding> class Op, unsigned Arity>
static Execute pair(const Match &match, Instruction &) {
  bool flushes = match.has("ftz");
  switch (roundingOf(match)) {
  case Rounding::towardZero:
    return pairOf<Op, Arity, Rounding::towardZero>(flushes);
  case Rounding::down:
    return pairOf<Op, Arity, Rounding::down>(flushes);
  case Rounding::up:
    return pairOf<Op, Arity, Rounding::up>(flushes);
  default:
    return pairOf<Op, Arity, Rounding::nearestEven>(flushes);
  }
}

//===--- The table --------------------------------------------------------===//

#define RND "rn|rz|rm|rp"
#define F32_2 "d:f32, a:f32, b:f32"
#define F32_3 "d:f32, a:f32, b:f32, c:f32"
#define F64_2 "d:f64, a:f64, b:f64"
#define F64_3 "d:f64, a:f64, b:f64, c:f64"
#define PAIR_2 "d:f32x2, a:f32x2, b:f32x2"

static constexpr Form table[] = {
    {"testp",
     "property=finite|infinite|number|notanumber|normal|subnormal type=f32|f64",
     "d:pred, a:type", "9.7.3.1", buildTestp},
    {"copysign", ".f32", F32_2, "9.7.3.2", buildCopySign<float>},
    {"copysign", ".f64", F64_2, "9.7.3.2", buildCopySign<double>},
    {"add", "rnd?=" RND " .ftz? .sat? .f32", F32_2, "9.7.3.3",
     withRounding<Add, 2, float>},
    {"add", "rnd?=" RND " .f64", F64_2, "9.7.3.3",
     withRounding<Add, 2, double>},
    {"add", "rnd?=" RND " .ftz? .f32x2", PAIR_2, "9.7.3.3", pair<Add, 2>},
    {"sub", "rnd?=" RND " .ftz? .sat? .f32", F32_2, "9.7.3.4",
     withRounding<Sub, 2, float>},
    {"sub", "rnd?=" RND " .f64", F64_2, "9.7.3.4",
     withRounding<Sub, 2, double>},
    {"sub", "rnd?=" RND " .ftz? .f32x2", PAIR_2, "9.7.3.4", pair<Sub, 2>},
    {"mul", "rnd?=" RND " .ftz? .sat? .f32", F32_2, "9.7.3.5",
     withRounding<Mul, 2, float>},
    {"mul", "rnd?=" RND " .f64", F64_2, "9.7.3.5",
     withRounding<Mul, 2, double>},
    {"mul", "rnd?=" RND " .ftz? .f32x2", PAIR_2, "9.7.3.5", pair<Mul, 2>},
    {"fma", "rnd=" RND " .ftz? .sat? .f32", F32_3, "9.7.3.6",
     withRounding<Fma, 3, float>},
    {"fma", "rnd=" RND " .f64", F64_3, "9.7.3.6", withRounding<Fma, 3, double>},
    {"fma", "rnd=" RND " .ftz? .f32x2", "d:f32x2, a:f32x2, b:f32x2, c:f32x2",
     "9.7.3.6", pair<Fma, 3>},
    {"mad", "rnd=" RND " .ftz? .sat? .f32", F32_3, "9.7.3.7",
     withRounding<Fma, 3, float>},
    {"mad", "rnd=" RND " .f64", F64_3, "9.7.3.7", withRounding<Fma, 3, double>},
    {"div", "rnd=" RND " .ftz? .f32", F32_2, "9.7.3.8",
     withRounding<Div, 2, float>},
    {"div", "rnd=" RND " .f64", F64_2, "9.7.3.8", withRounding<Div, 2, double>},
    {"abs", ".ftz? .f32", "d:f32, a:f32", "9.7.3.9", sign<Abs, float>},
    {"abs", ".f64", "d:f64, a:f64", "9.7.3.9", sign<Abs, double>},
    {"neg", ".ftz? .f32", "d:f32, a:f32", "9.7.3.10", sign<Neg, float>},
    {"neg", ".f64", "d:f64, a:f64", "9.7.3.10", sign<Neg, double>},
    {"min", ".ftz? .NaN? .xorsign .abs .f32", F32_2, "9.7.3.11",
     extremum<MinXorSignAbs, 2>},
    {"min", ".ftz? .NaN? .f32", F32_2, "9.7.3.11", extremum<Min, 2>},
    {"min", ".ftz? .NaN? .f32", F32_3, "9.7.3.11", extremum<Min3, 3>},
    {"min", ".f64", F64_2, "9.7.3.11", extremum64<Min>},
    {"max", ".ftz? .NaN? .xorsign .abs .f32", F32_2, "9.7.3.12",
     extremum<MaxXorSignAbs, 2>},
    {"max", ".ftz? .NaN? .f32", F32_2, "9.7.3.12", extremum<Max, 2>},
    {"max", ".ftz? .NaN? .f32", F32_3, "9.7.3.12", extremum<Max3, 3>},
    {"max", ".f64", F64_2, "9.7.3.12", extremum64<Max>},
    {"rcp", "rnd=" RND " .ftz? .f32", "d:f32, a:f32", "9.7.3.13",
     withRounding<Rcp, 1, float>},
    {"rcp", "rnd=" RND " .f64", "d:f64, a:f64", "9.7.3.13",
     withRounding<Rcp, 1, double>},
    {"sqrt", "rnd=" RND " .ftz? .f32", "d:f32, a:f32", "9.7.3.15",
     withRounding<Sqrt, 1, float>},
    {"sqrt", "rnd=" RND " .f64", "d:f64, a:f64", "9.7.3.15",
     withRounding<Sqrt, 1, double>},
};

std::span<const Form> floatForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
