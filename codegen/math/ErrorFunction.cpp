//===- ErrorFunction.cpp - erf, erfc --------------------------------------===//
#include "codegen/math/Functions.h"

namespace tilewright::math {

/// erf(x) for |x| <= 1.
static Real erfNearZero(Real x) { return fma(x, polynomial(x * x, kErf), x); }

/// Beyond 1, 1 - erfc(x) with erfc(x) = e^p(x): the smaller it is, the less
/// does its error count.
Real erf(Real x) {
  const Arithmetic &a = *x.a;
  Real y = abs(x);
  Real p = polynomial(atMost(y, a.pick(4, 6)) - 1, kLogErfc);
  ReducedByLn2 reduced = reduceByLn2(p);
  Real large = fma(-expOfReduced(reduced.r), powerOfTwo(reduced.n), 1);
  return copySign(select(y < 1, erfNearZero(y), large), x);
}

/// Beyond 1/2, e^(-x^2) g(t) / (1 + 2x) with t = (x - k) / (x + k), g by a
/// polynomial (M. M. Shepherd, J. G. Laframboise, "Chebyshev approximation of
/// (1 + 2x) exp(x^2) erfc x in 0 <= x < inf", 1981). x^2 is a double word.
Real erfc(Real x) {
  const Arithmetic &a = *x.a;
  Real y = atMost(abs(x), a.pick(11, 28));
  DoubleWord square = twoProduct(y, y);
  ReducedByLn2 reduced = reduceByLn2({-square.high, -square.low});
  Real t = (y - 3.75) / (y + 3.75);
  DoubleWord g = fastTwoSum(kErfcAtMiddle, t * polynomial(t, kScaledErfc));
  DoubleWord divisor = fastTwoSum(2 * y, 1);
  Real quotient = g.high / divisor.high;
  Real rest = fma(-quotient, divisor.low, fma(-quotient, divisor.high, g.high));
  Real quotientLow = (rest + (g.low + kErfcAtMiddleLow)) / divisor.high;
  Real product =
      fma(quotient, reduced.r.high + expTail(reduced.r), quotientLow);
  Real large = scale(quotient + product, reduced.n);
  large = select(x < 0, 2 - large, large);
  return select(abs(x) < 0.5, 1 - erfNearZero(x), large);
}

} // namespace tilewright::math
