// Bessel functions and their kin, by Chebyshev polynomials.
#include "graph/build/Special.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace tilewright::build {
namespace {

#include "graph/build/SpecialTables.inc"

constexpr double pi = std::numbers::pi;

/// The sum of the polynomials at t from -1 to 1, by Clenshaw.
Value chebyshev(Scalar &s, Value t, ArrayRef<double> coefficients) {
  Value twice = s.mul(t, s.like(t, 2)), before = s.like(t, 0), own = before;
  for (double each : llvm::reverse(coefficients.drop_front())) {
    Value next = s.add(s.sub(s.mul(twice, own), before), s.like(t, each));
    before = own;
    own = next;
  }
  return s.add(s.sub(s.mul(t, own), before), s.like(t, coefficients[0]));
}

// The variables of the tables: x up to an end, x^2, and from a start on.
Value upTo(Scalar &s, Value x, double end) {
  return s.sub(s.mul(x, s.like(x, 2 / end)), s.like(x, 1));
}
Value squareUpTo(Scalar &s, Value x, double end) {
  return upTo(s, s.mul(x, x), end * end);
}
Value beyond(Scalar &s, Value x, double start) {
  return s.sub(s.div(s.like(x, 2 * start), x), s.like(x, 1));
}
Value squareBeyond(Scalar &s, Value x, double start) {
  return beyond(s, s.mul(x, x), start * start);
}

/// exp(-x) I(x) for x of at least 0, with the function of order 1 divided by x
/// where it is small.
Value scaledI(Scalar &s, Value x, ArrayRef<double> small,
              ArrayRef<double> large, bool first) {
  Value bound = s.like(x, 8);
  Value low = s.min(x, bound), high = s.max(x, bound);
  Value below = chebyshev(s, upTo(s, low, 8), small);
  if (first)
    below = s.mul(below, low);
  Value above = s.div(chebyshev(s, beyond(s, high, 8), large), s.sqrt(high));
  return s.select(s.le(x, bound), below, above);
}

/// Infinity at 0, or minus infinity, and NaN below.
Value ofPositive(Scalar &s, Value x, Value value, double atZero) {
  Value zero = s.like(x, 0);
  value = s.select(s.eq(x, zero), s.like(x, atZero), value);
  return s.select(s.ge(x, zero), value, s.like(x, NAN));
}

/// K(x), or times exp(x), from what it is up to 2 and scaled beyond.
Value joinedK(Scalar &s, Value x, Value below, ArrayRef<double> large,
              bool scaled) {
  Value bound = s.like(x, 2), high = s.max(x, bound);
  Value above = s.div(chebyshev(s, beyond(s, high, 2), large), s.sqrt(high));
  if (scaled)
    below = s.mul(below, s.exp(s.min(x, bound)));
  else
    above = s.mul(above, s.exp(s.neg(high)));
  return ofPositive(s, x, s.select(s.le(x, bound), below, above), INFINITY);
}

/// Of x of at least 8: p cos(x - chi) - q sin(x - chi), or with the sine first.
Value oscillating(Scalar &s, Value x, ArrayRef<double> phase,
                  ArrayRef<double> shift, double chi, bool sineFirst) {
  Value high = s.max(x, s.like(x, 8)), t = squareBeyond(s, high, 8);
  Value p = chebyshev(s, t, phase), q = s.div(chebyshev(s, t, shift), high);
  Value angle = s.sub(high, s.like(x, chi));
  Value cosine = s.make<math::CosOp>(angle), sine = s.make<math::SinOp>(angle);
  Value sum = sineFirst ? s.add(s.mul(p, sine), s.mul(q, cosine))
                        : s.sub(s.mul(p, cosine), s.mul(q, sine));
  return s.div(sum, s.sqrt(high));
}

Value smallJ(Scalar &s, Value x, ArrayRef<double> table) {
  Value low = s.min(x, s.like(x, 8));
  return chebyshev(s, squareUpTo(s, low, 8), table);
}

} // namespace

Value besselI0(Scalar &s, Value x, bool scaled) {
  Value size = s.abs(x), value = scaledI(s, size, i0Small, i0Large, false);
  return scaled ? value : s.mul(value, s.exp(size));
}

Value besselI1(Scalar &s, Value x, bool scaled) {
  Value size = s.abs(x), value = scaledI(s, size, i1Small, i1Large, true);
  value = scaled ? value : s.mul(value, s.exp(size));
  return s.make<math::CopySignOp>(value, x);
}

Value besselK0(Scalar &s, Value x, bool scaled) {
  Value low = s.min(x, s.like(x, 2));
  Value logarithm = s.log(s.mul(low, s.like(x, 0.5)));
  Value below = s.sub(chebyshev(s, squareUpTo(s, low, 2), k0Small),
                      s.mul(logarithm, besselI0(s, low, false)));
  return joinedK(s, x, below, k0Large, scaled);
}

Value besselK1(Scalar &s, Value x, bool scaled) {
  Value low = s.min(x, s.like(x, 2));
  Value logarithm = s.log(s.mul(low, s.like(x, 0.5)));
  Value below = s.add(s.div(chebyshev(s, squareUpTo(s, low, 2), k1Small), low),
                      s.mul(logarithm, besselI1(s, low, false)));
  return joinedK(s, x, below, k1Large, scaled);
}

Value besselJ0(Scalar &s, Value x) {
  Value size = s.abs(x);
  Value above = oscillating(s, size, phase0, shift0, pi / 4, false);
  return s.select(s.le(size, s.like(x, 8)), smallJ(s, size, j0Small), above);
}

Value besselJ1(Scalar &s, Value x) {
  Value size = s.abs(x);
  Value below = s.mul(smallJ(s, size, j1Small), size);
  Value above = oscillating(s, size, phase1, shift1, 3 * pi / 4, false);
  Value value = s.select(s.le(size, s.like(x, 8)), below, above);
  return s.select(s.lt(x, s.like(x, 0)), s.neg(value), value);
}

Value besselY0(Scalar &s, Value x) {
  Value low = s.min(x, s.like(x, 8));
  Value product = s.mul(s.log(low), smallJ(s, low, j0Small));
  Value below = s.add(chebyshev(s, squareUpTo(s, low, 8), y0Small),
                      s.mul(product, s.like(x, 2 / pi)));
  Value above = oscillating(s, x, phase0, shift0, pi / 4, true);
  Value value = s.select(s.le(x, s.like(x, 8)), below, above);
  return ofPositive(s, x, value, -INFINITY);
}

Value besselY1(Scalar &s, Value x) {
  Value low = s.min(x, s.like(x, 8));
  Value first = s.mul(smallJ(s, low, j1Small), low);
  Value product = s.sub(s.mul(s.log(low), first), s.div(s.like(x, 1), low));
  Value below = s.add(s.mul(chebyshev(s, squareUpTo(s, low, 8), y1Small), low),
                      s.mul(product, s.like(x, 2 / pi)));
  Value above = oscillating(s, x, phase1, shift1, 3 * pi / 4, true);
  Value value = s.select(s.le(x, s.like(x, 8)), below, above);
  return ofPositive(s, x, value, -INFINITY);
}

Value sphericalBessel(Scalar &s, Value x) {
  Value value = s.div(s.make<math::SinOp>(x), x), zero = s.like(x, 0);
  value = s.select(s.eq(x, zero), s.like(x, 1), value);
  return s.select(s.eq(s.abs(x), s.like(x, INFINITY)), zero, value);
}

Value scaledErfc(Scalar &s, Value x) {
  Value size = s.abs(x), one = s.like(x, 1), bound = s.like(x, 3.75);
  Value t = s.div(s.sub(size, bound), s.add(size, bound));
  t = s.select(s.eq(size, s.like(x, INFINITY)), one, t);
  Value above =
      s.div(chebyshev(s, t, erfcxAll), s.add(one, s.mul(s.like(x, 2), size)));
  Value power = s.exp(s.mul(x, x));
  Value below = s.sub(s.mul(s.like(x, 2), power), above);
  return s.select(s.lt(x, s.like(x, 0)), below, above);
}

Value chebyshevOf(Scalar &s, ChebyshevKind kind, Value x, Value n) {
  // With x = cos(a): cos(n a), sin((n + 1) a) / sin(a), cos((n + 1/2) a) /
  // cos(a / 2) and sin((n + 1/2) a) / sin(a / 2). Beyond 1, the hyperbolic ones
  // of |x|; below -1, the third and fourth kind change places.
  const bool first = kind == ChebyshevKind::First;
  const bool second = kind == ChebyshevKind::Second;
  Value zero = s.like(x, 0), one = s.like(x, 1), half = s.like(x, 0.5);
  Value size = s.abs(x), isNegative = s.lt(x, zero);
  Value part = s.mul(n, half), isOdd = s.ne(part, s.floor(part));
  Value sign = s.select(s.logicalAnd(isNegative, isOdd), s.like(x, -1), one);
  Value m = first ? n : s.add(n, second ? one : half);
  Value angle = s.make<math::AcosOp>(s.min(size, one));
  Value growth = s.make<math::AcoshOp>(s.max(size, one));
  Value unit = second ? one : half;
  auto ratio = [&](bool sine) {
    auto inner = [&](Value a) {
      return sine ? s.make<math::SinOp>(a) : s.make<math::CosOp>(a);
    };
    auto outer = [&](Value a) {
      return sine ? s.make<math::SinhOp>(a) : s.make<math::CoshOp>(a);
    };
    Value low = inner(s.mul(m, angle)), high = outer(s.mul(m, growth));
    if (!first) {
      low = s.div(low, inner(s.mul(unit, angle)));
      high = s.div(high, outer(s.mul(unit, growth)));
    }
    Value value = s.select(s.gt(size, one), high, low);
    // The limit of a ratio of sines.
    Value limit = sine ? s.div(m, unit) : one;
    return s.select(s.eq(size, one), limit, value);
  };
  Value value;
  if (first || second) {
    value = ratio(second);
  } else {
    Value cosines = ratio(false), sines = ratio(true);
    const bool third = kind == ChebyshevKind::Third;
    value =
        s.select(isNegative, third ? sines : cosines, third ? cosines : sines);
  }
  value = s.select(s.ne(x, x), x, s.mul(sign, value));
  value = s.select(s.eq(n, zero), one, value);
  Value isDegree = s.logicalAnd(s.ge(n, zero), s.lt(n, s.like(x, 0x1p63)));
  return s.select(isDegree, value, zero);
}

Value airy(Scalar &s, Value x) {
  Value two = s.like(x, 2), six = s.like(x, -6);
  Value middle = s.max(s.min(x, two), six);
  Value t = s.mul(s.add(middle, two), s.like(x, 0.25));
  Value inner = chebyshev(s, t, airyMiddle);
  // Beyond, functions of zeta = 2/3 |x|^(3/2).
  auto zetaOf = [&](Value at) {
    return s.mul(s.mul(at, s.sqrt(at)), s.like(x, 2.0 / 3));
  };
  const double start = 2.0 / 3 * std::pow(2, 1.5);
  Value high = s.max(x, two), zeta = zetaOf(high);
  Value above = s.mul(chebyshev(s, beyond(s, zeta, start), airyLarge),
                      s.exp(s.neg(zeta)));
  above = s.div(above, s.sqrt(s.sqrt(high)));
  const double end = 2.0 / 3 * std::pow(6, 1.5);
  Value low = s.max(s.neg(x), s.like(x, 6)), wave = zetaOf(low);
  Value u = squareBeyond(s, wave, end);
  Value p = chebyshev(s, u, airyPhase);
  Value q = s.div(chebyshev(s, u, airyShift), wave);
  Value angle = s.sub(wave, s.like(x, pi / 4));
  Value below = s.add(s.mul(p, s.make<math::CosOp>(angle)),
                      s.mul(q, s.make<math::SinOp>(angle)));
  below = s.div(below, s.sqrt(s.sqrt(low)));
  Value value = s.select(s.lt(x, six), below, inner);
  value = s.select(s.gt(x, two), above, value);
  return s.select(s.lt(s.abs(x), s.like(x, INFINITY)), value, s.like(x, NAN));
}

} // namespace tilewright::build
