#include "graph/build/Power.h"

#include "graph/build/Broadcast.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {
namespace {

/// What is known of an exponent.
struct Exponent {
  Element element;
  /// The one value that all elements have.
  std::optional<double> value;
  /// Whether a float with this many digits holds each of them as it is.
  bool isExact = false;
};

/// Digits of the type in which powers of floats are computed.
unsigned digitsOf(Element base) { return base.bits() == 64 ? 53 : 24; }

/// Whether a float with this many digits is each element of a small constant.
bool holdsConstants(const TensorInfo &tensor, unsigned digits) {
  constexpr int64_t most = 1024;
  auto count = countOf(tensor);
  if (!tensor.constant || !count)
    return false;
  if (tensor.constant->splat)
    count = std::min<int64_t>(*count, 1);
  if (*count > most)
    return false;
  for (int64_t i = 0; i < *count; ++i) {
    if (tensor.element.isFloat()) {
      double value = floatAt(tensor, i);
      if (digits < 53 && double(float(value)) != value)
        return false;
      continue;
    }
    int64_t value = intAt(tensor, i), bound = int64_t(1) << digits;
    if (value > bound || value < (tensor.element.isUnsigned ? 0 : -bound))
      return false;
  }
  return true;
}

Exponent exponentOf(const TensorInfo &y, Element base) {
  Exponent exponent{y.element, std::nullopt};
  if (y.constant && (y.constant->splat || countOf(y) == 1))
    // As signed numbers, great unsigned ones are negative.
    if (!y.element.isUnsigned || intAt(y, 0) >= 0)
      exponent.value = floatAt(y, 0);
  if (!base.isFloat())
    return exponent;
  unsigned digits = digitsOf(base);
  unsigned needed = y.element.isFloat() ? (y.element.bits() == 64 ? 53 : 24)
                                        : y.element.bits();
  if (y.element.isInteger() && !y.element.isUnsigned)
    --needed;
  exponent.isExact = needed <= digits || holdsConstants(y, digits);
  return exponent;
}

/// x^y of integers by squaring, modulo 2^n for n bits; for negative exponents 0
/// except for bases of 1 and -1. Only the last n - 1 bits of the exponent
/// count: with any above them, even bases give 0, and odd ones have an order
/// that divides 2^(n - 1).
Value integerPower(Scalar &s, Value x, Value y, bool yIsUnsigned) {
  Type type = x.getType(), exponent = y.getType();
  Value zero = s.integer(type, 0), one = s.integer(type, 1);
  Value none = s.integer(exponent, 0);
  Value result = one, square = x;
  const unsigned all = exponent.getIntOrFloatBitWidth() - !yIsUnsigned;
  const unsigned bits = std::min(type.getIntOrFloatBitWidth() - 1, all);
  for (unsigned i = 0; i < bits; ++i) {
    Value bit = s.make<arith::AndIOp>(y, s.integer(exponent, int64_t(1) << i));
    result = s.select(s.ne(bit, none), s.mul(result, square), result);
    if (i + 1 < bits)
      square = s.mul(square, square);
  }
  if (bits < all) {
    Value above = s.make<arith::ShRUIOp>(y, s.integer(exponent, bits));
    Value isEven = s.eq(s.make<arith::AndIOp>(x, one), zero);
    result = s.select(s.logicalAnd(s.ne(above, none), isEven), zero, result);
  }
  if (yIsUnsigned)
    return result;
  Value isUnit = s.eq(x, one);
  if (!s.isUnsigned)
    isUnit = s.logicalOr(isUnit, s.eq(x, s.integer(type, -1)));
  Scalar t(s.builder, s.loc);
  Value vanishes = s.logicalAnd(t.lt(y, none), s.logicalNot(isUnit));
  return s.select(vanishes, zero, result);
}

/// |x|^y and the sign by the last bit of y, for a y of 64 bits. A y beyond 2^53
/// is the sum of what f64 holds and of a rest below 2^11. With it the power is
/// 0, infinite, or of an |x| so close to 1 that |x|^rest is 1 + rest (|x| - 1).
Value longPower(Scalar &s, Value x, Value y, bool yIsUnsigned, bool corrects) {
  Type integer = y.getType();
  Scalar t(s.builder, s.loc, yIsUnsigned), u(s.builder, s.loc, true);
  const int64_t exact = int64_t(1) << 53;
  Value isLarge = yIsUnsigned ? t.gt(y, t.integer(integer, exact))
                              : u.gt(u.add(y, u.integer(integer, exact)),
                                     u.integer(integer, 2 * exact));
  Value last = s.make<arith::AndIOp>(y, s.integer(integer, 2047));
  Value rest = s.select(isLarge, last, s.integer(integer, 0));
  Value magnitude = s.abs(x);
  Value power =
      s.make<math::PowFOp>(magnitude, t.convert(s.sub(y, rest), x.getType()));
  if (corrects) {
    Value moved =
        s.mul(t.convert(rest, x.getType()), s.sub(magnitude, s.like(x, 1)));
    Value isUsual = s.logicalAnd(s.gt(power, s.like(x, 0)),
                                 s.lt(power, s.like(x, INFINITY)));
    power = s.select(s.logicalAnd(isLarge, isUsual),
                     s.add(power, s.mul(power, moved)), power);
  }
  Value isOdd = s.ne(s.make<arith::AndIOp>(y, s.integer(integer, 1)),
                     s.integer(integer, 0));
  return s.select(isOdd, s.make<math::CopySignOp>(power, x), power);
}

/// x^0.5: unlike the square root, +0 for -0 and +inf for -inf.
Value squareRootPower(Scalar &s, Value x) {
  Value isInfinite = s.eq(x, s.like(x, -INFINITY));
  return s.select(isInfinite, s.like(x, INFINITY),
                  s.sqrt(s.add(x, s.like(x, 0))));
}

Value floatPower(Scalar &s, Value x, Value y, const Exponent &exponent) {
  if (exponent.value == 0.5)
    return squareRootPower(s, x);
  if (exponent.value == -1.0)
    return s.div(s.like(x, 1), x);
  if (exponent.value == -0.5)
    return s.div(s.like(x, 1), squareRootPower(s, x));
  if (exponent.isExact)
    return s.make<math::PowFOp>(x, s.convert(y, x.getType()));
  // The base's type does not hold the exponent.
  Type wide = s.builder.getF64Type();
  Value base = s.convert(x, wide);
  if (exponent.element.isInteger() && exponent.element.bits() == 64)
    return longPower(s, base, y, exponent.element.isUnsigned,
                     /*corrects=*/x.getType() == wide);
  return s.make<math::PowFOp>(base, s.convert(y, wide));
}

/// Whole small exponents become multiplications.
Value powerOf(Scalar &s, Value x, Value y, const Exponent &exponent) {
  if (exponent.value == 0.0)
    return s.like(x, 1);
  if (exponent.value == 1.0)
    return x;
  if (exponent.value == 2.0)
    return s.mul(x, x);
  if (exponent.value == 3.0)
    return s.mul(s.mul(x, x), x);
  if (isa<FloatType>(x.getType()))
    return floatPower(s, x, y, exponent);
  if (!isa<FloatType>(y.getType()))
    return integerPower(s, x, y, exponent.element.isUnsigned);
  Type wide = s.builder.getF64Type();
  return s.make<math::PowFOp>(s.convert(x, wide), s.convert(y, wide));
}

} // namespace

FailureOr<Tensor> power(GraphBuilder &b, const Tensor &x, const Tensor &y) {
  const Exponent exponent = exponentOf(*y, x->element);
  Element out = x->element;
  return elementwise(b, {x, y}, out, [&](Scalar &s, Values v) {
    Value result = powerOf(s, v[0], v[1], exponent);
    return out.isFloat() ? result : s.convert(result, out.type, out.isUnsigned);
  });
}

} // namespace tilewright::build
