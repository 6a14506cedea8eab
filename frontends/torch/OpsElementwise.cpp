// Arithmetic, element by element.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Logic.h"
#include "graph/build/Power.h"

#include <cmath>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// A function of floats; integers become f32.
template <UnaryFn fn> LogicalResult importFloat(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(x, convert(c.b, x, floating(c.b, x->element)));
  return c.done(mapElements(c.b, x, fn));
}

/// A function of floats and integers.
template <UnaryFn fn> LogicalResult importUnary(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  return c.done(mapElements(c.b, x, fn));
}

/// A function that does not change integers.
template <UnaryFn fn> LogicalResult importRounding(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  return c.done(x->element.isFloat() ? mapElements(c.b, x, fn) : x);
}

Value reciprocalRoot(Scalar &s, Value x) {
  return s.div(s.like(x, 1), s.sqrt(x));
}
Value exp2(Scalar &s, Value x) { return s.make<math::PowFOp>(s.like(x, 2), x); }
Value log2(Scalar &s, Value x) {
  return s.mul(s.log(x), s.like(x, 1.4426950408889634));
}
Value log10(Scalar &s, Value x) {
  return s.mul(s.log(x), s.like(x, 0.4342944819032518));
}
Value erfc(Scalar &s, Value x) { return s.sub(s.like(x, 1), s.erf(x)); }
Value sigmoid(Scalar &s, Value x) { return s.sigmoid(x); }
Value fraction(Scalar &s, Value x) {
  return s.sub(x, s.make<math::TruncOp>(x));
}

/// PyTorch's sign: 0 of NaN.
Value signOf(Scalar &s, Value x) {
  if (x.getType().isInteger(1))
    return x;
  if (!isa<FloatType>(x.getType()))
    return sign(s, x);
  Value zero = s.like(x, 0);
  Value negative = s.select(s.lt(x, zero), s.like(x, -1), zero);
  return s.select(s.gt(x, zero), s.like(x, 1), negative);
}

LogicalResult importAbs(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (x->element.isBool() || x->element.isUnsigned)
    return c.set(0, x);
  return c.done(mapElements(c.b, x, absolute));
}

LogicalResult importNeg(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  return c.done(negate(c.b, x));
}

/// The result in the common type, which numbers beside narrow floats are not.
LogicalResult finish(Call &c, const Pair &pair, FailureOr<Tensor> result) {
  if (failed(result))
    return failure();
  return c.done(convert(c.b, *result, pair.common));
}

/// Of booleans, a sum is "or" and a product "and".
LogicalResult importArithmetic(Call &c, StringRef x, StringRef y,
                               Arithmetic op) {
  TRY(Pair p, promotedPair(c, x, y));
  bool hasFactor = c.find("alpha") != nullptr;
  double alpha = 1;
  if (hasFactor) {
    TRY(alpha, c.number("alpha"));
  }
  if (p.common.isBool() && op != Arithmetic::Max && op != Arithmetic::Min)
    return c.done(combineBits(
        c.b, op == Arithmetic::Multiply ? Bitwise::And : Bitwise::Or, p.x,
        p.y));
  if (alpha == 1)
    return finish(c, p, arithmetic(c.b, op, p.x, p.y));
  bool subtracts = op == Arithmetic::Subtract;
  return finish(
      c, p, elementwise(c.b, {p.x, p.y}, p.common, [&](Scalar &s, Values v) {
        Value scaled = s.mul(v[1], s.like(v[1], alpha));
        return subtracts ? s.sub(v[0], scaled) : s.add(v[0], scaled);
      }));
}

template <Arithmetic op> LogicalResult importPair(Call &c) {
  return importArithmetic(c, "self", "other", op);
}

LogicalResult importReversedSub(Call &c) {
  return importArithmetic(c, "other", "self", Arithmetic::Subtract);
}

/// Quotients of integers are floats, unless they are rounded.
LogicalResult importDivide(Call &c) {
  TRY(Term x, termOf(c, "self"));
  TRY(Term y, termOf(c, "other"));
  TRY(Element common, promote(c.b, {x, y}));
  std::string rounding;
  if (!c.isNone("rounding_mode")) {
    TRY(rounding, c.text("rounding_mode"));
  }
  if (StringRef(c.target).starts_with("aten.floor_divide"))
    rounding = "floor";
  if (rounding.empty())
    common = floating(c.b, common);
  Pair p{nullptr, nullptr, common};
  TRY(p.x, promoted(c.b, x, common));
  TRY(p.y, promoted(c.b, y, common));
  if (rounding.empty())
    return finish(c, p, divide(c.b, p.x, p.y));
  const bool isFloor = rounding == "floor";
  if (!common.isFloat() && !isFloor)
    return finish(c, p, divide(c.b, p.x, p.y));
  if (!common.isFloat()) {
    // The quotient that is left by a remainder with the divisor's sign.
    TRY(Tensor rest, modulo(c.b, p.x, p.y, /*truncates=*/false));
    TRY(Tensor whole, arithmetic(c.b, Arithmetic::Subtract, p.x, rest));
    return finish(c, p, divide(c.b, whole, p.y));
  }
  return finish(
      c, p, elementwise(c.b, {p.x, p.y}, common, [&](Scalar &s, Values v) {
        if (!isFloor)
          return s.make<math::TruncOp>(s.div(v[0], v[1]));
        Value rest = s.rem(v[0], v[1]), zero = s.like(rest, 0);
        Value quotient = s.div(s.sub(v[0], rest), v[1]);
        Value differs = s.ne(s.lt(rest, zero), s.lt(v[1], zero));
        Value lower = s.logicalAnd(s.ne(rest, zero), differs);
        quotient =
            s.select(lower, s.sub(quotient, s.like(quotient, 1)), quotient);
        quotient = s.make<math::RoundEvenOp>(quotient);
        return s.select(s.eq(v[1], zero), s.div(v[0], v[1]), quotient);
      }));
}

template <bool truncates> LogicalResult importRemainder(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "other"));
  return finish(c, p, modulo(c.b, p.x, p.y, truncates));
}

LogicalResult importPower(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "exponent"));
  return finish(c, p, power(c.b, p.x, p.y));
}

LogicalResult importAtan2(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "other"));
  p.common = floating(c.b, p.common);
  TRY(p.x, convert(c.b, p.x, p.common));
  TRY(p.y, convert(c.b, p.y, p.common));
  return finish(c, p,
                elementwise(c.b, {p.x, p.y}, p.common, [](Scalar &s, Values v) {
                  return s.make<math::Atan2Op>(v[0], v[1]);
                }));
}

/// Bounds are tensors, numbers or None. NaN stays NaN; where the bounds cross,
/// the upper one is the result.
LogicalResult importClamp(Call &c) {
  TRY(Term x, termOf(c, "self"));
  SmallVector<Term> terms = {x};
  Term low, high;
  if (!c.isNone("min")) {
    TRY(low, termOf(c, "min"));
    terms.push_back(low);
  }
  if (!c.isNone("max")) {
    TRY(high, termOf(c, "max"));
    terms.push_back(high);
  }
  Pair p;
  TRY(p.common, promote(c.b, terms));
  TRY(p.x, promoted(c.b, x, p.common));
  for (Term *bound : {&low, &high})
    if (bound->tensor) {
      TRY(bound->tensor, promoted(c.b, *bound, p.common));
    }
  return finish(c, p, clip(c.b, p.x, low.tensor, high.tensor));
}

/// self + value * tensor1 * tensor2, or their quotient.
template <bool divides> LogicalResult importProductAdd(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor y, c.tensor("tensor1"));
  TRY(Tensor z, c.tensor("tensor2"));
  TRY(double value, c.number("value"));
  return c.done(
      elementwise(c.b, {x, y, z}, x->element, [&](Scalar &s, Values v) {
        Value product = divides ? s.div(v[1], v[2]) : s.mul(v[1], v[2]);
        return s.add(v[0], s.mul(product, s.like(product, value)));
      }));
}

/// start + weight * (end - start), from the nearer end.
LogicalResult importLerp(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor y, c.tensor("end"));
  TRY(Term weight, termOf(c, "weight"));
  TRY(Tensor w, promoted(c.b, weight, x->element));
  return c.done(
      elementwise(c.b, {x, y, w}, x->element, [](Scalar &s, Values v) {
        Value difference = s.sub(v[1], v[0]);
        Value near = s.lt(s.abs(v[2]), s.like(v[2], 0.5));
        Value fromStart = s.add(v[0], s.mul(v[2], difference));
        Value rest = s.sub(s.like(v[2], 1), v[2]);
        return s.select(near, fromStart, s.sub(v[1], s.mul(difference, rest)));
      }));
}

/// Other numbers in the place of NaN and infinities.
LogicalResult importNanToNum(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (!x->element.isFloat())
    return c.set(0, x);
  const auto &semantics = cast<FloatType>(x->element.type).getFloatSemantics();
  bool loses;
  APFloat greatest = APFloat::getLargest(semantics);
  greatest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  double values[] = {0, greatest.convertToDouble(),
                     -greatest.convertToDouble()};
  StringRef names[] = {"nan", "posinf", "neginf"};
  for (auto [value, name] : llvm::zip(values, names))
    if (!c.isNone(name)) {
      TRY(value, c.number(name));
    }
  return c.done(elementwise(c.b, {x}, x->element, [&](Scalar &s, Values v) {
    Value inf = s.like(v[0], INFINITY), minus = s.like(v[0], -INFINITY);
    Value result = s.select(s.eq(v[0], inf), s.like(v[0], values[1]), v[0]);
    result = s.select(s.eq(v[0], minus), s.like(v[0], values[2]), result);
    return s.select(s.ne(v[0], v[0]), s.like(v[0], values[0]), result);
  }));
}

struct FloatRow {
  StringRef name;
  Handler handler;
};
const FloatRow floatRows[] = {
    {"aten.exp.default", importFloat<mathOp<math::ExpOp>>},
    {"aten.expm1.default", importFloat<mathOp<math::ExpM1Op>>},
    {"aten.exp2.default", importFloat<exp2>},
    {"aten.log.default", importFloat<mathOp<math::LogOp>>},
    {"aten.log1p.default", importFloat<mathOp<math::Log1pOp>>},
    {"aten.log2.default", importFloat<log2>},
    {"aten.log10.default", importFloat<log10>},
    {"aten.sqrt.default", importFloat<mathOp<math::SqrtOp>>},
    {"aten.rsqrt.default", importFloat<reciprocalRoot>},
    {"aten.reciprocal.default", importFloat<reciprocal>},
    {"aten.sin.default", importFloat<mathOp<math::SinOp>>},
    {"aten.cos.default", importFloat<mathOp<math::CosOp>>},
    {"aten.tan.default", importFloat<mathOp<math::TanOp>>},
    {"aten.asin.default", importFloat<mathOp<math::AsinOp>>},
    {"aten.acos.default", importFloat<mathOp<math::AcosOp>>},
    {"aten.atan.default", importFloat<mathOp<math::AtanOp>>},
    {"aten.sinh.default", importFloat<mathOp<math::SinhOp>>},
    {"aten.cosh.default", importFloat<mathOp<math::CoshOp>>},
    {"aten.asinh.default", importFloat<mathOp<math::AsinhOp>>},
    {"aten.acosh.default", importFloat<mathOp<math::AcoshOp>>},
    {"aten.atanh.default", importFloat<mathOp<math::AtanhOp>>},
    {"aten.tanh.default", importFloat<mathOp<math::TanhOp>>},
    {"aten.erf.default", importFloat<mathOp<math::ErfOp>>},
    {"aten.erfc.default", importFloat<erfc>},
    {"aten.sigmoid.default", importFloat<sigmoid>},
    {"aten.floor.default", importRounding<mathOp<math::FloorOp>>},
    {"aten.ceil.default", importRounding<mathOp<math::CeilOp>>},
    {"aten.round.default", importRounding<mathOp<math::RoundEvenOp>>},
    {"aten.trunc.default", importRounding<mathOp<math::TruncOp>>},
    {"aten.frac.default", importRounding<fraction>},
    {"aten.sign.default", importUnary<signOf>},
    {"aten.sgn.default", importUnary<signOf>},
    {"aten.abs.default", importAbs},
    {"aten.neg.default", importNeg},
    {"aten.nan_to_num.default", importNanToNum},
};

} // namespace

void addElementwiseOps(OpTable &t) {
  for (const FloatRow &row : floatRows)
    t.add(row.name, row.handler);
  t.add({"aten.add.Tensor", "aten.add.Scalar"}, importPair<Arithmetic::Add>);
  t.add({"aten.sub.Tensor", "aten.sub.Scalar"},
        importPair<Arithmetic::Subtract>);
  t.add({"aten.mul.Tensor", "aten.mul.Scalar"},
        importPair<Arithmetic::Multiply>);
  t.add({"aten.rsub.Tensor", "aten.rsub.Scalar"}, importReversedSub);
  t.add({"aten.maximum.default", "aten.max.other"},
        importPair<Arithmetic::Max>);
  t.add({"aten.minimum.default", "aten.min.other"},
        importPair<Arithmetic::Min>);
  t.add({"aten.div.Tensor", "aten.div.Scalar", "aten.div.Tensor_mode",
         "aten.div.Scalar_mode", "aten.floor_divide.default",
         "aten.floor_divide.Scalar"},
        importDivide);
  t.add({"aten.remainder.Tensor", "aten.remainder.Scalar",
         "aten.remainder.Scalar_Tensor"},
        importRemainder<false>);
  t.add({"aten.fmod.Tensor", "aten.fmod.Scalar"}, importRemainder<true>);
  t.add({"aten.pow.Tensor_Tensor", "aten.pow.Tensor_Scalar", "aten.pow.Scalar"},
        importPower);
  t.add("aten.atan2.default", importAtan2);
  t.add({"aten.clamp.default", "aten.clamp.Tensor", "aten.clamp_min.default",
         "aten.clamp_min.Tensor", "aten.clamp_max.default",
         "aten.clamp_max.Tensor"},
        importClamp);
  t.add("aten.addcmul.default", importProductAdd<false>);
  t.add("aten.addcdiv.default", importProductAdd<true>);
  t.add({"aten.lerp.Tensor", "aten.lerp.Scalar"}, importLerp);
}

} // namespace tilewright::torch
