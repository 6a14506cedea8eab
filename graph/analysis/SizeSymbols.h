// The symbols of sizes.
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_SIZESYMBOLS_H
#define TILEWRIGHT_GRAPH_ANALYSIS_SIZESYMBOLS_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::graph {

using Expr = mlir::AffineExpr;

/// What the symbols of sizes stand for, by position: dynamic dimensions of the
/// model's inputs, which are at least 0; other numbers that the host knows
/// while it runs the program, sizes among them, which have bounds of their own;
/// and positive parts max(d, 0).
class SizeSymbols {
public:
  explicit SizeSymbols(mlir::MLIRContext *context) : context(context) {}

  /// The dynamic dimension with this name; a new symbol at its first mention.
  Expr dimension(llvm::StringRef name);
  /// A new symbol for a number with these bounds, none where they are not
  /// known; named `name` or, if that is taken, like it.
  Expr fresh(llvm::StringRef name, std::optional<int64_t> low,
             std::optional<int64_t> high = {});
  /// Other bounds of such a number.
  void setBounds(Expr symbol, std::optional<int64_t> low,
                 std::optional<int64_t> high);
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
  /// Bounds of a symbol that is no positive part; a dimension of an input is at
  /// least `least`.
  std::pair<std::optional<int64_t>, std::optional<int64_t>>
  boundsOf(mlir::AffineSymbolExpr symbol, int64_t least) const;
  /// How many maxima are one in another at most.
  unsigned nesting(Expr size) const;
  /// The d of a symbol for max(d, 0); null for a dimension's symbol.
  Expr positivePartOf(mlir::AffineSymbolExpr symbol) const {
    return symbols[symbol.getPosition()].positivePartOf;
  }

private:
  struct Symbol {
    std::string name;
    Expr positivePartOf;
    bool isInput = true;
    std::optional<int64_t> low = {}, high = {};
    unsigned nesting = 0;
  };
  mlir::MLIRContext *context;
  std::vector<Symbol> symbols;
  llvm::StringMap<unsigned> positions;
  llvm::DenseMap<Expr, Expr> positiveParts;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_SIZESYMBOLS_H
