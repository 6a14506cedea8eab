//===- Trigonometric.cpp - sin, cos, tan ----------------------------------===//
#include "codegen/math/Functions.h"

namespace tilewright::math {

/// sin and cos of |r| <= pi/4: r + r^3 P(r^2) and 1 - r^2/2 + r^4 Q(r^2), where
/// what 1 - r^2/2 loses is known, and r.low moves both by its derivative.
static SineCosine ofReduced(DoubleWord r) {
  Real v = r.high * r.high;
  Real half = 0.5 * v;
  Real sine =
      r.high + fma(r.high * v, polynomial(v, kSin), fma(-half, r.low, r.low));
  Real first = 1 - half;
  Real rest = (1 - first) - half;
  Real tail = fma(v * v, polynomial(v, kCos), fma(-r.high, r.low, rest));
  return {sine, first + tail};
}

/// x with its sign changed where bit 1 of n is set.
static Real withSignOfBit1(Real x, Whole n) {
  int width = x.a->width();
  return fromBits(bitsOf(x) ^ ((n & 2) << (width - 2)));
}

static Real withSpecial(Real x, Real result) {
  return select(abs(x) < kInfinity, result, kNan);
}

/// Below this, sin(x) and tan(x) are x.
static Truth isTiny(Real x) { return abs(x) < x.a->pick(0x1p-13, 0x1p-27); }

static Real sinOf(Real x, SineCosine parts, Whole n) {
  Real result = select((n & 1) == 0, parts.sine, parts.cosine);
  result = withSignOfBit1(result, n);
  return withSpecial(x, select(isTiny(x), x, result));
}

static Real cosOf(Real x, SineCosine parts, Whole n) {
  Real result = select((n & 1) == 0, parts.cosine, parts.sine);
  return withSpecial(x, withSignOfBit1(result, n + 1));
}

SineCosine sineCosine(Real x) {
  ReducedByHalfPi reduced = reduceByHalfPi(x);
  SineCosine parts = ofReduced(reduced.r);
  return {sinOf(x, parts, reduced.n), cosOf(x, parts, reduced.n)};
}

Real sin(Real x) {
  ReducedByHalfPi reduced = reduceByHalfPi(x);
  return sinOf(x, ofReduced(reduced.r), reduced.n);
}

Real cos(Real x) {
  ReducedByHalfPi reduced = reduceByHalfPi(x);
  return cosOf(x, ofReduced(reduced.r), reduced.n);
}

/// sin / cos, or -cos / sin for odd n.
Real tan(Real x) {
  ReducedByHalfPi reduced = reduceByHalfPi(x);
  SineCosine parts = ofReduced(reduced.r);
  Truth isEven = (reduced.n & 1) == 0;
  Real quotient = select(isEven, parts.sine, parts.cosine) /
                  select(isEven, parts.cosine, parts.sine);
  quotient = withSignOfBit1(quotient, reduced.n << 1);
  return withSpecial(x, select(isTiny(x), x, quotient));
}

} // namespace tilewright::math
