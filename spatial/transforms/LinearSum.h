//===- LinearSum.h - Sums of products with constants ------------*- C++ -*-===//
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_LINEARSUM_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_LINEARSUM_H

#include "spatial/transforms/LinearMap.h"
#include "spatial/transforms/Points.h"

namespace tilewright::spatial {

/// An op of a graph that is a linear map: each element of its result is a sum
/// of elements of one operand with constant weights.
class LinearSum {
public:
  /// Nothing for another op, or one that adds constants besides zeros.
  static std::optional<LinearSum> match(Tensors &tensors,
                                        mlir::linalg::GenericOp op);

  mlir::Value result;
  LinearLoops loops;
  mlir::OpOperand *streamed = nullptr, *weights = nullptr;
  std::optional<OperandAccess> streamedAccess, weightsAccess, resultAccess;
  /// Numbers of points of the loops: the sum of one of each list is a point. A
  /// column has its batch in it. A term is a tap of a window and a channel.
  std::vector<int64_t> rows, batches, columns, taps, channels;
  /// What is read, by row, batch and term; noElement adds nothing.
  std::vector<ElementId> elements;
  /// The weights by element, and the steps in them of a term and of a column.
  std::vector<float> weightNumbers;
  std::vector<int64_t> weightSteps, columnSteps;
  /// The operand is a view of what index arithmetic reads: different points of
  /// it are equal.
  bool readsByIndex = false;
  /// The innermost dimension of the result is one of rows.
  bool hasRowsInnermost = false;

private:
  explicit LinearSum(mlir::linalg::GenericOp op)
      : result(op.getResult(0)), op(op), extents(loopExtents(op)) {}
  bool chooseSides(const Tensors &tensors);
  void classify();
  bool readElements(const Tensors &tensors);
  void readWeights(const Tensors &tensors);

  mlir::linalg::GenericOp op;
  llvm::SmallVector<int64_t> extents;
};

/// How the operand of a sum could be laid out for it.
[[nodiscard]] std::vector<Rows> linearLayouts(const Tensors &tensors,
                                              const LinearSum &sum);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_LINEARSUM_H
