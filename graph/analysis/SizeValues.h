//===- SizeValues.h - Expressions of sizes as values ------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_SIZEVALUES_H
#define TILEWRIGHT_GRAPH_ANALYSIS_SIZEVALUES_H

#include "graph/analysis/SymbolicShapes.h"
#include "mlir/IR/Builders.h"

namespace tilewright::graph {

/// Writes sizes as ops at the start of a function, each once: dimensions of the
/// function's arguments, and `affine.apply` and `arith.maxsi` of them. For such
/// a value SymbolicShapes returns the expression of its size.
class SizeValues {
public:
  /// `shapes` are those of `func`; both outlive this.
  SizeValues(mlir::func::FuncOp func, SymbolicShapes &shapes);

  /// The value of an expression over symbols of `shapes`.
  mlir::Value valueOf(mlir::AffineExpr size);
  /// A tensor.empty at `builder` of `tensor`'s type and sizes, or failure with
  /// an error where these are not known.
  mlir::FailureOr<mlir::Value> emptyLike(mlir::OpBuilder &builder,
                                         mlir::Value tensor);

private:
  mlir::Value symbolOf(mlir::AffineSymbolExpr symbol);

  SymbolicShapes &shapes;
  mlir::OpBuilder start;
  mlir::Location loc;
  llvm::DenseMap<mlir::AffineExpr, mlir::Value> known;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_SIZEVALUES_H
