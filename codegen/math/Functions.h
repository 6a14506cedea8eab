//===- Functions.h - The formulas of the functions --------------*- C++ -*-===//
//
// Each creates the ops of one function on the operands' type and returns its
// value. Special operands (zeros, infinities, NaN, subnormals) have the results
// that C requires of IEEE 754 arithmetic (ISO C, annex F). Bounds.inc has the
// error bounds.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_MATH_FUNCTIONS_H
#define TILEWRIGHT_CODEGEN_MATH_FUNCTIONS_H

#include "codegen/math/Arithmetic.h"

namespace tilewright::math {

// Exponential.cpp
Real exp(Real x);
Real exp2(Real x);
Real expm1(Real x);

/// e^r for |r| <= ln(2) / 2.
Real expOfReduced(DoubleWord r);
/// e^r - 1 - r.high for such r.
Real expTail(DoubleWord r);
/// x = n ln(2) + r with |r| <= ln(2) / 2, for |x| < 2^(exponent bits + 1).
struct ReducedByLn2 {
  DoubleWord r;
  Whole n;
};
ReducedByLn2 reduceByLn2(DoubleWord x);
/// The same with r rounded to one float.
ReducedByLn2 reduceByLn2(Real x);

// Logarithm.cpp
Real log(Real x);
Real log2(Real x);
Real log10(Real x);
Real log1p(Real x);

/// x = 2^exponent (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)], for positive
/// finite x.
struct Split {
  Real exponent;
  Real f;
  Whole power; ///< The exponent.
};
Split splitExponent(Real x);
/// log(2^extra (x.high + x.low)), also near 1.
Real logOfDoubleWord(DoubleWord x, Real extra);
/// log(x) to 1.5 times the bits of a float and more, for positive finite x.
DoubleWord preciseLog(Real x);

// Hyperbolic.cpp
Real sinh(Real x);
Real cosh(Real x);
Real tanh(Real x);
Real asinh(Real x);
Real acosh(Real x);
Real atanh(Real x);

// Trigonometric.cpp
struct SineCosine {
  Real sine, cosine;
};
SineCosine sineCosine(Real x);
Real sin(Real x);
Real cos(Real x);
Real tan(Real x);

/// x = n pi/2 + r, |r| <= pi/4; only the two lowest bits of n count.
struct ReducedByHalfPi {
  DoubleWord r;
  Whole n;
};
/// TrigonometricReduction.cpp. For any finite x; otherwise r is unspecified.
ReducedByHalfPi reduceByHalfPi(Real x);

// InverseTrigonometric.cpp
Real asin(Real x);
Real acos(Real x);
Real atan(Real x);
Real atan2(Real y, Real x);

// ErrorFunction.cpp
Real erf(Real x);
Real erfc(Real x);

// Power.cpp
Real pow(Real x, Real y);
/// x^n for a signed integer (or a vector of them) of any width to 64.
Real powInteger(Real x, mlir::Value n);
Real cbrt(Real x);
Real rsqrt(Real x);

/// IntegerPower.cpp. base^exponent of signed integers or vectors of them,
/// modulo 2^width; for a negative exponent, the exact power truncated.
mlir::Value integerPower(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value base, mlir::Value exponent);

} // namespace tilewright::math

#endif // TILEWRIGHT_CODEGEN_MATH_FUNCTIONS_H
