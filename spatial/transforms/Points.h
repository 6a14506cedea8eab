//===- Points.h - Points of an op's loops, in vectors -----------*- C++ -*-===//
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_POINTS_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_POINTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "spatial/transforms/Tensors.h"

namespace tilewright::spatial {

/// For each vector and lane a point of loops, by its row-major number, or -1.
struct Points {
  llvm::SmallVector<int64_t> extents;
  int64_t lanes = 0;
  std::vector<int64_t> numbers;

  [[nodiscard]] int64_t count() const {
    return static_cast<int64_t>(numbers.size()) / lanes;
  }
  /// The index of `loop` at a point.
  [[nodiscard]] int64_t index(int64_t number, unsigned loop) const {
    for (size_t inner = extents.size() - 1; inner > loop; --inner)
      number /= extents[inner];
    return number % extents[loop];
  }
};

/// Which element of an operand each point of the loops reads.
class OperandAccess {
public:
  /// `map` takes the loops to the dimensions of a tensor of `shape`.
  OperandAccess(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents,
                llvm::ArrayRef<int64_t> shape);
  /// What the points of its op read, or write, of a linalg.generic's operand.
  explicit OperandAccess(mlir::OpOperand &operand);

  /// The row-major number of the element at a point.
  [[nodiscard]] int64_t at(int64_t point) const;
  /// Whether each loop adds a step of its own: what two points of different
  /// loops read is at(a) + at(b) - at(0).
  [[nodiscard]] bool isSum() const { return isLinear; }

private:
  mlir::AffineMap map;
  llvm::SmallVector<int64_t> extents, strides;
  /// Of a map that is a sum of multiples of loops.
  bool isLinear = true;
  int64_t base = 0;
  /// What an index of a loop adds, innermost first. Loops that are one in the
  /// operand, too, are one here.
  struct LoopStep {
    int64_t extent = 1, step = 0;
  };
  llvm::SmallVector<LoopStep> steps;
};

/// The extents of an op's loops, which are static.
llvm::SmallVector<int64_t> loopExtents(mlir::linalg::GenericOp op);

/// The elements that `points` read of a tensor, behind views.
Rows rowsOf(const Tensors &tensors, int64_t tensor, const OperandAccess &access,
            const Points &points);
/// The same of an operand of their op.
Rows rowsOf(const Tensors &tensors, mlir::OpOperand &operand,
            const Points &points);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_POINTS_H
