// Element by element: rarer functions of floats, parts of their bits, and sums
// without NaN.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Logic.h"
#include "graph/build/Power.h"
#include "graph/build/Reduce.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// Between degrees and radians; integers become f32.
template <bool toRadians> LogicalResult importAngleUnit(Call &c) {
  constexpr double pi = std::numbers::pi;
  constexpr double factor = toRadians ? pi / 180 : 180 / pi;
  TRY(Tensor x, c.tensor("self"));
  TRY(x, convert(c.b, x, floating(c.b, x->element)));
  return c.done(elementwise(c.b, {x}, x->element, [&](Scalar &s, Values v) {
    return s.mul(v[0], s.like(v[0], factor));
  }));
}

/// The integer with the bits of a float.
Value bitsOf(Scalar &s, Value x) {
  Type type = s.builder.getIntegerType(x.getType().getIntOrFloatBitWidth());
  return s.make<arith::BitcastOp>(type, x);
}

LogicalResult importSignBit(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (x->element.isBool() || x->element.isUnsigned)
    return c.done(elementwise(c.b, {x}, boolean(c.b), [](Scalar &s, Values) {
      return s.truth(false);
    }));
  return c.done(elementwise(c.b, {x}, boolean(c.b), [](Scalar &s, Values v) {
    Scalar t(s.builder, s.loc);
    Value bits = isa<FloatType>(v[0].getType()) ? bitsOf(s, v[0]) : v[0];
    return t.lt(bits, s.integer(bits.getType(), 0));
  }));
}

/// Whether elements are finite: all that are not floats.
LogicalResult importIsFinite(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  const bool isFloat = x->element.isFloat();
  return c.done(elementwise(c.b, {x}, boolean(c.b), [&](Scalar &s, Values v) {
    return isFloat ? s.lt(s.abs(v[0]), s.like(v[0], INFINITY)) : s.truth(true);
  }));
}

LogicalResult importIsReal(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  return c.done(elementwise(c.b, {x}, boolean(c.b),
                            [](Scalar &s, Values) { return s.truth(true); }));
}

/// 0 below 0 and of NaN, `values` at 0, 1 above.
LogicalResult importHeaviside(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor values, c.tensor("values"));
  return c.done(
      elementwise(c.b, {x, values}, x->element, [](Scalar &s, Values v) {
        Value zero = s.like(v[0], 0);
        Value step = s.select(s.gt(v[0], zero), s.like(v[0], 1), zero);
        return s.select(s.eq(v[0], zero), v[1], step);
      }));
}

/// Whether |x - y| <= atol + rtol * |y|, or x = y.
LogicalResult importIsClose(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "other"));
  TRY(double relative, c.number("rtol"));
  TRY(double absolute, c.number("atol"));
  TRY(bool equalNaN, c.flag("equal_nan"));
  const bool isFloat = p.common.isFloat();
  return c.done(
      elementwise(c.b, {p.x, p.y}, boolean(c.b), [&](Scalar &s, Values v) {
        Value isClose = s.eq(v[0], v[1]);
        if (equalNaN && isFloat)
          isClose = s.logicalOr(
              isClose, s.logicalAnd(s.ne(v[0], v[0]), s.ne(v[1], v[1])));
        if (relative == 0 && absolute == 0)
          return isClose;
        Type wide = isFloat ? v[0].getType() : s.builder.getF64Type();
        Value x = s.convert(v[0], wide), y = s.convert(v[1], wide);
        Value distance = s.abs(s.sub(x, y));
        Value allowed =
            s.add(s.like(y, absolute), s.abs(s.mul(s.like(y, relative), y)));
        Value isFinite = s.lt(distance, s.like(distance, INFINITY));
        return s.logicalOr(isClose,
                           s.logicalAnd(isFinite, s.le(distance, allowed)));
      }));
}

/// x * 2^y.
LogicalResult importLoadExponent(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor y, c.tensor("other"));
  TRY(Element out, c.resultElement());
  TRY(x, convert(c.b, x, out));
  TRY(y, convert(c.b, y, out));
  return c.done(elementwise(c.b, {x, y}, out, [](Scalar &s, Values v) {
    return s.mul(v[0], s.make<math::PowFOp>(s.like(v[1], 2), v[1]));
  }));
}

/// log2(2^x + 2^y).
LogicalResult importLogAddExp2(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "other"));
  return c.done(elementwise(c.b, {p.x, p.y}, p.common, [](Scalar &s, Values v) {
    Value top = s.max(v[0], v[1]), low = s.min(v[0], v[1]);
    Value power = s.make<math::PowFOp>(s.like(top, 2), s.sub(low, top));
    Value more =
        s.mul(s.make<math::Log1pOp>(power), s.like(top, std::numbers::log2e));
    return s.select(s.eq(v[0], v[1]), s.add(v[0], s.like(top, 1)),
                    s.add(top, more));
  }));
}

/// Powers in f64.
LogicalResult importFloatPower(Call &c) {
  TRY(Term x, termOf(c, "self"));
  TRY(Term y, termOf(c, "exponent"));
  Element wide{c.b.builder.getF64Type()};
  TRY(Tensor base, convert(c.b, x.tensor, wide));
  TRY(Tensor exponent, convert(c.b, y.tensor, wide));
  return c.done(power(c.b, base, exponent));
}

/// sin(pi x) / (pi x), and 1 at 0.
LogicalResult importSinc(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(x, convert(c.b, x, floating(c.b, x->element)));
  return c.done(mapElements(c.b, x, [](Scalar &s, Value v) {
    Value at = s.mul(v, s.like(v, std::numbers::pi)), zero = s.like(v, 0);
    Value ratio = s.div(s.make<math::SinOp>(at), at);
    return s.select(s.eq(v, zero), s.like(v, 1), ratio);
  }));
}

/// pi of negative numbers, 0 of others.
LogicalResult importAngle(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Element out, c.resultElement());
  return c.done(elementwise(c.b, {x}, out, [&](Scalar &s, Values v) {
    Type type = isa<FloatType>(v[0].getType()) ? v[0].getType() : out.type;
    Value zero = s.constant(type, 0), pi = s.constant(type, std::numbers::pi);
    if (x->element.isUnsigned)
      return zero;
    Value angle = s.select(s.lt(v[0], s.like(v[0], 0)), pi, zero);
    return isa<FloatType>(v[0].getType())
               ? s.select(s.ne(v[0], v[0]), v[0], angle)
               : angle;
  }));
}

/// How a type of floats lies in its bits.
struct FloatLayout {
  Type word;
  int64_t fraction, bias, exponents;
};
FloatLayout layoutOf(Scalar &s, Value x) {
  if (x.getType().isF64())
    return {s.builder.getI64Type(), 52, 1023, 0x7ff};
  return {s.builder.getI32Type(), 23, 127, 0xff};
}

/// The exponent e with |x| = m * 2^e for an m from 1/2 to below 1; 0 of zeros,
/// infinities and NaN. With it, x times 2^64 where it is subnormal.
struct Exponent {
  Value value, scaled, isPlain;
};
Exponent exponentOf(Scalar &s, Value x) {
  FloatLayout layout = layoutOf(s, x);
  Value least = s.like(x, layout.fraction == 52 ? 0x1p-1022 : 0x1p-126);
  Value isSmall = s.lt(s.abs(x), least);
  Value scaled = s.select(isSmall, s.mul(x, s.like(x, 0x1p64)), x);
  auto number = [&](int64_t value) { return s.integer(layout.word, value); };
  Value raw =
      s.make<arith::ShRUIOp>(bitsOf(s, scaled), number(layout.fraction));
  raw = s.make<arith::AndIOp>(raw, number(layout.exponents));
  Value shift =
      s.select(isSmall, number(layout.bias - 1 + 64), number(layout.bias - 1));
  Value isPlain =
      s.logicalAnd(s.ne(x, s.like(x, 0)), s.lt(s.abs(x), s.like(x, INFINITY)));
  Value exponent = s.select(isPlain, s.sub(raw, shift), number(0));
  return {exponent, scaled, isPlain};
}

/// The mantissa and the exponent.
LogicalResult importSplitExponent(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor mantissa,
      elementwise(c.b, {x}, x->element, [](Scalar &s, Values v) {
        Exponent e = exponentOf(s, v[0]);
        FloatLayout layout = layoutOf(s, v[0]);
        int64_t exponents = layout.exponents << layout.fraction;
        int64_t half = (layout.bias - 1) << layout.fraction;
        Value bits = bitsOf(s, e.scaled);
        bits = s.make<arith::AndIOp>(bits, s.integer(layout.word, ~exponents));
        bits = s.logicalOr(bits, s.integer(layout.word, half));
        Value part = s.make<arith::BitcastOp>(v[0].getType(), bits);
        return s.select(e.isPlain, part, v[0]);
      }));
  Element i32{c.b.builder.getI32Type()};
  TRY(Tensor exponent, elementwise(c.b, {x}, i32, [](Scalar &s, Values v) {
        return s.convert(exponentOf(s, v[0]).value, s.builder.getI32Type());
      }));
  return c.setBoth(mantissa, exponent);
}

/// The next number from x towards y.
LogicalResult importNextAfter(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "other"));
  return c.done(elementwise(
      c.b, {p.x, p.y}, p.common,
      [](Scalar &s, Values v) {
        Value x = v[0], y = v[1], zero = s.like(x, 0);
        Value bits = bitsOf(s, x), one = s.integer(bits.getType(), 1);
        Value grows = s.eq(s.lt(x, y), s.lt(zero, x));
        Value next = s.select(grows, s.add(bits, one), s.sub(bits, one));
        next = s.make<arith::BitcastOp>(x.getType(), next);
        Value least = s.make<arith::BitcastOp>(x.getType(), one);
        least = s.select(s.lt(y, zero), s.neg(least), least);
        Value result = s.select(s.eq(x, zero), least, next);
        result = s.select(s.eq(x, y), y, result);
        Value isNumber = s.logicalAnd(s.eq(x, x), s.eq(y, y));
        return s.select(isNumber, result, s.like(x, NAN));
      },
      /*widen=*/false));
}

/// Sums, or means, of the elements that are numbers.
template <bool isMean> LogicalResult importNumbersOnly(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  SmallVector<int64_t> axes;
  TRY(axes, c.axes("dim", x->rank()));
  TRY(bool keepDims, c.flag("keepdim"));
  TRY(Element out, c.resultElement());
  TRY(x, convert(b, x, out));
  TRY(Tensor numbers, elementwise(b, {x}, out, [](Scalar &s, Values v) {
        return s.select(s.ne(v[0], v[0]), s.like(v[0], 0), v[0]);
      }));
  TRY(Tensor sum, sumAlong(b, numbers, axes, keepDims, plainSum));
  if (!isMean)
    return c.set(0, sum);
  TRY(Tensor ones, elementwise(b, {x}, f32(b), [](Scalar &s, Values v) {
        Type type = s.builder.getF32Type();
        return s.select(s.ne(v[0], v[0]), s.constant(type, 0),
                        s.constant(type, 1));
      }));
  TRY(Tensor count, sumAlong(b, ones, axes, keepDims, plainSum));
  TRY(count, convert(b, count, out));
  return c.done(divide(b, sum, count));
}

/// To a number of decimals, of powers of 10 where it is negative.
LogicalResult importRoundTo(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(int64_t decimals, c.integer("decimals"));
  if (!x->element.isFloat())
    return c.set(0, x);
  return c.done(elementwise(c.b, {x}, x->element, [&](Scalar &s, Values v) {
    Value power = s.like(v[0], std::pow(10, std::abs(decimals)));
    Value scaled = decimals < 0 ? s.div(v[0], power) : s.mul(v[0], power);
    Value whole = s.make<math::RoundEvenOp>(scaled);
    if (decimals == 0)
      return s.make<math::RoundEvenOp>(v[0]);
    return decimals < 0 ? s.mul(whole, power) : s.div(whole, power);
  }));
}

/// The greatest common divisor of |x| and |y|, by as many steps as numbers of
/// this width may need (those of Fibonacci's numbers).
Value commonDivisor(Scalar &s, Value x, Value y) {
  Scalar t(s.builder, s.loc, /*isUnsigned=*/true);
  Value zero = s.integer(x.getType(), 0);
  int64_t steps = x.getType().getIntOrFloatBitWidth() * 3 / 2;
  x = s.abs(x);
  y = s.abs(y);
  for (int64_t i = 0; i < steps; ++i) {
    Value isDone = t.eq(y, zero), rest = t.rem(x, y);
    x = s.select(isDone, x, y);
    y = s.select(isDone, y, rest);
  }
  return x;
}

template <bool multiple> LogicalResult importDivisor(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "other"));
  return c.done(elementwise(c.b, {p.x, p.y}, p.common, [](Scalar &s, Values v) {
    Value divisor = commonDivisor(s, v[0], v[1]);
    return multiple ? s.abs(s.mul(s.div(v[0], divisor), v[1])) : divisor;
  }));
}

/// -x log(x), and -infinity below 0.
LogicalResult importEntropy(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(x, convert(c.b, x, floating(c.b, x->element)));
  return c.done(mapElements(c.b, x, [](Scalar &s, Value v) {
    Value zero = s.like(v, 0);
    Value value = s.neg(s.mul(v, s.log(v)));
    value = s.select(s.eq(v, zero), zero, value);
    value = s.select(s.lt(v, zero), s.like(v, -INFINITY), value);
    return s.select(s.ne(v, v), v, value);
  }));
}

/// log(sigmoid(x)), and what its gradient would need, which is empty here.
LogicalResult importLogSigmoid(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (c.isRead(1))
    return c.fail("the saved buffer is not supported");
  return c.done(mapElements(
      c.b, x, [](Scalar &s, Value v) { return s.neg(s.softplus(s.neg(v))); }));
}

} // namespace

void addFloatOps(OpTable &t) {
  t.add("aten.deg2rad.default", importAngleUnit<true>);
  t.add("aten.rad2deg.default", importAngleUnit<false>);
  t.add("aten.signbit.default", importSignBit);
  t.add("aten.isfinite.default", importIsFinite);
  t.add("aten.isreal.default", importIsReal);
  t.add("aten.heaviside.default", importHeaviside);
  t.add("aten.isclose.default", importIsClose);
  t.add("aten.ldexp.Tensor", importLoadExponent);
  t.add("aten.logaddexp2.default", importLogAddExp2);
  t.add({"aten.float_power.Tensor_Tensor", "aten.float_power.Scalar",
         "aten.float_power.Tensor_Scalar"},
        importFloatPower);
  t.add("aten.sinc.default", importSinc);
  t.add("aten.angle.default", importAngle);
  t.add("aten.frexp.Tensor", importSplitExponent);
  t.add("aten.nextafter.default", importNextAfter);
  t.add("aten.nansum.default", importNumbersOnly<false>);
  t.add("aten.nanmean.default", importNumbersOnly<true>);
  t.add("aten.special_entr.default", importEntropy);
  t.add("aten.round.decimals", importRoundTo);
  t.add("aten.gcd.default", importDivisor<false>);
  t.add("aten.lcm.default", importDivisor<true>);
  t.add("aten.log_sigmoid_forward.default", importLogSigmoid);
}

} // namespace tilewright::torch
