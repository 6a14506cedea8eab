// The math dialect. Floats go through the host's library in double, f128
// through MPFR, and are rounded once to their type; what IEEE defines exactly
// is computed exactly.
#include "mlir/Dialect/Math/IR/Math.h"
#include "tileir/reference/ProgramInstance.h"
#include "tileir/reference/Quad.h"
#include "tileir/reference/Rounding.h"
#include <cmath>

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::reference {

static EvalElement unary(double (*fn)(double), QuadUnary quad) {
  return [fn, quad](Operation *, ArrayRef<Element> x, Type type) {
    if (type.isF128())
      return Element::ofFloat(type, quadFunction(quad, x[0].real()));
    return Element::ofDouble(type, fn(x[0].toDouble()));
  };
}

static EvalElement binary(double (*fn)(double, double), QuadBinary quad) {
  return [fn, quad](Operation *, ArrayRef<Element> x, Type type) {
    if (type.isF128())
      return Element::ofFloat(type,
                              quadFunction(quad, x[0].real(), x[1].real()));
    return Element::ofDouble(type, fn(x[0].toDouble(), x[1].toDouble()));
  };
}

Element exponential(const Element &x) {
  Type type = x.getType();
  if (type.isF128())
    return Element::ofFloat(type, quadFunction(mpfr_exp, x.real()));
  return Element::ofDouble(type, std::exp(x.toDouble()));
}

static EvalElement predicate(bool (*fn)(const APFloat &)) {
  return [fn](Operation *, ArrayRef<Element> x, Type type) {
    return Element::ofInt(type, fn(x[0].real()));
  };
}

/// Rounds to an integral value.
static EvalElement toIntegral(llvm::RoundingMode mode) {
  return [mode](Operation *, ArrayRef<Element> x, Type type) {
    return computeFloat(type, x, [&](ArrayRef<APFloat> n) {
      APFloat value = n[0];
      value.roundToIntegral(mode);
      return value;
    });
  };
}

static EvalElement bitCount(unsigned (*fn)(const APInt &)) {
  return [fn](Operation *, ArrayRef<Element> x, Type type) {
    return Element::ofInt(type, fn(x[0].integer()));
  };
}

static FailureOr<Element> fma(Operation *, ArrayRef<Element> x, Type type) {
  return computeFloat(type, x, [](ArrayRef<APFloat> n) {
    APFloat value = n[0];
    value.fusedMultiplyAdd(n[1], n[2], APFloat::rmNearestTiesToEven);
    return value;
  });
}

static FailureOr<Element> copySign(Operation *, ArrayRef<Element> x,
                                   Type type) {
  return computeFloat(type, x, [](ArrayRef<APFloat> n) {
    return APFloat::copySign(n[0], n[1]);
  });
}

static FailureOr<Element> absoluteFloat(Operation *, ArrayRef<Element> x,
                                        Type type) {
  return computeFloat(type, x,
                      [](ArrayRef<APFloat> n) { return llvm::abs(n[0]); });
}

static FailureOr<Element> absoluteInt(Operation *, ArrayRef<Element> x,
                                      Type type) {
  return Element::ofInteger(type, x[0].integer().abs());
}

/// The nearest of value, min and max; NaN stays.
static FailureOr<Element> clamp(Operation *, ArrayRef<Element> x, Type type) {
  return computeFloat(type, x, [](ArrayRef<APFloat> n) {
    return llvm::minimum(llvm::maximum(n[0], n[1]), n[2]);
  });
}

static FailureOr<Element> floatToIntPower(Operation *, ArrayRef<Element> x,
                                          Type type) {
  if (type.isF128())
    return Element::ofFloat(type, quadPower(x[0].real(), x[1].toInt()));
  return Element::ofDouble(
      type, std::pow(x[0].toDouble(), static_cast<double>(x[1].toInt())));
}

/// Integer power modulo 2^width; base^-n is (1 / base)^n: 0 unless the base is
/// 1 or -1.
static FailureOr<Element> intPower(Operation *op, ArrayRef<Element> x,
                                   Type type) {
  APInt base = x[0].integer(), exponent = x[1].integer();
  APInt one(base.getBitWidth(), 1);
  if (exponent.isNegative()) {
    if (base.isZero())
      return errorAt(op) << "0 to the negative power " << x[1].text();
    if (!base.isOne() && !base.isAllOnes())
      return Element::zero(type);
    exponent.negate();
  }
  APInt result = one;
  for (; !exponent.isZero(); exponent.lshrInPlace(1)) {
    if (exponent[0])
      result *= base;
    base *= base;
  }
  return Element::ofInteger(type, result);
}

static void addTranscendental(OpTable &table) {
  table.addElementwise<math::AcosOp>(unary(std::acos, mpfr_acos));
  table.addElementwise<math::AcoshOp>(unary(std::acosh, mpfr_acosh));
  table.addElementwise<math::AsinOp>(unary(std::asin, mpfr_asin));
  table.addElementwise<math::AsinhOp>(unary(std::asinh, mpfr_asinh));
  table.addElementwise<math::AtanOp>(unary(std::atan, mpfr_atan));
  table.addElementwise<math::Atan2Op>(binary(std::atan2, mpfr_atan2));
  table.addElementwise<math::AtanhOp>(unary(std::atanh, mpfr_atanh));
  table.addElementwise<math::CbrtOp>(unary(std::cbrt, mpfr_cbrt));
  table.addElementwise<math::CosOp>(unary(std::cos, mpfr_cos));
  table.addElementwise<math::CoshOp>(unary(std::cosh, mpfr_cosh));
  table.addElementwise<math::ErfOp>(unary(std::erf, mpfr_erf));
  table.addElementwise<math::ErfcOp>(unary(std::erfc, mpfr_erfc));
  table.addElementwise<math::ExpOp>(unary(std::exp, mpfr_exp));
  table.addElementwise<math::Exp2Op>(unary(std::exp2, mpfr_exp2));
  table.addElementwise<math::ExpM1Op>(unary(std::expm1, mpfr_expm1));
  table.addElementwise<math::LogOp>(unary(std::log, mpfr_log));
  table.addElementwise<math::Log10Op>(unary(std::log10, mpfr_log10));
  table.addElementwise<math::Log1pOp>(unary(std::log1p, mpfr_log1p));
  table.addElementwise<math::Log2Op>(unary(std::log2, mpfr_log2));
  table.addElementwise<math::PowFOp>(binary(std::pow, mpfr_pow));
  table.addElementwise<math::RsqrtOp>(
      unary([](double x) { return 1 / std::sqrt(x); }, quadInverseRoot));
  table.addElementwise<math::SinOp>(unary(std::sin, mpfr_sin));
  table.addElementwise<math::SinhOp>(unary(std::sinh, mpfr_sinh));
  table.addElementwise<math::SqrtOp>(unary(std::sqrt, mpfr_sqrt));
  table.addElementwise<math::TanOp>(unary(std::tan, mpfr_tan));
  table.addElementwise<math::TanhOp>(unary(std::tanh, mpfr_tanh));
  table.addElementwise<math::SincosOp>(unary(std::sin, mpfr_sin),
                                       unary(std::cos, mpfr_cos));
}

void addMathOps(OpTable &table) {
  addTranscendental(table);
  table.addElementwise<math::AbsFOp>(EvalElement(absoluteFloat));
  table.addElementwise<math::AbsIOp>(EvalElement(absoluteInt));
  table.addElementwise<math::ClampFOp>(EvalElement(clamp));
  table.addElementwise<math::CopySignOp>(EvalElement(copySign));
  table.addElementwise<math::FmaOp>(EvalElement(fma));
  table.addElementwise<math::FPowIOp>(EvalElement(floatToIntPower));
  table.addElementwise<math::IPowIOp>(EvalElement(intPower));
  table.addElementwise<math::CeilOp>(toIntegral(APFloat::rmTowardPositive));
  table.addElementwise<math::FloorOp>(toIntegral(APFloat::rmTowardNegative));
  table.addElementwise<math::RoundOp>(toIntegral(APFloat::rmNearestTiesToAway));
  table.addElementwise<math::RoundEvenOp>(
      toIntegral(APFloat::rmNearestTiesToEven));
  table.addElementwise<math::TruncOp>(toIntegral(APFloat::rmTowardZero));
  table.addElementwise<math::CountLeadingZerosOp>(
      bitCount([](const APInt &x) { return x.countl_zero(); }));
  table.addElementwise<math::CountTrailingZerosOp>(
      bitCount([](const APInt &x) { return x.countr_zero(); }));
  table.addElementwise<math::CtPopOp>(
      bitCount([](const APInt &x) { return x.popcount(); }));
  table.addElementwise<math::IsFiniteOp>(
      predicate([](const APFloat &x) { return x.isFinite(); }));
  table.addElementwise<math::IsInfOp>(
      predicate([](const APFloat &x) { return x.isInfinity(); }));
  table.addElementwise<math::IsNaNOp>(
      predicate([](const APFloat &x) { return x.isNaN(); }));
  table.addElementwise<math::IsNormalOp>(
      predicate([](const APFloat &x) { return x.isNormal(); }));
}

} // namespace tilewright::reference
