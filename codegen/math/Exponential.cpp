//===- Exponential.cpp - exp, exp2, expm1 ---------------------------------===//
//
// x = n ln(2) + r with |r| <= ln(2) / 2 (W. J. Cody, W. Waite, "Software
// Manual for the Math Functions", 1980), and e^x = 2^n e^r. Of e^r, the
// sum 1 + r is known exactly, and the rest is a polynomial.
//
//===----------------------------------------------------------------------===//
#include "codegen/math/Functions.h"

namespace tilewright::math {

ReducedByLn2 reduceByLn2(DoubleWord x) {
  Rounded n = roundedProduct(x.high, kLog2e);
  // The first product is exact, and so is the difference.
  Real high = fma(-n.real, kLn2, x.high);
  Real low = fma(-n.real, kLn2Low, x.low);
  return {fastTwoSum(high, low), n.whole};
}

ReducedByLn2 reduceByLn2(Real x) {
  Rounded n = roundedProduct(x, kLog2e);
  Real r = fma(-n.real, kLn2Low, fma(-n.real, kLn2, x));
  // Additions of -0 fold.
  return {{r, x.a->real(-0.0)}, n.whole};
}

Real expOfReduced(DoubleWord r) {
  DoubleWord sum = fastTwoSum(1, r.high);
  Real v = r.high * r.high;
  return sum.high + fma(v, polynomial(r.high, kExp), sum.low + r.low);
}

Real expTail(DoubleWord r) {
  return fma(r.high * r.high, polynomial(r.high, kExp), r.low);
}

Real exp(Real x) {
  const Arithmetic &a = *x.a;
  // Beyond these the result is 0 or an infinity.
  x = atMost(atLeast(x, a.pick(-105, -746)), a.pick(89, 710));
  ReducedByLn2 reduced = reduceByLn2(x);
  return scale(expOfReduced(reduced.r), reduced.n, x < 0);
}

/// The rest x - n is exact, and r is its product with ln(2).
Real exp2(Real x) {
  const Arithmetic &a = *x.a;
  x = atMost(atLeast(x, a.pick(-151, -1076)), a.pick(129, 1025));
  Rounded n = roundedProduct(x, 1);
  Real rest = x - n.real;
  Real r = fma(rest, kLn2, rest * kLn2Low);
  return scale(expOfReduced({r, a.real(-0.0)}), n.whole, x < 0);
}

/// 2^n (e^r - 1) + (2^n - 1), all by half, as 2^n itself may be too large.
Real expm1(Real x) {
  const Arithmetic &a = *x.a;
  Real bounded = atMost(atLeast(x, a.pick(-20, -40)), a.pick(89, 710));
  ReducedByLn2 reduced = reduceByLn2(bounded);
  Real half = powerOfTwo(reduced.n - 1);
  DoubleWord sum = fastTwoSum(half - 0.5, half * reduced.r.high);
  Real result = 2 * (sum.high + fma(half, expTail(reduced.r), sum.low));
  return select(abs(x) < a.pick(0x1p-25, 0x1p-54), x, result);
}

} // namespace tilewright::math
