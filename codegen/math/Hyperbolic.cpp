//===- Hyperbolic.cpp - Hyperbolic functions and their inverses -----------===//
//
// With x = n ln(2) + r, S = sinh(r), C = cosh(r) and q = 4^-n:
//   sinh(x) = 2^(n - 1) ((1 - q) C + (1 + q) S),
//   cosh(x) = 2^(n - 1) ((1 + q) C + (1 - q) S),
// where for x >= 0 nothing cancels. Inverses are logarithms of double words.
//
//===----------------------------------------------------------------------===//
#include "codegen/math/Functions.h"

namespace tilewright::math {

namespace {
/// q, n, C - 1 and S for |x|.
struct Hyperbolic {
  Real q, even, odd;
  Whole n;

  /// sinh and cosh of |x| by 2^(n - 1).
  Real sinh() const { return sumWith(1 - q, 1 + q, -q); }
  Real cosh() const { return sumWith(1 + q, 1 - q, q); }

private:
  /// c C + s S for c = 1 + added, rounded.
  Real sumWith(Real c, Real s, Real added) const {
    Real lost = added - (c - 1);
    return c + fma(s, odd, fma(c, even, lost));
  }
};
} // namespace

static Hyperbolic lowerHyperbolic(Real x) {
  const Arithmetic &a = *x.a;
  x = atMost(abs(x), a.pick(90, 711));
  ReducedByLn2 reduced = reduceByLn2(x);
  Real r = reduced.r.high, v = r * r;
  Real even = v * polynomial(v, kCosh);
  Real odd = fma(r * v, polynomial(v, kSinh), r);
  // Where q is less than a unit in the last place, any q does.
  int64_t most = 30;
  Whole n = select(reduced.n < most, reduced.n, most);
  return {powerOfTwo(0 - (n + n)), even, odd, reduced.n};
}

Real sinh(Real x) {
  Hyperbolic h = lowerHyperbolic(x);
  return copySign(scale(h.sinh(), h.n - 1), x);
}

Real cosh(Real x) {
  Hyperbolic h = lowerHyperbolic(x);
  return scale(h.cosh(), h.n - 1);
}

/// -t / (2 + t) with t = e^(-2 |x|) - 1.
Real tanh(Real x) {
  const Arithmetic &a = *x.a;
  Real argument = atLeast(-2 * abs(x), a.pick(-20, -40));
  ReducedByLn2 reduced = reduceByLn2(argument);
  Real power = powerOfTwo(reduced.n);
  DoubleWord sum = fastTwoSum(power - 1, power * reduced.r.high);
  Real t = sum.high + fma(power, expTail(reduced.r), sum.low);
  return copySign(t / (2 + t), x);
}

/// log(1 + u) with u = |x| + x^2 / (1 + sqrt(1 + x^2)); for large x log(2 |x|).
Real asinh(Real x) {
  const Arithmetic &a = *x.a;
  Real y = abs(x);
  DoubleWord square = twoProduct(y, y);
  DoubleWord sum = twoSum(1, square.high);
  Real root = sqrt(sum.high);
  Real rootLow =
      0.5 * ((fma(-root, root, sum.high) + (sum.low + square.low)) / root);
  DoubleWord divisor = fastTwoSum(root, 1);
  Real divisorLow = divisor.low + rootLow;
  Real quotient = square.high / divisor.high;
  Real rest = fma(-quotient, divisor.high, square.high);
  rest = fma(-quotient, divisorLow, rest) + square.low;
  DoubleWord u = fastTwoSum(y, quotient);
  Real uLow = u.low + rest / divisor.high;
  DoubleWord w = twoSum(1, u.high);
  w.low = w.low + uLow;
  Truth isLarge = y > a.pick(0x1p14, 0x1p28);
  Real result =
      logOfDoubleWord({select(isLarge, y, w.high), select(isLarge, 0, w.low)},
                      select(isLarge, 1, a.real(0)));
  result = select(y < a.pick(0x1p-13, 0x1p-27), y, result);
  return copySign(select(y < kInfinity, result, y), x);
}

/// log(x + sqrt(x^2 - 1)); for large x log(2 x).
Real acosh(Real x) {
  const Arithmetic &a = *x.a;
  DoubleWord square = twoProduct(x, x);
  DoubleWord difference = twoSum(square.high, -1);
  difference = fastTwoSum(difference.high, difference.low + square.low);
  Real root = sqrt(difference.high);
  Real rest = fma(-root, root, difference.high) + difference.low;
  DoubleWord w = fastTwoSum(x, root);
  w.low = fma(0.5, rest / root, w.low);
  Truth isLarge = x > a.pick(0x1p14, 0x1p28);
  Real result =
      logOfDoubleWord({select(isLarge, x, w.high), select(isLarge, 0, w.low)},
                      select(isLarge, 1, a.real(0)));
  result = select(x > 1, result, select(x == 1, 0, a.real(kNan)));
  return select(x == kInfinity, x, result);
}

/// log(1 + 2 |x| / (1 - |x|)) / 2.
Real atanh(Real x) {
  const Arithmetic &a = *x.a;
  Real y = abs(x), twice = y + y;
  DoubleWord divisor = fastTwoSum(1, -y);
  Real quotient = twice / divisor.high;
  Real rest = fma(-quotient, divisor.low, fma(-quotient, divisor.high, twice));
  DoubleWord w = twoSum(1, quotient);
  w.low = w.low + rest / divisor.high;
  Real result = 0.5 * logOfDoubleWord(w, a.real(0));
  result = select(y < a.pick(0x1p-13, 0x1p-27), y, result);
  result = select(y < 1, result, select(y == 1, kInfinity, a.real(kNan)));
  return copySign(result, x);
}

} // namespace tilewright::math
