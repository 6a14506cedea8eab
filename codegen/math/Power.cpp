//===- Power.cpp - pow, cbrt, rsqrt ---------------------------------------===//
#include "codegen/math/Functions.h"

using namespace mlir;

namespace tilewright::math {

/// |x|^y = e^(y log|x|), the logarithm and the product as double words.
static Real powerOfMagnitude(Real magnitude, DoubleWord y) {
  const Arithmetic &a = *magnitude.a;
  DoubleWord log = preciseLog(magnitude);
  DoubleWord product = twoProduct(y.high, log.high);
  product.low = product.low + fma(y.high, log.low, y.low * log.high);
  // Beyond these the result is 0 or an infinity.
  double most = a.pick(90, 711), least = a.pick(-106, -747);
  Truth isBounded = (product.high < most) & (product.high > least);
  product.low = select(isBounded, product.low, 0);
  product.high = atMost(atLeast(product.high, least), most);
  ReducedByLn2 reduced = reduceByLn2(product);
  Real result = scale(expOfReduced(reduced.r), reduced.n);
  Truth isNegative = y.high < 0;
  result =
      select(magnitude == 0, select(isNegative, kInfinity, a.real(0)), result);
  return select(magnitude == kInfinity,
                select(isNegative, 0, a.real(kInfinity)), result);
}

static Real negateIf(Truth when, Real x) { return select(when, -x, x); }

Real pow(Real x, Real y) {
  const Arithmetic &a = *x.a;
  Real magnitude = abs(x);
  Real result = powerOfMagnitude(magnitude, {y, a.real(0)});
  // 1 to an infinite power, where infinity times log(1) is NaN.
  result = select(magnitude == 1, 1, result);
  Real half = 0.5 * y;
  Truth isWhole = y == trunc(y), isEven = half == trunc(half);
  Truth isNegative = bitsOf(x) < 0;
  result = negateIf(isNegative & isWhole & ~isEven, result);
  result = select((x < 0) & (x > -kInfinity) & ~isWhole, kNan, result);
  result = select(isNan(x, y), kNan, result);
  return select((x == 1) | (y == 0), 1, result);
}

/// n of any width as an integer of the width of the floats. A power that does
/// not fit is clamped to the nearest one that does, with the same result: 0, 1
/// or an infinity.
static Whole fitInteger(const Arithmetic &a, Value n) {
  unsigned width = getElementTypeOrSelf(n.getType()).getIntOrFloatBitWidth();
  Type fitting = a.shaped(a.integer);
  if (width < unsigned(a.width()))
    return {&a, arith::ExtSIOp::create(a.b, a.loc, fitting, n)};
  if (width == unsigned(a.width()))
    return {&a, n};
  auto bound = [&](int64_t value) -> Value {
    TypedAttr attr =
        a.b.getIntegerAttr(getElementTypeOrSelf(n.getType()), value);
    if (auto vector = dyn_cast<VectorType>(n.getType()))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(a.b, a.loc, attr);
  };
  n = arith::MinSIOp::create(a.b, a.loc, n, bound(INT32_MAX));
  n = arith::MaxSIOp::create(a.b, a.loc, n, bound(-int64_t(INT32_MAX)));
  return {&a, arith::TruncIOp::create(a.b, a.loc, fitting, n)};
}

Real powInteger(Real x, Value exponent) {
  const Arithmetic &a = *x.a;
  Whole n = fitInteger(a, exponent);
  // Each half of n is a float exactly.
  int half = a.width() / 2;
  int64_t mask = (int64_t(1) << half) - 1;
  Whole lower = n & mask;
  DoubleWord y = fastTwoSum(toReal(n - lower), toReal(lower));
  Real magnitude = abs(x);
  Real result = select(magnitude == 1, 1, powerOfMagnitude(magnitude, y));
  Truth isOdd = Truth{&a, arith::TruncIOp::create(
                              a.b, a.loc, a.shaped(a.b.getI1Type()), exponent)};
  result = negateIf(isOdd & (bitsOf(x) < 0), result);
  result = select(isNan(x, x), kNan, result);
  return select(n == 0, 1, result);
}

/// x = 2^(3k + j) m with j of -1, 0, 1: a polynomial r near m^(-1/3), a step of
/// Newton's iteration for it in f64, one for y = m r^2 with y^3 as double
/// words, and the product with 2^(j / 3) in two parts.
Real cbrt(Real x) {
  const Arithmetic &a = *x.a;
  Real magnitude = abs(x);
  Split s = splitExponent(magnitude);
  Rounded k = roundedProduct(s.exponent, kThird);
  Real j = fma(-3, k.real, s.exponent);
  Real m = 1 + s.f;
  Real r = polynomial(s.f, kRootCubed);
  if (a.width() == 64)
    r = fma(r * fma(-m, r * r * r, 1), kThird, r);
  Real y = m * r * r;
  DoubleWord square = twoProduct(y, y);
  DoubleWord cube = twoProduct(y, square.high);
  Real rest = fma(-y, square.low, (m - cube.high) - cube.low);
  Real step = rest * (r * r) * kThird;
  auto pickRoot = [&](Constant above, Constant below, double between) {
    return select(j > 0, above, select(j < 0, below, a.real(between)));
  };
  Real root = pickRoot(kRoot3Of2, kRoot3OfHalf, 1);
  Real rootLow = pickRoot(kRoot3Of2Low, kRoot3OfHalfLow, 0);
  DoubleWord product = twoProduct(y, root);
  Real low = fma(step, root, fma(y, rootLow, product.low));
  Real result = (product.high + low) * powerOfTwo(k.whole);
  Truth isOrdinary = (magnitude > 0) & (magnitude < kInfinity);
  return select(isOrdinary, copySign(result, x), x);
}

Real rsqrt(Real x) { return 1 / sqrt(x); }

} // namespace tilewright::math
