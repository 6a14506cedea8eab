#include "graph/build/Special.h"

#include "graph/build/Broadcast.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace tilewright::build {
namespace {

constexpr double pi = std::numbers::pi;

/// Polynomials by powers of x, the constant first.
Value polynomial(Scalar &s, Value x, ArrayRef<double> coefficients) {
  Value result = s.like(x, coefficients.back());
  for (double each : llvm::reverse(coefficients.drop_back()))
    result = s.add(s.mul(result, x), s.like(x, each));
  return result;
}

/// Where x is a whole number.
Value isWhole(Scalar &s, Value x) { return s.eq(x, s.make<math::TruncOp>(x)); }

/// log(gamma(x)) for x of at least 1/2, by Lanczos (g = 7).
Value logGammaAbove(Scalar &s, Value x) {
  static constexpr double terms[] = {
      676.5203681218851,     -1259.1392167224028,  771.32342877765313,
      -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
      9.9843695780195716e-6, 1.5056327351493116e-7};
  Value at = s.sub(x, s.like(x, 1)), sum = s.like(x, 0.99999999999980993);
  for (auto [i, term] : llvm::enumerate(terms))
    sum = s.add(sum, s.div(s.like(x, term), s.add(at, s.like(x, i + 1.0))));
  Value t = s.add(at, s.like(x, 7.5));
  Value power = s.mul(s.add(at, s.like(x, 0.5)), s.log(t));
  Value rest = s.sub(s.add(s.like(x, 0.91893853320467274), power), t);
  return s.add(rest, s.log(sum));
}

/// digamma(x) for x above 0: from 10 on by its asymptotic series.
Value digammaAbove(Scalar &s, Value x) {
  static constexpr double series[] = {1.0 / 12,   -1.0 / 120, 1.0 / 252,
                                      -1.0 / 240, 1.0 / 132,  -691.0 / 32760,
                                      1.0 / 12};
  Value sum = s.like(x, 0), one = s.like(x, 1), ten = s.like(x, 10);
  for (int i = 0; i < 10; ++i) {
    Value isLow = s.lt(x, ten);
    sum = s.select(isLow, s.sub(sum, s.div(one, x)), sum);
    x = s.select(isLow, s.add(x, one), x);
  }
  Value inverse = s.div(one, s.mul(x, x));
  Value tail = s.mul(inverse, polynomial(s, inverse, series));
  Value half = s.div(s.like(x, 0.5), x);
  return s.add(sum, s.sub(s.sub(s.log(x), half), tail));
}

/// x^-n for a whole n.
Value inversePower(Scalar &s, Value x, int64_t n) {
  Value base = s.div(s.like(x, 1), x), result = base;
  for (int64_t i = 1; i < n; ++i)
    result = s.mul(result, base);
  return result;
}

using PowerFn = llvm::function_ref<Value(Value)>;

/// zeta(x, q) for q above 0, by the formula of Euler and Maclaurin; `power` is
/// a^-x.
Value zetaAbove(Scalar &s, Value x, Value q, PowerFn power) {
  // (2k)! / B(2k).
  static constexpr double divisors[] = {
      12.0,          -720.0,
      30240.0,       -1209600.0,
      47900160.0,    -1.8924375803183791606e9,
      7.47242496e10, -2.950130727918164224e12};
  Value sum = s.like(q, 0), one = s.like(q, 1);
  for (int i = 0; i < 10; ++i) {
    sum = s.add(sum, power(q));
    q = s.add(q, one);
  }
  Value last = power(q);
  sum = s.add(sum, s.div(s.mul(last, q), s.sub(x, one)));
  sum = s.add(sum, s.mul(s.like(q, 0.5), last));
  Value factor = x, term = s.div(last, q), squared = s.mul(q, q);
  for (auto [i, divisor] : llvm::enumerate(divisors)) {
    sum = s.add(sum, s.div(s.mul(factor, term), s.like(q, divisor)));
    Value next = s.add(x, s.like(x, 2.0 * i + 1));
    factor = s.mul(factor, s.mul(next, s.add(next, one)));
    term = s.div(term, squared);
  }
  return sum;
}

/// The same for q below 0 too, where x is whole: the terms below 0 are those of
/// f = their greatest one, mirrored, up to f + their number.
Value zetaOfWhole(Scalar &s, Value x, Value q, PowerFn power, Value isOdd) {
  Value zero = s.like(q, 0);
  Value count = s.max(s.neg(s.floor(q)), zero);
  Value above = zetaAbove(s, x, s.add(q, count), power);
  Value first = s.sub(s.like(q, 1), s.add(q, count));
  // Only where there are such terms, the others are positive.
  Value isBelow = s.lt(q, zero);
  first = s.select(isBelow, first, s.like(q, 1));
  Value mirrored = s.sub(zetaAbove(s, x, first, power),
                         zetaAbove(s, x, s.add(first, count), power));
  mirrored = s.select(isOdd, s.neg(mirrored), mirrored);
  return s.select(isBelow, s.add(above, mirrored), above);
}

/// Probabilities below 0.02425, by Acklam.
Value inverseNormalTail(Scalar &s, Value p) {
  static constexpr double above[] = {
      2.938163982698783,  4.374664141464968,   -2.549732539343734,
      -2.400758277161838, -0.3223964580411365, -0.007784894002430293};
  static constexpr double below[] = {1, 3.754408661907416, 2.445134137142996,
                                     0.3224671290700398, 0.007784695709041462};
  Value q = s.sqrt(s.mul(s.like(p, -2), s.log(p)));
  return s.div(polynomial(s, q, above), polynomial(s, q, below));
}

} // namespace

FailureOr<Tensor> mapInF64(GraphBuilder &b, const Tensor &x,
                           llvm::function_ref<Value(Scalar &, Value)> fn) {
  Element out = x->element;
  return elementwise(b, {x}, out, [&](Scalar &s, Values v) {
    Value wide = s.convert(v[0], s.builder.getF64Type());
    return s.convert(fn(s, wide), v[0].getType());
  });
}

Value logGamma(Scalar &s, Value x) {
  Value half = s.like(x, 0.5), one = s.like(x, 1), zero = s.like(x, 0);
  Value isLow = s.lt(x, half);
  Value above = logGammaAbove(s, s.select(isLow, s.sub(one, x), x));
  // The sine of the part behind the point is exact for large numbers, too.
  Value part = s.sub(x, s.floor(x));
  Value sine = s.make<math::SinOp>(s.mul(s.like(x, pi), part));
  Value below = s.sub(s.log(s.div(s.like(x, pi), s.abs(sine))), above);
  Value result = s.select(isLow, below, above);
  Value isPole = s.logicalAnd(s.le(x, zero), isWhole(s, x));
  Value inf = s.like(x, INFINITY);
  isPole = s.logicalOr(isPole, s.eq(s.abs(x), inf));
  return s.select(isPole, inf, result);
}

Value digamma(Scalar &s, Value x) {
  Value zero = s.like(x, 0), one = s.like(x, 1);
  Value isBelow = s.lt(x, zero);
  Value above = digammaAbove(s, s.select(isBelow, s.sub(one, x), x));
  Value part = s.sub(x, s.make<math::TruncOp>(x));
  Value tangent = s.make<math::TanOp>(s.mul(s.like(x, pi), part));
  Value mirrored = s.sub(above, s.div(s.like(x, pi), tangent));
  Value result = s.select(isBelow, mirrored, above);
  Value isPole = s.logicalAnd(isBelow, isWhole(s, x));
  result = s.select(isPole, s.like(x, NAN), result);
  Value inf = s.make<math::CopySignOp>(s.like(x, INFINITY), s.neg(x));
  return s.select(s.eq(x, zero), inf, result);
}

Value polygamma(Scalar &s, Value x, int64_t n) {
  Value order = s.like(x, n + 1.0);
  Value sum = zetaOfWhole(
      s, order, x, [&](Value a) { return inversePower(s, a, n + 1); },
      s.truth(n % 2 == 0));
  Value isPole = s.logicalAnd(s.le(x, s.like(x, 0)), isWhole(s, x));
  sum = s.select(isPole, s.like(x, INFINITY), sum);
  double factor = std::tgamma(n + 1.0);
  return s.mul(sum, s.like(x, n % 2 == 0 ? -factor : factor));
}

Value zeta(Scalar &s, Value x, Value q) {
  Value zero = s.like(x, 0), one = s.like(x, 1), nan = s.like(x, NAN);
  Value half = s.div(x, s.like(x, 2));
  Value isOdd = s.ne(half, s.floor(half));
  // 2^-x of what is not above 0 is not asked.
  Value sum = zetaOfWhole(
      s, x, q, [&](Value a) { return s.make<math::PowFOp>(a, s.neg(x)); },
      isOdd);
  Value inf = s.like(x, INFINITY);
  Value isLow = s.le(q, zero);
  sum = s.select(s.logicalAnd(isLow, s.logicalNot(isWhole(s, x))), nan, sum);
  sum = s.select(s.logicalAnd(isLow, isWhole(s, q)), inf, sum);
  sum = s.select(s.lt(x, one), nan, sum);
  return s.select(s.eq(x, one), inf, sum);
}

Value inverseErf(Scalar &s, Value y) {
  static constexpr double a[] = {0.886226899, -1.645349621, 0.914624893,
                                 -0.140543331};
  static constexpr double b[] = {1, -2.118377725, 1.442710462, -0.329097515,
                                 0.012229801};
  static constexpr double c[] = {-1.970840454, -1.624906493, 3.429567803,
                                 1.641345311};
  static constexpr double d[] = {1, 3.543889200, 1.637067800};
  Value size = s.abs(y), one = s.like(y, 1), square = s.mul(y, y);
  Value middle =
      s.div(s.mul(y, polynomial(s, square, a)), polynomial(s, square, b));
  Value z = s.sqrt(s.neg(s.log(s.div(s.sub(one, size), s.like(y, 2)))));
  Value outer = s.div(polynomial(s, z, c), polynomial(s, z, d));
  outer = s.make<math::CopySignOp>(outer, y);
  Value x = s.select(s.le(size, s.like(y, 0.7)), middle, outer);
  // Two steps of Newton.
  for (int i = 0; i < 2; ++i) {
    Value slope =
        s.mul(s.like(y, 2 / std::sqrt(pi)), s.exp(s.neg(s.mul(x, x))));
    x = s.sub(x, s.div(s.sub(s.erf(x), y), slope));
  }
  Value inf = s.make<math::CopySignOp>(s.like(y, INFINITY), y);
  x = s.select(s.eq(size, one), inf, x);
  return s.select(s.gt(size, one), s.like(y, NAN), x);
}

Value normalBelow(Scalar &s, Value x) {
  Value at = s.mul(x, s.like(x, std::sqrt(0.5))), one = s.like(x, 1);
  Value half = s.like(x, 0.5), size = s.abs(at);
  Value middle = s.add(half, s.mul(half, s.erf(at)));
  // Far from the middle, what is left is exact.
  Value rest =
      s.mul(half, s.mul(scaledErfc(s, size), s.exp(s.neg(s.mul(size, size)))));
  Value outer = s.select(s.gt(x, s.like(x, 0)), s.sub(one, rest), rest);
  return s.select(s.lt(size, s.like(x, std::sqrt(0.5))), middle, outer);
}

Value logNormalBelow(Scalar &s, Value x) {
  Value at = s.mul(x, s.like(x, std::sqrt(0.5))), half = s.like(x, 0.5);
  Value below =
      s.sub(s.log(s.mul(half, scaledErfc(s, s.neg(at)))), s.mul(at, at));
  Value size = s.abs(at);
  Value rest = s.mul(scaledErfc(s, size), s.exp(s.neg(s.mul(size, size))));
  Value isNegative = s.lt(at, s.like(x, 0));
  rest = s.select(isNegative, s.sub(s.like(x, 2), rest), rest);
  Value above = s.make<math::Log1pOp>(s.neg(s.mul(half, rest)));
  return s.select(s.lt(x, s.like(x, -1)), below, above);
}

Value inverseNormal(Scalar &s, Value p) {
  static constexpr double least = 0.02425;
  Value one = s.like(p, 1), zero = s.like(p, 0);
  Value rest = s.sub(one, p);
  Value tail = s.min(p, rest);
  Value outer = inverseNormalTail(s, tail);
  outer = s.select(s.lt(p, rest), outer, s.neg(outer));
  Value twice = s.sub(s.mul(p, s.like(p, 2)), one);
  Value middle = s.mul(s.like(p, std::numbers::sqrt2), inverseErf(s, twice));
  Value result = s.select(s.lt(tail, s.like(p, least)), outer, middle);
  Value inf = s.like(p, INFINITY);
  result = s.select(s.eq(p, zero), s.neg(inf), result);
  result = s.select(s.eq(p, one), inf, result);
  return s.select(s.logicalAnd(s.ge(p, zero), s.le(p, one)), result,
                  s.like(p, NAN));
}

} // namespace tilewright::build
