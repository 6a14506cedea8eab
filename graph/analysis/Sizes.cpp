#include "graph/analysis/Sizes.h"

#include "graph/analysis/Polynomial.h"
#include "graph/analysis/SizeBounds.h"

#include "mlir/IR/MLIRContext.h"

using namespace mlir;

namespace tilewright::graph {

std::optional<int64_t> constantOf(Expr e) {
  if (auto constant = dyn_cast_or_null<AffineConstantExpr>(e))
    return constant.getValue();
  return std::nullopt;
}

bool isConst(Expr e, int64_t value) { return constantOf(e) == value; }

std::optional<SmallVector<int64_t>> constantsOf(ArrayRef<Expr> exprs) {
  SmallVector<int64_t> values;
  for (Expr e : exprs) {
    std::optional<int64_t> value = constantOf(e);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

StringRef Sizes::fault() const {
  return overflow        ? "a size overflows 64 bits"
         : dividesByZero ? "a size is divided by 0"
                         : "";
}

Expr Sizes::constant(int64_t value) {
  return getAffineConstantExpr(value, context);
}

Expr Sizes::add(Expr a, Expr b) {
  Polynomial p(*this, a);
  p.addScaled(Polynomial(*this, b), 1);
  return p.expr();
}

Expr Sizes::sub(Expr a, Expr b) {
  Polynomial p(*this, a);
  p.addScaled(Polynomial(*this, b), -1);
  return p.expr();
}

Expr Sizes::mul(Expr a, Expr b) {
  return Polynomial(*this, a).times(Polynomial(*this, b)).expr();
}

Expr Sizes::floorDiv(Expr a, Expr b) {
  return Polynomial(*this, a).floorDiv(Polynomial(*this, b)).expr();
}

Expr Sizes::ceilDiv(Expr a, Expr b) {
  return floorDiv(add(a, sub(b, constant(1))), b);
}

Expr Sizes::mod(Expr a, Expr b) { return sub(a, mul(floorDiv(a, b), b)); }

std::optional<Expr> Sizes::exactDiv(Expr a, Expr b) {
  std::optional<Polynomial> quotient;
  if (!Polynomial::tries(*this,
                         [&] {
                           quotient = Polynomial(*this, a).exactDiv(
                               Polynomial(*this, b));
                         }) ||
      !quotient)
    return std::nullopt;
  return quotient->expr();
}

/// The greatest common divisor is factored out of the maximum, and the first
/// term in it is positive: max(-d, 0) = max(d, 0) - d.
Expr Sizes::positivePart(Expr a) {
  std::optional<int64_t> low = lowerBound(*this, a),
                         high = upperBound(*this, a);
  if (low && *low >= 0)
    return add(a, 0);
  if (high && *high <= 0)
    return constant(0);
  Polynomial whole(*this, a), reduced(*this);
  int64_t common = whole.content();
  bool isNegative = whole.terms.begin()->second < 0;
  for (const auto &[monomial, coefficient] : whole.terms)
    reduced.addTerm(monomial, coefficient / (isNegative ? -common : common));
  Expr d = reduced.expr(), part = symbols.positivePart(d);
  return mul(isNegative ? sub(part, d) : part, common);
}

Expr Sizes::product(ArrayRef<Expr> factors) {
  Expr result = constant(1);
  for (Expr factor : factors)
    result = mul(result, factor);
  return result;
}

} // namespace tilewright::graph
