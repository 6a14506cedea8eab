// The symbols of sizes.
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_SIZESYMBOLS_H
#define TILEWRIGHT_GRAPH_ANALYSIS_SIZESYMBOLS_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tilewright::graph {

using Expr = mlir::AffineExpr;

/// What the symbols of sizes stand for, by position: dynamic dimensions of the
/// model's inputs, which are at least 0, and positive parts max(d, 0).
class SizeSymbols {
public:
  explicit SizeSymbols(mlir::MLIRContext *context) : context(context) {}

  /// The dynamic dimension with this name; a new symbol at its first mention.
  Expr dimension(llvm::StringRef name);
  /// max(d, 0), for a canonical `d`; likewise.
  Expr positivePart(Expr d);

  /// Symbols of both kinds.
  unsigned count() const { return symbols.size(); }
  /// Names of the dynamic dimensions, in order of their positions.
  std::vector<std::string> names() const;
  /// The name of a dynamic dimension.
  llvm::StringRef nameOf(mlir::AffineSymbolExpr symbol) const {
    return symbols[symbol.getPosition()].name;
  }
  /// The d of a symbol for max(d, 0); null for a dimension's symbol.
  Expr positivePartOf(mlir::AffineSymbolExpr symbol) const {
    return symbols[symbol.getPosition()].positivePartOf;
  }

private:
  struct Symbol {
    std::string name;
    Expr positivePartOf;
  };
  mlir::MLIRContext *context;
  std::vector<Symbol> symbols;
  llvm::StringMap<unsigned> positions;
  llvm::DenseMap<Expr, Expr> positiveParts;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_SIZESYMBOLS_H
