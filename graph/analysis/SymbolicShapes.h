//===- SymbolicShapes.h - Sizes of graph values as expressions --*- C++ -*-===//
//
// Every dimension of every tensor of a graph function as an expression of
// Sizes. A symbol is one dynamic dimension of the function's arguments;
// dimensions that carry the same name (`graph.dims`) are the same symbol.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_SYMBOLICSHAPES_H
#define TILEWRIGHT_GRAPH_ANALYSIS_SYMBOLICSHAPES_H

#include "graph/analysis/Sizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::graph {

/// The sizes of one tensor, outermost dimension first.
using SymbolicShape = llvm::SmallVector<mlir::AffineExpr, 4>;

/// A dynamic dimension of a function's argument.
struct ArgumentDimension {
  mlir::BlockArgument argument;
  int64_t position;
};

/// Sizes of all values of one function. Built once, read by many; not safe to
/// build from several threads at once. Its only references to the IR are the
/// values of past requests.
class SymbolicShapes {
public:
  /// Sets the names of the symbols of `func`'s arguments.
  explicit SymbolicShapes(mlir::func::FuncOp func);

  /// Arithmetic on the expressions. Asking for shapes may add symbols.
  Sizes &sizes() { return arithmetic; }
  const Sizes &sizes() const { return arithmetic; }

  /// The first dimension with the name of a symbol that is no positive part.
  ArgumentDimension dimensionOf(mlir::AffineSymbolExpr symbol) const {
    return dimensions.lookup(symbol);
  }

  /// The shape of the ranked tensor `value`, or failure with an error at its
  /// defining op when this analysis does not support the op that computes a
  /// size.
  mlir::FailureOr<SymbolicShape> shapeOf(mlir::Value value);

  /// The expression of an index value, or failure with an error at its op.
  mlir::FailureOr<mlir::AffineExpr> exprOf(mlir::Value index);

  /// Same for a size that may be an attribute.
  mlir::FailureOr<mlir::AffineExpr> exprOf(mlir::OpFoldResult size);

  /// To be called before a value's shape changes, or its op is erased.
  void forget(mlir::Value value) {
    shapes.erase(value);
    exprs.erase(value);
  }

private:
  mlir::FailureOr<SymbolicShape> computeShape(mlir::Value value);
  mlir::FailureOr<mlir::AffineExpr> computeExpr(mlir::Value index);
  mlir::LogicalResult checkFits(mlir::Location loc);

  Sizes arithmetic;
  llvm::DenseMap<mlir::AffineExpr, ArgumentDimension> dimensions;
  llvm::DenseMap<mlir::Value, SymbolicShape> shapes;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> exprs;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_SYMBOLICSHAPES_H
