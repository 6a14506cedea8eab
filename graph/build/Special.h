// Special functions of one element, of f64: gamma and zeta functions, functions
// of the normal distribution, and Bessel functions. What has no value is NaN.
#pragma once

#include "graph/build/Generic.h"

namespace tilewright::build {

/// x in f64, each element a function's value, in the type of x.
FailureOr<Tensor> mapInF64(GraphBuilder &b, const Tensor &x,
                           llvm::function_ref<Value(Scalar &, Value)> fn);

/// log |gamma(x)|: infinity at 0, -1, -2, ...
Value logGamma(Scalar &s, Value x);
/// The derivative of log(gamma(x)): -infinity at 0, NaN at -1, -2, ...
Value digamma(Scalar &s, Value x);
/// The n-th derivative of digamma, for n of at least 1.
Value polygamma(Scalar &s, Value x, int64_t n);
/// The sum of (q + k)^-x over k from 0 on. Infinity at x = 1 and q = 0, -1,
/// ..., NaN for x below 1, and for negative q with an x that is not whole.
Value zeta(Scalar &s, Value x, Value q);

Value inverseErf(Scalar &s, Value x);
/// exp(x^2) erfc(x).
Value scaledErfc(Scalar &s, Value x);
/// The normal distribution's probability of less than x, its logarithm, and its
/// inverse.
Value normalBelow(Scalar &s, Value x);
Value logNormalBelow(Scalar &s, Value x);
Value inverseNormal(Scalar &s, Value p);

/// Modified Bessel functions of the first kind, order 0 and 1; `scaled` by
/// exp(-|x|).
Value besselI0(Scalar &s, Value x, bool scaled);
Value besselI1(Scalar &s, Value x, bool scaled);
/// Of the second kind; `scaled` by exp(x). Infinity at 0, NaN below.
Value besselK0(Scalar &s, Value x, bool scaled);
Value besselK1(Scalar &s, Value x, bool scaled);
/// Bessel functions of the first and the second kind, order 0 and 1; NaN at
/// infinity.
Value besselJ0(Scalar &s, Value x);
Value besselJ1(Scalar &s, Value x);
Value besselY0(Scalar &s, Value x);
Value besselY1(Scalar &s, Value x);
/// sin(x) / x.
Value sphericalBessel(Scalar &s, Value x);
enum class ChebyshevKind { First, Second, Third, Fourth };
/// Chebyshev polynomials of whole degrees n; 0 where n is no degree.
Value chebyshevOf(Scalar &s, ChebyshevKind kind, Value x, Value n);
/// The Airy function Ai.
Value airy(Scalar &s, Value x);

} // namespace tilewright::build
