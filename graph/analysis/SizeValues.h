//===- SizeValues.h - Expressions of sizes as values ------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_SIZEVALUES_H
#define TILEWRIGHT_GRAPH_ANALYSIS_SIZEVALUES_H

#include "graph/analysis/SymbolicShapes.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright::graph {

/// Writes sizes as ops, each once: dimensions of the function's arguments, and
/// `affine.apply` and `arith.maxsi` of them, at the start of the function. What
/// has symbols that a branch, a loop or a graph.size binds is written where the
/// last of them is known: behind the op, or at the start of the region. For
/// such a value SymbolicShapes returns the expression of its size.
class SizeValues {
public:
  /// `shapes` are those of `func`; both outlive this.
  SizeValues(mlir::func::FuncOp func, SymbolicShapes &shapes);

  /// The value of an expression over symbols of `shapes`.
  mlir::Value valueOf(mlir::AffineExpr size);
  /// Where the value of an expression is written: behind what it needs, and
  /// behind what was written there before.
  mlir::OpBuilder builderFor(llvm::ArrayRef<mlir::AffineExpr> sizes);
  /// Keeps what follows behind `op`, which was built there.
  void keepBehind(mlir::Operation *op) { written.insert(op); }
  /// A tensor.empty at `builder` of `tensor`'s type and sizes, or failure with
  /// an error where these are not known.
  mlir::FailureOr<mlir::Value> emptyLike(mlir::OpBuilder &builder,
                                         mlir::Value tensor);

private:
  mlir::Value symbolOf(mlir::OpBuilder &builder, mlir::AffineSymbolExpr symbol);
  mlir::Value lastOf(llvm::ArrayRef<mlir::AffineExpr> sizes);

  SymbolicShapes &shapes;
  mlir::OpBuilder start;
  mlir::Location loc;
  llvm::DenseMap<mlir::AffineExpr, mlir::Value> known;
  /// What was written in regions.
  llvm::DenseSet<mlir::Operation *> written;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_SIZEVALUES_H
