// Integer arithmetic: PTX section 9.7.1.
#include "runtime/emulator/numeric/Integer.h"
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

// An operation on T as a struct, for the templates of Lanes.h.
#define OPERATION(NAME, PARAMETERS, RESULT, EXPRESSION)                        \
  template <class T> struct NAME {                                             \
    static RESULT apply PARAMETERS { return EXPRESSION; }                      \
  };
OPERATION(Add, (T a, T b), T, addWrapped(a, b))
OPERATION(Sub, (T a, T b), T, subWrapped(a, b))
OPERATION(MulLo, (T a, T b), T, mulLo(a, b))
OPERATION(MulHi, (T a, T b), T, mulHi(a, b))
OPERATION(MadLo, (T a, T b, T c), T, addWrapped(mulLo(a, b), c))
OPERATION(MadHi, (T a, T b, T c), T, addWrapped(mulHi(a, b), c))
OPERATION(Sad, (T a, T b, T c), T, sad(a, b, c))
OPERATION(Div, (T a, T b), T, divide(a, b))
OPERATION(Rem, (T a, T b), T, remainder(a, b))
OPERATION(Min, (T a, T b), T, minInteger(a, b))
OPERATION(Max, (T a, T b), T, maxInteger(a, b))
OPERATION(Abs, (T a), T, absWrapped(a))
OPERATION(Neg, (T a), T, negWrapped(a))
OPERATION(Mul24Lo, (T a, T b), T, mul24Lo(a, b))
OPERATION(Mul24Hi, (T a, T b), T, mul24Hi(a, b))
OPERATION(Mad24Lo, (T a, T b, T c), T, addWrapped(mul24Lo(a, b), c))
OPERATION(Mad24Hi, (T a, T b, T c), T, addWrapped(mul24Hi(a, b), c))
OPERATION(MulWide, (T a, T b), Wider<T>, mulWide(a, b))
OPERATION(MadWide, (T a, T b, Wider<T> c), Wider<T>,
          addWrapped(mulWide(a, b), c))
/// min.relu, max.relu: then not below 0.
OPERATION(MinRelu, (T a, T b), T, maxInteger(minInteger(a, b), T{0}))
OPERATION(MaxRelu, (T a, T b), T, maxInteger(maxInteger(a, b), T{0}))
#undef OPERATION

struct AddSaturated {
  static int32_t apply(int32_t a, int32_t b) { return addSaturated(a, b); }
};
struct SubSaturated {
  static int32_t apply(int32_t a, int32_t b) { return subSaturated(a, b); }
};
struct MadHiSaturated {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return madHiSaturated(a, b, c);
  }
};
struct Mad24HiSaturated {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return mad24HiSaturated(a, b, c);
  }
};

/// Both half words of a packed type.
template <template <class> class Op, class T> struct Halves {
  static uint32_t apply(uint32_t a, uint32_t b) {
    return eachHalfWord<T>(a, b, [](T x, T y) { return Op<T>::apply(x, y); });
  }
};

//===--- Choosing by type -------------------------------------------------===//

template <template <class> class Op>
static Execute on1(const Match &match, Instruction &) {
  return withInteger(match.type(), [](auto t) -> Execute {
    using T = decltype(t);
    return unary<T, T, Op<T>>;
  });
}
template <template <class> class Op>
static Execute on2(const Match &match, Instruction &) {
  if (match.type() == Type::u16x2)
    return binary<uint32_t, uint32_t, uint32_t, Halves<Op, uint16_t>>;
  if (match.type() == Type::s16x2)
    return binary<uint32_t, uint32_t, uint32_t, Halves<Op, int16_t>>;
  return withInteger(match.type(), [](auto t) -> Execute {
    using T = decltype(t);
    return binary<T, T, T, Op<T>>;
  });
}
template <template <class> class Op>
static Execute on3(const Match &match, Instruction &) {
  return withInteger(match.type(), [](auto t) -> Execute {
    using T = decltype(t);
    return ternary<T, T, T, T, Op<T>>;
  });
}
/// Types of 32 bits only.
template <template <class> class Op>
static Execute on2Words(const Match &match, Instruction &) {
  if (match.type() == Type::s32)
    return binary<int32_t, int32_t, int32_t, Op<int32_t>>;
  return binary<uint32_t, uint32_t, uint32_t, Op<uint32_t>>;
}
template <template <class> class Op>
static Execute on3Words(const Match &match, Instruction &) {
  if (match.type() == Type::s32)
    return ternary<int32_t, int32_t, int32_t, int32_t, Op<int32_t>>;
  return ternary<uint32_t, uint32_t, uint32_t, uint32_t, Op<uint32_t>>;
}
template <class T> static Execute wideProduct(const Match &, Instruction &) {
  return binary<Wider<T>, T, T, MulWide<T>>;
}
template <class T> static Execute wideSum(const Match &, Instruction &) {
  return ternary<Wider<T>, T, T, Wider<T>, MadWide<T>>;
}
template <class Op> static Execute onS32x2(const Match &, Instruction &) {
  return binary<int32_t, int32_t, int32_t, Op>;
}
template <class Op> static Execute onS32x3(const Match &, Instruction &) {
  return ternary<int32_t, int32_t, int32_t, int32_t, Op>;
}

template <class A, class B> struct Dp4a {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    return dp4a<A, B>(a, b, c);
  }
};
template <bool High, class A, class B> struct Dp2a {
  static uint32_t apply(uint32_t a, uint32_t b, uint32_t c) {
    return dp2a<High, A, B>(a, b, c);
  }
};
template <class Op>
constexpr Execute onWords3 =
    ternary<uint32_t, uint32_t, uint32_t, uint32_t, Op>;

static Execute buildDp4a(const Match &match, Instruction &) {
  bool a = match.type("atype") == Type::s32,
       b = match.type("btype") == Type::s32;
  if (a)
    return b ? onWords3<Dp4a<int8_t, int8_t>> : onWords3<Dp4a<int8_t, uint8_t>>;
  return b ? onWords3<Dp4a<uint8_t, int8_t>> : onWords3<Dp4a<uint8_t, uint8_t>>;
}
template <bool High>
static Execute buildDp2aHalf(const Match &match, Instruction &) {
  bool a = match.type("atype") == Type::s32,
       b = match.type("btype") == Type::s32;
  if (a)
    return b ? onWords3<Dp2a<High, int16_t, int8_t>>
             : onWords3<Dp2a<High, int16_t, uint8_t>>;
  return b ? onWords3<Dp2a<High, uint16_t, int8_t>>
           : onWords3<Dp2a<High, uint16_t, uint8_t>>;
}

//===--- The table --------------------------------------------------------===//

#define INTEGERS "u16|u32|u64|s16|s32|s64"
#define ABD "d:type, a:type, b:type"
#define ABCD "d:type, a:type, b:type, c:type"

static constexpr Form table[] = {
    {"add", "type=" INTEGERS "|u16x2|s16x2", ABD, "9.7.1.1", on2<Add>},
    {"add", ".sat .s32", "d:s32, a:s32, b:s32", "9.7.1.1",
     onS32x2<AddSaturated>},
    {"sub", "type=" INTEGERS, ABD, "9.7.1.2", on2<Sub>},
    {"sub", ".sat .s32", "d:s32, a:s32, b:s32", "9.7.1.2",
     onS32x2<SubSaturated>},
    {"mul", ".lo type=" INTEGERS, ABD, "9.7.1.3", on2<MulLo>},
    {"mul", ".hi type=" INTEGERS, ABD, "9.7.1.3", on2<MulHi>},
    {"mul", ".wide .u16", "d:u32, a:u16, b:u16", "9.7.1.3",
     wideProduct<uint16_t>},
    {"mul", ".wide .s16", "d:s32, a:s16, b:s16", "9.7.1.3",
     wideProduct<int16_t>},
    {"mul", ".wide .u32", "d:u64, a:u32, b:u32", "9.7.1.3",
     wideProduct<uint32_t>},
    {"mul", ".wide .s32", "d:s64, a:s32, b:s32", "9.7.1.3",
     wideProduct<int32_t>},
    {"mad", ".lo type=" INTEGERS, ABCD, "9.7.1.4", on3<MadLo>},
    {"mad", ".hi type=" INTEGERS, ABCD, "9.7.1.4", on3<MadHi>},
    {"mad", ".hi .sat .s32", "d:s32, a:s32, b:s32, c:s32", "9.7.1.4",
     onS32x3<MadHiSaturated>},
    {"mad", ".wide .u16", "d:u32, a:u16, b:u16, c:u32", "9.7.1.4",
     wideSum<uint16_t>},
    {"mad", ".wide .s16", "d:s32, a:s16, b:s16, c:s32", "9.7.1.4",
     wideSum<int16_t>},
    {"mad", ".wide .u32", "d:u64, a:u32, b:u32, c:u64", "9.7.1.4",
     wideSum<uint32_t>},
    {"mad", ".wide .s32", "d:s64, a:s32, b:s32, c:s64", "9.7.1.4",
     wideSum<int32_t>},
    {"mul24", ".lo type=u32|s32", ABD, "9.7.1.5", on2Words<Mul24Lo>},
    {"mul24", ".hi type=u32|s32", ABD, "9.7.1.5", on2Words<Mul24Hi>},
    {"mad24", ".lo type=u32|s32", ABCD, "9.7.1.6", on3Words<Mad24Lo>},
    {"mad24", ".hi type=u32|s32", ABCD, "9.7.1.6", on3Words<Mad24Hi>},
    {"mad24", ".hi .sat .s32", "d:s32, a:s32, b:s32, c:s32", "9.7.1.6",
     onS32x3<Mad24HiSaturated>},
    {"sad", "type=" INTEGERS, ABCD, "9.7.1.7", on3<Sad>},
    {"div", "type=" INTEGERS, ABD, "9.7.1.8", on2<Div>},
    {"rem", "type=" INTEGERS, ABD, "9.7.1.9", on2<Rem>},
    {"abs", "type=s16|s32|s64", "d:type, a:type", "9.7.1.10", on1<Abs>},
    {"neg", "type=s16|s32|s64", "d:type, a:type", "9.7.1.11", on1<Neg>},
    {"min", "type=" INTEGERS "|u16x2|s16x2", ABD, "9.7.1.12", on2<Min>},
    {"min", ".relu type=s16x2|s32", ABD, "9.7.1.12", on2<MinRelu>},
    {"max", "type=" INTEGERS "|u16x2|s16x2", ABD, "9.7.1.13", on2<Max>},
    {"max", ".relu type=s16x2|s32", ABD, "9.7.1.13", on2<MaxRelu>},
    {"dp4a", "atype=u32|s32 btype=u32|s32", "d:b32, a:b32, b:b32, c:b32",
     "9.7.1.23", buildDp4a},
    {"dp2a", ".lo atype=u32|s32 btype=u32|s32", "d:b32, a:b32, b:b32, c:b32",
     "9.7.1.24", buildDp2aHalf<false>},
    {"dp2a", ".hi atype=u32|s32 btype=u32|s32", "d:b32, a:b32, b:b32, c:b32",
     "9.7.1.24", buildDp2aHalf<true>},
};

std::span<const Form> integerForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
