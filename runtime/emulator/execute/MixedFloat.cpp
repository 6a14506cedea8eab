// f32 arithmetic on sources of f16 and bf16: PTX section 9.7.5.
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/numeric/Arithmetic.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

template <bool Saturates> inline float after(float value) {
  if constexpr (Saturates)
    return saturated(value);
  return value;
}

template <Rounding R, bool Saturates> struct Add {
  template <class Small> static float apply(Small a, float c) {
    return after<Saturates>(add<R>(widen(a), c));
  }
};
template <Rounding R, bool Saturates> struct Sub {
  template <class Small> static float apply(Small a, float c) {
    return after<Saturates>(sub<R>(widen(a), c));
  }
};
template <Rounding R, bool Saturates> struct Fma {
  template <class Small> static float apply(Small a, Small b, float c) {
    return after<Saturates>(fma<R>(widen(a), widen(b), c));
  }
};

template <class Op, unsigned Arity> static Execute ofType(const Match &match) {
  bool isHalf = match.type() == Type::f16;
  if constexpr (Arity == 2)
    return isHalf ? binary<float, Half, float, Op>
                  : binary<float, BFloat, float, Op>;
  else
    return isHalf ? ternary<float, Half, Half, float, Op>
                  : ternary<float, BFloat, BFloat, float, Op>;
}
template <template <Rounding, bool> class Op, unsigned Arity, Rounding R>
static Execute withSaturation(const Match &match) {
  return match.has("sat") ? ofType<Op<R, true>, Arity>(match)
                          : ofType<Op<R, false>, Arity>(match);
}
template <template <Rounding, bool> class Op, unsigned Arity>
static Execute build(const Match &match, Instruction &) {
  std::string_view mode = match["rnd"];
  return mode == "rz"   ? withSaturation<Op, Arity, Rounding::towardZero>(match)
         : mode == "rm" ? withSaturation<Op, Arity, Rounding::down>(match)
         : mode == "rp"
             ? withSaturation<Op, Arity, Rounding::up>(match)
             : withSaturation<Op, Arity, Rounding::nearestEven>(match);
}

#define MODIFIERS "=rn|rz|rm|rp .sat? .f32 type=f16|bf16"

static constexpr Form table[] = {
    {"add", "rnd?" MODIFIERS, "d:f32, a:type, c:f32", "9.7.5.1", build<Add, 2>},
    {"sub", "rnd?" MODIFIERS, "d:f32, a:type, c:f32", "9.7.5.2", build<Sub, 2>},
    {"fma", "rnd" MODIFIERS, "d:f32, a:type, b:type, c:f32", "9.7.5.3",
     build<Fma, 3>},
};

std::span<const Form> mixedFloatForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
