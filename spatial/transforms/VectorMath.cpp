//===- VectorMath.cpp - Functions as formulas of the vector unit's --------===//
//
// Each formula keeps small results to their last digits, and is right at zero,
// infinity and NaN.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/Math/IR/Math.h"
#include "spatial/transforms/AluBuilder.h"
#include <numbers>

using namespace mlir;

namespace tilewright::spatial {

namespace {
/// Arithmetic on f32.
class Real {
public:
  Real(AluBuilder &alu, VectorScalar scalar)
      : alu(&alu), scalar(std::move(scalar)) {}

  [[nodiscard]] Real operator+(const Real &b) const {
    return at(AluOp::add, b);
  }
  [[nodiscard]] Real operator-(const Real &b) const {
    return at(AluOp::sub, b);
  }
  [[nodiscard]] Real operator*(const Real &b) const {
    return at(AluOp::mul, b);
  }
  [[nodiscard]] Real operator/(const Real &b) const {
    return at(AluOp::divide, b);
  }
  [[nodiscard]] Real number(double value) const {
    return {*alu, AluBuilder::number(value, DType::F32)};
  }
  [[nodiscard]] Real operator+(double b) const { return *this + number(b); }
  [[nodiscard]] Real operator-(double b) const { return *this - number(b); }
  [[nodiscard]] Real operator*(double b) const { return *this * number(b); }

  /// A function of the vector unit.
  [[nodiscard]] Real at(AluOp function) const {
    return {*alu, (*alu)(function, DType::F32, {scalar}, DType::F32)};
  }
  [[nodiscard]] Real at(AluOp function, const Real &b) const {
    return {*alu, (*alu)(function, DType::F32, {scalar, b.scalar}, DType::F32)};
  }
  [[nodiscard]] Real fma(const Real &b, const Real &c) const {
    return {*alu, (*alu)(AluOp::fma, DType::F32, {scalar, b.scalar, c.scalar},
                         DType::F32)};
  }

  struct Choice {
    VectorScalar truth;
    /// `then` where the comparison holds.
    [[nodiscard]] Real select(const Real &then, const Real &otherwise) const {
      return {*then.alu,
              (*then.alu)(AluOp::select, DType::F32,
                          {truth, then.scalar, otherwise.scalar}, DType::F32)};
    }
  };
  /// A comparison with another number.
  [[nodiscard]] Choice is(AluOp comparison, const Real &b) const {
    return {(*alu)(comparison, DType::F32, {scalar, b.scalar}, DType::Bool)};
  }
  [[nodiscard]] Choice is(AluOp comparison, double b) const {
    return is(comparison, number(b));
  }

  AluBuilder *alu;
  VectorScalar scalar;
};
} // namespace

/// The magnitude with the sign of `x`, which may be -0 where it is 0.
static Real withSignOf(const Real &x, const Real &magnitude) {
  const Real signedReal = x.is(AluOp::lt, 0).select(magnitude * -1, magnitude);
  return x.is(AluOp::eq, 0).select(x, signedReal);
}

static Real expm1(const Real &x) {
  // e^x - 1 = tanh(x/2) (e^x + 1)
  return (x * 0.5).at(AluOp::tanh) * (x.at(AluOp::exp) + 1);
}

static Real log1p(const Real &x) {
  // Kahan's: the quotient undoes the rounding of 1 + x.
  const Real u = x + 1;
  const Real logarithm = u.at(AluOp::log);
  const Real corrected = logarithm * (x / (u - 1));
  return u.is(AluOp::eq, x)
      .select(logarithm, u.is(AluOp::eq, 1).select(x, corrected));
}

static Real cosh(const Real &x) {
  // With half the exponent, e^|x| does not overflow before the result does.
  const Real root = (x.at(AluOp::abs) * 0.5).at(AluOp::exp);
  return (root * 0.5).fma(root, root.number(0.5) / (root * root));
}

static Real sinh(const Real &x) {
  // tanh(x/2) = sinh(x) / (cosh(x) + 1)
  return (x * 0.5).at(AluOp::tanh) * (cosh(x) + 1);
}

static Real tan(const Real &x) { return x.at(AluOp::sin) / x.at(AluOp::cos); }

static Real atan(const Real &x) {
  const Real magnitude = x.at(AluOp::abs);
  const Real::Choice isLarge = magnitude.is(AluOp::gt, 1);
  const Real reduced = isLarge.select(x.number(1) / magnitude, magnitude);
  // Half the angle has a tangent up to sqrt(2) - 1, where the odd series ends
  // soon: its 17th power is 3e-7, divided by 17.
  const Real half =
      reduced / (reduced.fma(reduced, x.number(1)).at(AluOp::sqrt) + 1);
  const Real square = half * half;
  Real series = x.number(1.0 / 17);
  for (int power = 15; power >= 1; power -= 2)
    series =
        series.fma(square, x.number((power % 4 == 1 ? 1.0 : -1.0) / power));
  const Real angle = half * series * 2;
  return withSignOf(
      x, isLarge.select(x.number(std::numbers::pi / 2) - angle, angle));
}

static Real asin(const Real &x) {
  const Real one = x.number(1);
  return atan(x / (((one - x) * (x + 1)).at(AluOp::sqrt) + 1)) * 2;
}

static Real acos(const Real &x) {
  return atan(((x.number(1) - x) / (x + 1)).at(AluOp::sqrt)) * 2;
}

/// From here on sqrt(x^2 +- 1) is x.
static constexpr double largeForSquares = 16384;

static Real asinh(const Real &x) {
  const Real t = x.at(AluOp::abs);
  const Real root = t.fma(t, t.number(1)).at(AluOp::sqrt);
  const Real result = t.is(AluOp::gt, largeForSquares)
                          .select(t.at(AluOp::log) + std::numbers::ln2,
                                  log1p(t + t * t / (root + 1)));
  return withSignOf(x, result);
}

static Real acosh(const Real &x) {
  const Real t = x - 1;
  return x.is(AluOp::gt, largeForSquares)
      .select(x.at(AluOp::log) + std::numbers::ln2,
              log1p(t + (t * (t + 2)).at(AluOp::sqrt)));
}

static Real atanh(const Real &x) {
  return log1p(x * 2 / (x.number(1) - x)) * 0.5;
}

/// To the nearest whole number, halves away from zero.
static Real round(const Real &x) {
  const Real whole = x.at(AluOp::trunc);
  const Real away = x.is(AluOp::lt, 0).select(whole - 1, whole + 1);
  return (x - whole).at(AluOp::abs).is(AluOp::ge, 0.5).select(away, whole);
}

static Real log2(const Real &x) {
  return x.at(AluOp::log) * std::numbers::log2e;
}
static Real log10(const Real &x) {
  return x.at(AluOp::log) * std::numbers::log10e;
}
static Real exp2(const Real &x) { return x.number(2).at(AluOp::pow, x); }

static std::optional<Real> functionOf(Operation *inner, const Real &x) {
  using Function = Real (*)(const Real &);
  const std::pair<StringRef, Function> functions[] = {
      {"math.expm1", expm1}, {"math.log1p", log1p}, {"math.cosh", cosh},
      {"math.sinh", sinh},   {"math.tan", tan},     {"math.atan", atan},
      {"math.asin", asin},   {"math.acos", acos},   {"math.asinh", asinh},
      {"math.acosh", acosh}, {"math.atanh", atanh}, {"math.round", round},
      {"math.log2", log2},   {"math.log10", log10}, {"math.exp2", exp2}};
  for (const auto &[name, function] : functions)
    if (inner->getName().getStringRef() == name)
      return function(x);
  return std::nullopt;
}

std::optional<VectorScalar> lowerMathFunction(AluBuilder &alu, Operation *inner,
                                              ArrayRef<VectorScalar> in) {
  const DType result = *scalarType(inner->getResult(0).getType());
  if (!isFloat(result))
    return std::nullopt;
  const Real x(alu, in.front());
  std::optional<Real> found = functionOf(inner, x);
  if (isa<math::FPowIOp>(inner))
    found = x.at(AluOp::pow,
                 {alu, alu(AluOp::convert, DType::I32, {in[1]}, DType::F32)});
  if (isa<math::CopySignOp>(inner)) {
    // The sign of zero is that of its inverse.
    const Real sign(alu, in[1]), magnitude = x.at(AluOp::abs);
    const Real inverse = sign.is(AluOp::eq, 0).select(x.number(1) / sign, sign);
    found = inverse.is(AluOp::lt, 0).select(magnitude * -1, magnitude);
  }
  if (!found)
    return std::nullopt;
  if (result == DType::F32)
    return found->scalar;
  return alu(AluOp::move, DType::F32, {found->scalar}, result);
}

} // namespace tilewright::spatial
