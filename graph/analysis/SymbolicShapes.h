//===- SymbolicShapes.h - Sizes of graph values as expressions --*- C++ -*-===//
//
// Every dimension of every tensor of a graph function as an affine expression
// over symbols. A symbol is one dynamic dimension of the function's arguments;
// dimensions that carry the same name (`graph.dims`) are the same symbol. A
// minimum or maximum of sizes is a symbol too.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_SYMBOLICSHAPES_H
#define TILEWRIGHT_GRAPH_ANALYSIS_SYMBOLICSHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::graph {

/// The sizes of one tensor, outermost dimension first.
using SymbolicShape = llvm::SmallVector<mlir::AffineExpr, 4>;

/// What a symbol of the expressions stands for.
struct SizeSymbol {
  enum class Kind { dimension, minimum, maximum };
  Kind kind;
  /// Of a dimension: its name, and the first argument that has it.
  std::string name;
  mlir::BlockArgument argument;
  int64_t position;
  /// Of a minimum or maximum: its operands, over symbols before this one.
  mlir::AffineExpr lhs, rhs;
};

/// Sizes of all values of one function. Built once, read by many; not safe to
/// build from several threads at once. Keeps no reference to the IR but the
/// values that it was asked about.
class SymbolicShapes {
public:
  /// Names the symbols of `func`'s arguments.
  explicit SymbolicShapes(mlir::func::FuncOp func);

  /// The symbols by position. Asking for shapes may add some.
  llvm::ArrayRef<SizeSymbol> symbols() const { return known; }

  /// The shape of the ranked tensor `value`, or failure with an error at its
  /// defining op when a size is computed by an op that this analysis does not
  /// know.
  mlir::FailureOr<SymbolicShape> shapeOf(mlir::Value value);

  /// The expression of an index value, or failure with an error at its op.
  mlir::FailureOr<mlir::AffineExpr> exprOf(mlir::Value index);

  /// Same for a size that may be an attribute.
  mlir::FailureOr<mlir::AffineExpr> exprOf(mlir::OpFoldResult size);

private:
  mlir::FailureOr<SymbolicShape> computeShape(mlir::Value value);
  mlir::FailureOr<mlir::AffineExpr> computeExpr(mlir::Value index);
  mlir::AffineExpr simplify(mlir::AffineExpr expr) const;
  mlir::AffineExpr extreme(SizeSymbol::Kind kind, mlir::AffineExpr lhs,
                           mlir::AffineExpr rhs);

  mlir::MLIRContext *context;
  std::vector<SizeSymbol> known;
  llvm::DenseMap<mlir::Value, SymbolicShape> shapes;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> exprs;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_SYMBOLICSHAPES_H
