//===- InverseTrigonometric.cpp - asin, acos, atan, atan2 -----------------===//
#include "codegen/math/Functions.h"

namespace tilewright::elementary {

namespace {
/// asin(|x|) for |x| <= 1/2; beyond it half of acos(|x|), by
/// acos(x) = 2 asin(sqrt((1 - x) / 2)).
struct ArcSine {
  Real angle;
  Truth isSmall;
};
} // namespace

static ArcSine expandArcSine(Real x) {
  Real y = abs(x);
  Truth isSmall = y <= 0.5;
  Real rest = fma(-0.5, y, 0.5);
  Real v = select(isSmall, y * y, rest);
  Real s = select(isSmall, y, sqrt(rest));
  return {fma(s * v, polynomial(v, kAsin), s), isSmall};
}

Real asin(Real x) {
  ArcSine arc = expandArcSine(x);
  Real large = fma(-2, arc.angle, kHalfPi) + kHalfPiLow;
  return copySign(select(arc.isSmall, arc.angle, large), x);
}

/// pi/2 - asin(x), 2 asin(...) or pi - 2 asin(...).
Real acos(Real x) {
  const Arithmetic &a = *x.a;
  ArcSine arc = expandArcSine(x);
  Truth isNegative = x < 0;
  Real angle = select(arc.isSmall, arc.angle, 2 * arc.angle);
  Real signedAngle = select(isNegative ^ arc.isSmall, -angle, angle);
  Real high = select(arc.isSmall, kHalfPi, select(isNegative, kPi, a.real(0)));
  Real low =
      select(arc.isSmall, kHalfPiLow, select(isNegative, kPiLow, a.real(0)));
  return high + (signedAngle + low);
}

/// atan of the smaller by the larger magnitude, and from it the angle in its
/// octant: 0, pi/2 or pi, more or less this.
Real atan2(Real y, Real x) {
  const Arithmetic &a = *x.a;
  Real height = abs(y), length = abs(x);
  Truth isSteep = height > length;
  Real least = select(isSteep, length, height);
  Real most = select(isSteep, height, length);
  // 0 / 0 counts as 0, an infinity by another as 1; NaN stays.
  Real t = select(least == most, select(most == 0, 0, a.real(1)), least / most);
  Real v = t * t;
  Real angle = fma(t * v, polynomial(v, kAtan), t);
  Truth isBehind = bitsOf(x) < 0;
  Real signedAngle = select(isSteep ^ isBehind, -angle, angle);
  Real high = select(isSteep, kHalfPi, select(isBehind, kPi, a.real(0)));
  Real low = select(isSteep, kHalfPiLow, select(isBehind, kPiLow, a.real(0)));
  Real result = high + (signedAngle + low);
  return copySign(select(isNan(x, y), x + y, result), y);
}

Real atan(Real x) {
  Real y = abs(x);
  Truth isSteep = y > 1;
  Real t = select(isSteep, 1 / y, y);
  Real v = t * t;
  Real angle = fma(t * v, polynomial(v, kAtan), t);
  Real steep = kHalfPi - (angle - x.a->real(kHalfPiLow));
  return copySign(select(isSteep, steep, angle), x);
}

} // namespace tilewright::elementary
