// Sizes of tensors as canonical symbolic expressions.
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_SIZES_H
#define TILEWRIGHT_GRAPH_ANALYSIS_SIZES_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::graph {

using Expr = mlir::AffineExpr;
using Dims = llvm::SmallVector<mlir::AffineExpr>;

/// Arithmetic on sizes and on the contents of shape tensors: the only engine
/// for sizes at compile time; the runtime reads its text. A size is an
/// AffineExpr over symbols: one for each dynamic dimension of the model's
/// inputs, which is at least 0, and one for each positive part max(d, 0) that a
/// minimum or maximum needs. Each function returns the canonical expression of
/// its result (a sum of products of symbols and of floor divisions), so equal
/// pointers mean equal sizes. An overflow of 64 bits sets a sticky flag.
class Sizes {
public:
  explicit Sizes(mlir::MLIRContext *context) : context(context) {}

  /// The symbol with this name, made at its first mention.
  Expr symbol(llvm::StringRef name);
  /// Names of the dynamic dimensions, in order of their positions.
  std::vector<std::string> names() const;
  /// Symbols of both kinds: those at the positions below.
  unsigned symbolCount() const { return symbols.size(); }
  /// The name of a dynamic dimension.
  llvm::StringRef nameOf(mlir::AffineSymbolExpr symbol) const {
    return symbols[symbol.getPosition()].name;
  }
  /// The d of a symbol for max(d, 0); null for a dimension's symbol.
  Expr positivePartOf(mlir::AffineSymbolExpr symbol) const {
    return symbols[symbol.getPosition()].positivePartOf;
  }

  Expr constant(int64_t value);
  /// The canonical expression of one that is written in any way.
  Expr canonical(Expr a) { return add(a, 0); }
  Expr add(Expr a, Expr b);
  Expr add(Expr a, int64_t b) { return add(a, constant(b)); }
  Expr sub(Expr a, Expr b);
  Expr mul(Expr a, Expr b);
  Expr mul(Expr a, int64_t b) { return mul(a, constant(b)); }
  /// Rounds to minus infinity. The divisor is not known to be zero.
  Expr floorDiv(Expr a, Expr b);
  Expr floorDiv(Expr a, int64_t b) { return floorDiv(a, constant(b)); }
  Expr ceilDiv(Expr a, Expr b);
  Expr ceilDiv(Expr a, int64_t b) { return ceilDiv(a, constant(b)); }
  Expr mod(Expr a, Expr b);
  /// The quotient if `b` divides `a` for all values of the symbols.
  std::optional<Expr> exactDiv(Expr a, Expr b);
  /// b - max(b - a, 0) and b + max(a - b, 0), where it is not decided.
  Expr min(Expr a, Expr b) { return sub(b, positivePart(sub(b, a))); }
  Expr max(Expr a, Expr b) { return add(b, positivePart(sub(a, b))); }
  /// The size where a dynamic dimension has this value.
  Expr where(Expr a, Expr dimension, Expr value);
  /// max(a, 0).
  Expr positivePart(Expr a);
  Expr product(llvm::ArrayRef<Expr> factors);

  /// A bound over all values of the symbols, if there is one.
  std::optional<int64_t> lowerBound(Expr a);
  std::optional<int64_t> upperBound(Expr a);
  /// The same where no dynamic dimension is 0.
  std::optional<int64_t> lowerBoundUnlessEmpty(Expr a);
  /// The value, if it is the same for all nonzero dynamic dimensions.
  std::optional<int64_t> constantUnlessEmpty(Expr a);
  /// Whether a < b or a == b, if it is the same for all values.
  std::optional<bool> less(Expr a, Expr b);
  std::optional<bool> equal(Expr a, Expr b);

  /// Text in the manifest's expression language, with the symbols' names.
  std::string str(Expr a) const;
  std::string str(llvm::ArrayRef<Expr> dims) const;

  bool overflowed() const { return overflow; }
  mlir::MLIRContext *getContext() const { return context; }

private:
  std::string atomText(Expr e) const;
  std::string termsText(Expr e) const;
  friend class Polynomial;
  mlir::MLIRContext *context;
  struct Symbol {
    std::string name;
    Expr positivePartOf;
  };
  std::vector<Symbol> symbols;
  llvm::DenseMap<Expr, Expr> positiveParts;
  llvm::StringMap<unsigned> positions;
  bool overflow = false;
};

/// The value of a constant expression.
std::optional<int64_t> constantOf(Expr e);
/// Whether an expression is this constant.
bool isConst(Expr e, int64_t value);
/// The values, if all expressions are constant.
std::optional<llvm::SmallVector<int64_t>> constantsOf(llvm::ArrayRef<Expr> e);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_SIZES_H
