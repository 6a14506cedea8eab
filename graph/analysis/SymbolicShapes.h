//===- SymbolicShapes.h - Sizes of graph values as expressions --*- C++ -*-===//
//
// Every dimension of every tensor of a graph function as an expression of
// Sizes. A symbol is one dynamic dimension of the function's arguments;
// dimensions that carry the same name (`graph.dims`) are the same symbol. Where
// a size is known only while the program runs, an op binds a symbol to it: a
// branch or a loop, to sizes of what it yields and carries, or a graph.size.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_SYMBOLICSHAPES_H
#define TILEWRIGHT_GRAPH_ANALYSIS_SYMBOLICSHAPES_H

#include "graph/analysis/Sizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tilewright::graph {

/// The sizes of one tensor, outermost dimension first.
using SymbolicShape = llvm::SmallVector<mlir::AffineExpr, 4>;

/// A dynamic dimension of a function's argument.
struct ArgumentDimension {
  mlir::BlockArgument argument;
  int64_t position;
};

/// What binds a symbol that is no dimension of an argument, and what is known
/// of its value.
struct SymbolDefinition {
  enum class Kind {
    /// A result of an scf.if. `first` is its size on the side of `then`,
    /// `second` the one on the side of `else`.
    Branch,
    /// What an scf.for or scf.while carries: `first` before the first
    /// iteration, `second` after one, over the symbols of what it began with.
    Carried,
    /// A result of such a loop: `first` and `second` likewise.
    Left,
    /// The variable of an scf.for, from `first` up to below `second`.
    Variable,
    /// A graph.size, at least `first`, and at most `second` unless that is
    /// null.
    Read
  };
  Kind kind;
  mlir::Operation *op;
  /// The result or the region's argument: a tensor, or the index itself.
  mlir::Value value;
  /// The dimension of a tensor.
  int64_t position = 0;
  mlir::AffineExpr first = {}, second = {};
};

/// Sizes of all values of one function. Built once, read by many; not safe to
/// build from several threads at once. Its only references to the IR are the
/// function, values of past requests, and the ops that bind symbols of these.
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

  /// Whether an op of the function binds the symbol.
  bool isBound(mlir::AffineSymbolExpr symbol) const {
    return bindings.contains(symbol);
  }
  /// The value that such a symbol is, or is a dimension of; without the
  /// expressions.
  const SymbolDefinition &bindingOf(mlir::AffineSymbolExpr symbol) const {
    return bindings.find(symbol)->second;
  }
  /// All that is known of such a symbol, or failure with an error.
  mlir::FailureOr<SymbolDefinition> definitionOf(mlir::AffineSymbolExpr symbol);

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

  // Branches and loops (RegionShapes.cpp).
  struct Loop;
  mlir::FailureOr<SymbolicShape> sizesOf(mlir::Value value);
  std::string nameOf(mlir::Operation *op);
  mlir::AffineExpr bind(SymbolDefinition::Kind kind, mlir::Operation *op,
                        mlir::Value value, int64_t position,
                        const llvm::Twine &name);
  mlir::AffineExpr bindResult(SymbolDefinition::Kind kind, mlir::Value value,
                              int64_t position);
  mlir::FailureOr<SymbolicShape> sizesOfBranch(mlir::OpResult result);
  mlir::FailureOr<SymbolicShape> sizesInLoop(const Loop &loop,
                                             mlir::Value value);
  mlir::LogicalResult bindLoop(const Loop &loop);
  void bindOutside(mlir::Operation *loop);
  void assume(const Loop &loop, llvm::ArrayRef<SymbolicShape> starts,
              llvm::ArrayRef<llvm::SmallBitVector> changed);
  mlir::FailureOr<mlir::AffineExpr>
  exprOfVariable(mlir::BlockArgument variable);
  mlir::FailureOr<mlir::AffineExpr> exprOfRead(mlir::Operation *read);
  mlir::FailureOr<SymbolicShape> sizesInRegion(mlir::Value value);

  mlir::func::FuncOp func;
  Sizes arithmetic;
  llvm::DenseMap<mlir::AffineExpr, ArgumentDimension> dimensions;
  llvm::DenseMap<mlir::AffineExpr, SymbolDefinition> bindings;
  llvm::DenseMap<mlir::Operation *, std::string> names;
  llvm::DenseMap<mlir::Value, SymbolicShape> shapes;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> exprs;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_SYMBOLICSHAPES_H
