//===- Box.h - Boxes of elements and their offsets -----------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_REGION_H
#define TILEWRIGHT_GRAPH_LOWERING_REGION_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace tilewright::graph {

struct KernelFrame;

/// An element offset with what is known of its range.
struct Offset {
  mlir::Value value;
  std::optional<int64_t> min, max;
  /// What was computed of others as a sum of symbols (KernelFrame::formOf()):
  /// sums of the same are equal, in whatever order they were made.
  mlir::AffineExpr form = {};
};

/// A strided box of elements: along dimension d, `size[d]` elements from
/// `offset[d]`, each `step[d]` after the one before.
struct Box {
  llvm::SmallVector<Offset> offset;
  llvm::SmallVector<int64_t> size, step;

  unsigned rank() const { return size.size(); }
  void append(Offset o, int64_t count, int64_t stride) {
    offset.push_back(o);
    size.push_back(count);
    step.push_back(stride);
  }
};

Offset constantOffset(KernelFrame &frame, int64_t value);
/// An offset that is a multiple of `step`, from 0 to below `extent`.
Offset steppedOffset(mlir::Value value, mlir::AffineExpr extent, int64_t step);
Offset addOffsets(KernelFrame &frame, const Offset &a, const Offset &b);
/// a - b, where b is a padding.
Offset subtractOffset(KernelFrame &frame, const Offset &a, const Offset &b);
Offset scaleOffset(KernelFrame &frame, const Offset &a, int64_t factor);
/// a / divisor, rounded down, where a is not negative.
Offset divideOffset(KernelFrame &frame, const Offset &a, int64_t divisor);
/// The offset that a size or a constant of the graph is.
mlir::FailureOr<Offset> foldedOffset(KernelFrame &frame,
                                     mlir::OpFoldResult value);

/// Whether both are the same elements.
bool isSameBox(KernelFrame &frame, const Box &a, const Box &b);
/// True when all elements of the box are known to be inside the tensor.
bool isInside(mlir::Value tensor, const Box &box);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_REGION_H
