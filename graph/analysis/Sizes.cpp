#include "graph/analysis/Sizes.h"

#include "graph/analysis/Polynomial.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <numeric>

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

Expr Sizes::symbol(StringRef name) {
  auto [it, inserted] = positions.try_emplace(name, symbols.size());
  if (inserted)
    symbols.push_back({name.str(), Expr()});
  return getAffineSymbolExpr(it->second, context);
}

std::vector<std::string> Sizes::names() const {
  std::vector<std::string> names;
  for (const Symbol &symbol : symbols)
    if (!symbol.positivePartOf)
      names.push_back(symbol.name);
  return names;
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
  auto quotient = Polynomial(*this, a).exactDiv(Polynomial(*this, b));
  if (!quotient)
    return std::nullopt;
  return quotient->expr();
}

/// The greatest common divisor is factored out of the maximum, and the first
/// term in it is positive: max(-d, 0) = max(d, 0) - d.
Expr Sizes::positivePart(Expr a) {
  std::optional<int64_t> low = lowerBound(a), high = upperBound(a);
  if (low && *low >= 0)
    return add(a, 0);
  if (high && *high <= 0)
    return constant(0);
  Polynomial whole(*this, a), reduced(*this);
  int64_t common = whole.content();
  bool isNegative = whole.terms.begin()->second < 0;
  for (const auto &[monomial, coefficient] : whole.terms)
    reduced.addTerm(monomial, coefficient / (isNegative ? -common : common));
  Expr d = reduced.expr();
  Expr &part = positiveParts[d];
  if (!part) {
    part = getAffineSymbolExpr(symbols.size(), context);
    symbols.push_back({"", d});
  }
  return mul(isNegative ? sub(part, d) : part, common);
}

Expr Sizes::where(Expr a, Expr dimension, Expr value) {
  if (a == dimension)
    return value;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(a)) {
    Expr part = positivePartOf(symbol);
    return part ? positivePart(where(part, dimension, value)) : a;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(a);
  if (!binary)
    return a;
  Expr lhs = where(binary.getLHS(), dimension, value);
  Expr rhs = where(binary.getRHS(), dimension, value);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return add(lhs, rhs);
  case AffineExprKind::Mul:
    return mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return isConst(rhs, 0) ? a : floorDiv(lhs, rhs);
  default:
    return a;
  }
}

Expr Sizes::product(ArrayRef<Expr> factors) {
  Expr result = constant(1);
  for (Expr factor : factors)
    result = mul(result, factor);
  return result;
}

/// A factor of a product.
std::string Sizes::atomText(Expr e) const {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e)) {
    Expr part = positivePartOf(symbol);
    return part ? "max(" + termsText(part) + ", 0)"
                : symbols[symbol.getPosition()].name;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  if (!binary)
    return "?";
  const char *function =
      binary.getKind() == AffineExprKind::FloorDiv  ? "floordiv("
      : binary.getKind() == AffineExprKind::CeilDiv ? "ceildiv("
                                                    : "mod(";
  return function + termsText(binary.getLHS()) + ", " +
         termsText(binary.getRHS()) + ")";
}

/// A sum without parentheses around it.
std::string Sizes::termsText(Expr e) const {
  Sizes scratch(*this);
  Polynomial p(scratch, e);
  std::string text;
  for (const auto &[monomial, coefficient] : p.terms) {
    bool isNegative = coefficient < 0;
    if (!text.empty())
      text += isNegative ? " - " : " + ";
    else if (isNegative)
      text += "-";
    std::string magnitude = std::to_string(coefficient).substr(isNegative);
    std::string product;
    for (Expr atom : monomial)
      product += (product.empty() ? "" : "*") + atomText(atom);
    if (product.empty())
      text += magnitude;
    else
      text += product + (magnitude == "1" ? "" : "*" + magnitude);
  }
  return text.empty() ? "0" : text;
}

std::string Sizes::str(Expr e) const {
  std::string text = termsText(e);
  bool isSum = StringRef(text).contains(" ") && isa<AffineBinaryOpExpr>(e) &&
               (e.getKind() == AffineExprKind::Add);
  return isSum ? "(" + text + ")" : text;
}

std::string Sizes::str(ArrayRef<Expr> dims) const {
  std::string text = "[";
  for (auto [i, dim] : llvm::enumerate(dims))
    text += (i ? ", " : "") + str(dim);
  return text + "]";
}

} // namespace tilewright::graph
