//===- Logarithm.cpp - log, log2, log10, log1p ----------------------------===//
//
// x = 2^e (1 + f), and log(1 + f) = f + tail(f) with a polynomial in the tail
// (P. T. P. Tang, "Table-driven implementation of the logarithm function in
// IEEE floating-point arithmetic", 1990, without its table).
//
//===----------------------------------------------------------------------===//
#include "codegen/math/Functions.h"

namespace tilewright::math {

/// The bits of sqrt(1/2) are subtracted from those of x, so that the exponent
/// field holds e; an offset of `shift` keeps it positive.
Split splitExponent(Real x) {
  const Arithmetic &a = *x.a;
  Truth isSubnormal = x < a.leastNormal();
  double up = a.pick(0x1p24, 0x1p53);
  Whole bits = bitsOf(select(isSubnormal, x * up, x));
  Whole root = bitsOf(a.real(a.pick(0x1.6a09e6p-1, 0x1.6a09e667f3bcdp-1)));
  int64_t shift = a.bias() + 1;
  Whole field = ((bits - root) + (shift << a.fraction())) >> a.fraction();
  Whole power = field - shift;
  Real f = fromBits(bits - (power << a.fraction())) - 1;
  Real lost =
      select(isSubnormal, double(shift + a.fraction() + 1), a.real(shift));
  return {fromSmall(field) - lost, f,
          power - select(isSubnormal, a.whole(a.fraction() + 1), 0)};
}

/// log(1 + f) - f.
static Real logTail(Real f) {
  return (f * f) * fma(f, polynomial(f, kLogTail), -0.5);
}

/// exponent ln(2) + f + rest.
static Real sumOfLog(Real exponent, Real f, Real rest) {
  DoubleWord sum = fastTwoSum(exponent * kLn2, f);
  return sum.high + (sum.low + fma(exponent, kLn2Low, rest));
}

/// The result, or the special one for operands that are not positive and
/// finite.
static Real withSpecial(Real x, Real result) {
  result = select(x > 0, result, select(x == 0, -kInfinity, kNan));
  return select(x == kInfinity, x, result);
}

Real log(Real x) {
  Split s = splitExponent(x);
  return withSpecial(x, sumOfLog(s.exponent, s.f, logTail(s.f)));
}

/// factor log(1 + f), the factor in two parts.
static DoubleWord timesLog(Real f, Constant factor, Constant factorLow) {
  DoubleWord product = twoProduct(f, factor);
  return {product.high,
          fma(logTail(f), factor, fma(f, factorLow, product.low))};
}

Real log2(Real x) {
  Split s = splitExponent(x);
  DoubleWord part = timesLog(s.f, kLog2e, kLog2eLow);
  DoubleWord sum = fastTwoSum(s.exponent, part.high);
  return withSpecial(x, sum.high + (sum.low + part.low));
}

Real log10(Real x) {
  Split s = splitExponent(x);
  DoubleWord part = timesLog(s.f, kLog10e, kLog10eLow);
  DoubleWord sum = fastTwoSum(s.exponent * kLog10Of2, part.high);
  Real low = fma(s.exponent, kLog10Of2Low, part.low);
  return withSpecial(x, sum.high + (sum.low + low));
}

/// The low part moves f; the rounding error of that sum is added as it is, for
/// the derivative there is near 1. 2^-power may be subnormal, 2^(2 - power) is
/// not.
Real logOfDoubleWord(DoubleWord x, Real extra) {
  Split s = splitExponent(x.high);
  Real low = (0.25 * x.low) * powerOfTwo(2 - s.power);
  DoubleWord f = fastTwoSum(s.f, low);
  return sumOfLog(s.exponent + extra, f.high, logTail(f.high) + f.low);
}

Real log1p(Real x) {
  Real result = logOfDoubleWord(twoSum(1, x), x.a->real(0));
  result = select(x > -1, result, select(x == -1, -kInfinity, kNan));
  Truth isTiny = abs(x) < x.a->pick(0x1p-25, 0x1p-54);
  return select(isTiny | (x == kInfinity), x, result);
}

/// 2 atanh(s) with s = f / (2 + f): s + s z (1/3 + z Q(z)) with z = s^2; s and
/// its factor are double words, Q a polynomial.
static DoubleWord preciseLogOnePlus(Real f) {
  Real m = 1 + f;
  DoubleWord divisor = fastTwoSum(1, m);
  Real inverse = 1 / divisor.high;
  Real s = f * inverse;
  Real sLow = fma(-s, divisor.low, fma(-s, divisor.high, f)) * inverse;
  DoubleWord z = twoProduct(s, s);
  z.low = fma(2 * s, sLow, z.low);
  Real zq = z.high * polynomial(z.high, kAtanhTail);
  DoubleWord w = fastTwoSum(kThird, zq);
  w.low = w.low + kThirdLow;
  DoubleWord t = twoProduct(z.high, w.high);
  t.low = t.low + fma(z.high, w.low, z.low * w.high);
  DoubleWord p = twoProduct(s, t.high);
  p.low = p.low + fma(s, t.low, sLow * t.high);
  DoubleWord sum = fastTwoSum(s, p.high);
  return {2 * sum.high, 2 * (sum.low + (p.low + sLow))};
}

DoubleWord preciseLog(Real x) {
  Split s = splitExponent(x);
  DoubleWord part = preciseLogOnePlus(s.f);
  DoubleWord sum = fastTwoSum(s.exponent * kLn2, part.high);
  return fastTwoSum(sum.high, sum.low + fma(s.exponent, kLn2Low, part.low));
}

} // namespace tilewright::math
