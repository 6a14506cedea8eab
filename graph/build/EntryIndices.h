// Sizes as index values at the entry of a function.
#pragma once

#include "graph/analysis/Sizes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::build {

/// One value for each requested size. All are computed at the start of the
/// function, so that any operation may use them.
class EntryIndices {
public:
  EntryIndices(mlir::OpBuilder &builder, mlir::Location &loc,
               graph::Sizes &sizes, mlir::Block *entry)
      : builder(builder), loc(loc), sizes(sizes), entry(entry) {}

  mlir::Value of(graph::Expr size);
  /// Declares that a symbol is the size of an argument's dimension.
  void define(graph::Expr symbol, mlir::Value argument, int64_t dim);
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
  mlir::Block *entry;
  /// Sizes are computed at the start of the function, before this operation.
  mlir::Operation *entryEnd = nullptr;
  llvm::DenseMap<graph::Expr, mlir::Value> values;
  llvm::DenseMap<mlir::Value, graph::Expr> expressions;
};

} // namespace tilewright::build
