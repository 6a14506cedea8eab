//===- InverseTrigonometric.cpp - asin, acos, atan, atan2 -----------------===//
#include "codegen/math/Functions.h"

namespace tilewright::math {

/// base + angle + tail, base (in two parts) 0 or at least as great as the
/// angle.
static Real addToBase(Real base, Real baseLow, Real angle, Real tail) {
  DoubleWord sum = fastTwoSum(base, angle);
  return sum.high + (sum.low + (tail + baseLow));
}

namespace {
/// asin(|x|) = angle + tail for |x| <= 1/2; beyond it acos(|x|), by
/// acos(x) = 2 asin(sqrt((1 - x) / 2)).
struct ArcSine {
  Real angle, tail;
  Truth isSmall;
};
} // namespace

static ArcSine lowerArcSine(Real x) {
  Real y = abs(x);
  Truth isSmall = y <= 0.5;
  Real rest = fma(-0.5, y, 0.5);
  Real v = select(isSmall, y * y, rest);
  Real s = select(isSmall, y, 2 * sqrt(rest));
  return {s, (s * v) * polynomial(v, kAsin), isSmall};
}

Real asin(Real x) {
  const Arithmetic &a = *x.a;
  ArcSine arc = lowerArcSine(x);
  Real large =
      addToBase(a.real(kHalfPi), a.real(kHalfPiLow), -arc.angle, -arc.tail);
  return copySign(select(arc.isSmall, arc.angle + arc.tail, large), x);
}

/// pi/2 - asin(x), acos(x) or pi - acos(-x).
Real acos(Real x) {
  const Arithmetic &a = *x.a;
  ArcSine arc = lowerArcSine(x);
  Truth isNegative = x < 0;
  Truth isSubtracted = isNegative ^ arc.isSmall;
  Real base = select(arc.isSmall, kHalfPi, select(isNegative, kPi, a.real(0)));
  Real baseLow =
      select(arc.isSmall, kHalfPiLow, select(isNegative, kPiLow, a.real(0)));
  return addToBase(base, baseLow, select(isSubtracted, -arc.angle, arc.angle),
                   select(isSubtracted, -arc.tail, arc.tail));
}

/// atan of the smaller by the larger magnitude, and from it the angle in its
/// octant: 0, pi/2 or pi, more or less this.
Real atan2(Real y, Real x) {
  const Arithmetic &a = *x.a;
  Real height = abs(y), length = abs(x);
  Truth isSteep = height > length;
  Real least = select(isSteep, length, height);
  Real most = select(isSteep, height, length);
  // 0 / 0 is taken as 0, a quotient of infinities as 1.
  Real t = select(least == most, select(most == 0, 0, a.real(1)), least / most);
  Truth isBehind = bitsOf(x) < 0;
  t = select(isSteep ^ isBehind, -t, t);
  Real v = t * t;
  Real base = select(isSteep, kHalfPi, select(isBehind, kPi, a.real(0)));
  Real baseLow =
      select(isSteep, kHalfPiLow, select(isBehind, kPiLow, a.real(0)));
  Real result = addToBase(base, baseLow, t, (t * v) * polynomial(v, kAtan));
  return copySign(select(isNan(x, y), x + y, result), y);
}

/// Beyond 1, pi/2 - atan(1 / |x|).
Real atan(Real x) {
  const Arithmetic &a = *x.a;
  Real y = abs(x);
  Truth isSteep = y > 1;
  Real t = select(isSteep, -1 / y, y);
  Real v = t * t;
  Real result = addToBase(select(isSteep, kHalfPi, a.real(0)),
                          select(isSteep, kHalfPiLow, a.real(0)), t,
                          (t * v) * polynomial(v, kAtan));
  return copySign(result, x);
}

} // namespace tilewright::math
