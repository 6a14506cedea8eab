// Sizes in the manifest's expression language.
#include "graph/analysis/Polynomial.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::graph {

static std::string termsText(const Sizes &sizes, Expr e);

/// A factor of a product.
static std::string atomText(const Sizes &sizes, Expr e) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e)) {
    Expr part = sizes.symbols.positivePartOf(symbol);
    return part ? "max(" + termsText(sizes, part) + ", 0)"
                : sizes.symbols.nameOf(symbol).str();
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  if (!binary)
    return "?";
  const char *function =
      binary.getKind() == AffineExprKind::FloorDiv  ? "floordiv("
      : binary.getKind() == AffineExprKind::CeilDiv ? "ceildiv("
                                                    : "mod(";
  return function + termsText(sizes, binary.getLHS()) + ", " +
         termsText(sizes, binary.getRHS()) + ")";
}

/// A sum without parentheses around it.
static std::string termsText(const Sizes &sizes, Expr e) {
  Sizes scratch(sizes);
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
      product += (product.empty() ? "" : "*") + atomText(sizes, atom);
    if (product.empty())
      text += magnitude;
    else
      text += product + (magnitude == "1" ? "" : "*" + magnitude);
  }
  return text.empty() ? "0" : text;
}

std::string Sizes::str(Expr e) const {
  std::string text = termsText(*this, e);
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
