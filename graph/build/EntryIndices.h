// Sizes as index values at the entry of a function.
#pragma once

#include "graph/analysis/Sizes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace tilewright::build {

/// One value for each requested size. All are computed at the start of the
/// function, so that any operation may use them, but for those of sizes that
/// are known only where the function has got to.
class EntryIndices {
public:
  EntryIndices(mlir::OpBuilder &builder, mlir::Location &loc,
               graph::Sizes &sizes, mlir::Block *entry)
      : builder(builder), loc(loc), sizes(sizes), entry(entry), scope(entry) {}

  mlir::Value of(graph::Expr size);
  /// Declares that a symbol is the size of an argument's dimension.
  void define(graph::Expr symbol, mlir::Value argument, int64_t dim);
  /// Declares the value of a symbol that is known only from here on.
  void defineHere(graph::Expr symbol, mlir::Value value);
  /// How many values were made so far that not all code can use; drops all but
  /// the first `count` of them.
  size_t localCount() const { return localValues.size(); }
  void dropLocals(size_t count);
  /// The block at whose end operations are written; returns the one before.
  mlir::Block *enter(mlir::Block *block) { return std::exchange(scope, block); }
  /// Whether a size is known only from some operation on.
  bool isLocal(graph::Expr size) const;
  /// The value of a size, null if it was not requested.
  mlir::Value lookup(graph::Expr size) const { return values.lookup(size); }
  /// The size of an index value; null if it is not a size.
  graph::Expr sizeOf(mlir::Value index) const {
    return expressions.lookup(index);
  }

private:
  /// Moves to where the next size is computed.
  void toEntry();

  mlir::OpBuilder &builder;
  mlir::Location &loc;
  graph::Sizes &sizes;
  mlir::Block *entry, *scope;
  /// Sizes are computed at the start of the function, before this operation.
  mlir::Operation *entryEnd = nullptr;
  llvm::DenseMap<graph::Expr, mlir::Value> values;
  llvm::DenseSet<graph::Expr> local;
  std::vector<std::pair<graph::Expr, mlir::Value>> localValues;
  llvm::DenseMap<mlir::Value, graph::Expr> expressions;
};

} // namespace tilewright::build
