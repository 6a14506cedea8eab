// Sizes of tensors as canonical symbolic expressions.
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_SIZES_H
#define TILEWRIGHT_GRAPH_ANALYSIS_SIZES_H

#include "graph/analysis/SizeSymbols.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>

namespace tilewright::graph {

using Dims = llvm::SmallVector<mlir::AffineExpr>;

/// Arithmetic on sizes and on the contents of shape tensors: the only engine
/// for sizes at compile time; the runtime reads its text. A size is an
/// AffineExpr over symbols: one for each dynamic dimension of the model's
/// inputs, and one for each positive part max(d, 0) that a minimum or maximum
/// needs. Each function returns the canonical expression of its result (a sum
/// of products of symbols and of floor divisions), so equal pointers mean equal
/// sizes. Where there is no such number, `fault` says why from then on.
class Sizes {
public:
  explicit Sizes(mlir::MLIRContext *context)
      : symbols(context), context(context) {}

  SizeSymbols symbols;

  Expr constant(int64_t value);
  /// The canonical expression of one that is written in any way.
  Expr canonical(Expr a) { return add(a, 0); }
  Expr add(Expr a, Expr b);
  Expr add(Expr a, int64_t b) { return add(a, constant(b)); }
  Expr sub(Expr a, Expr b);
  Expr mul(Expr a, Expr b);
  Expr mul(Expr a, int64_t b) { return mul(a, constant(b)); }
  /// Rounds to minus infinity.
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
  /// max(a, 0).
  Expr positivePart(Expr a);
  Expr product(llvm::ArrayRef<Expr> factors);

  /// Text in the manifest's expression language, with the symbols' names.
  std::string str(Expr a) const;
  std::string str(llvm::ArrayRef<Expr> dims) const;

  /// What is wrong with a size so far: "a size overflows 64 bits", "a size is
  /// divided by 0"; empty where nothing is.
  llvm::StringRef fault() const;
  mlir::MLIRContext *getContext() const { return context; }

private:
  friend class Polynomial;
  mlir::MLIRContext *context;
  bool overflow = false, dividesByZero = false;
};

/// The value of a constant expression.
std::optional<int64_t> constantOf(Expr e);
/// Whether an expression is this constant.
bool isConst(Expr e, int64_t value);
/// The values, if all expressions are constant.
std::optional<llvm::SmallVector<int64_t>> constantsOf(llvm::ArrayRef<Expr> e);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_SIZES_H
