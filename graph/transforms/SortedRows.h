//===- SortedRows.h - The rows of a tensor that are sorted ------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_TRANSFORMS_SORTEDROWS_H
#define TILEWRIGHT_GRAPH_TRANSFORMS_SORTEDROWS_H

#include "graph/transforms/Build.h"

namespace tilewright::graph {

/// How elements are compared: a NaN is greater than all other floats.
struct SortOrder {
  bool isDescending, isUnsigned;
};

/// Builds tensors that have the rows of another one, those along `axis`, as
/// their last dimension.
class SortedRows {
public:
  SortedRows(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
             unsigned axis);

  /// Integers of 8 to 64 bits that order, unsigned and ascending, as the
  /// elements do in `order`.
  mlir::Value keys(SortOrder order);
  /// Where each element is in its row: i32, or i64 if the row may be long.
  mlir::Value positions();
  /// The elements of `tensor`, which has the dimensions of the first one, at
  /// `positions` of its rows, as many as these are. The axis stays where it is.
  mlir::Value gathered(mlir::Value tensor, mlir::Value positions);
  /// The same positions as elements of `type`.
  mlir::Value placed(mlir::Value positions, mlir::Type type);
  /// The sizes of the dimensions but the axis, and then `last`.
  llvm::SmallVector<mlir::OpFoldResult>
  sizesWith(llvm::ArrayRef<mlir::OpFoldResult> last);
  mlir::OpFoldResult length() { return sizes[axis]; }

private:
  mlir::AffineMap rowsLast();
  mlir::Value inPlace(mlir::Value positions, mlir::Type element,
                      ElementBuilder build);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value tensor;
  unsigned axis, rank;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
};

/// The type with these sizes.
mlir::RankedTensorType typeWith(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                mlir::Type element);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_TRANSFORMS_SORTEDROWS_H
