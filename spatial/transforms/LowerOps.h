//===- LowerOps.h - The ops of a graph, on vectors --------------*- C++ -*-===//
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_LOWEROPS_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_LOWEROPS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "spatial/transforms/BodyVectors.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::spatial {

/// Ops that only say where elements are: reshapes, slices, concats, pads, and
/// generics that copy. Nothing else: false.
mlir::FailureOr<bool> lowerView(Tensors &tensors, mlir::Operation *op);

/// A generic whose loops are parallel.
mlir::LogicalResult lowerElementwise(Tensors &tensors,
                                     mlir::linalg::GenericOp op);

/// A sum of products with constants, on an mxm. `precision` is the type of the
/// factors. Anything else: false.
mlir::FailureOr<bool> lowerLinear(Tensors &tensors, mlir::linalg::GenericOp op,
                                  DType precision);

/// A sum of products, on an mxm. `precision` is the type of its factors.
mlir::LogicalResult
lowerContraction(Tensors &tensors, mlir::linalg::GenericOp op, DType precision);

/// Any other reduction, on a vxm.
mlir::LogicalResult lowerReduction(Tensors &tensors, mlir::linalg::GenericOp op,
                                   DType precision);

/// Makes a reduction that combines elements under a condition one that combines
/// all of them, or the neutral element instead: select(c, acc + e, acc) is
/// acc + select(c, e, 0).
void mergeGuard(mlir::linalg::GenericOp op);

/// Makes a sum of products of elements that are read by index arithmetic a
/// contraction of two views. An attribute says which of its loops slide along
/// others.
void splitProducts(mlir::linalg::GenericOp op);
inline constexpr llvm::StringLiteral kTapsAttr = "spatial.taps";

/// The loops that a scalar of a body depends on.
void collectLoops(mlir::linalg::GenericOp op, mlir::Value value,
                  llvm::SmallSetVector<unsigned, 4> &loops);

/// How the points of an op's loops are to lie in vectors, so that most of its
/// inputs need not be moved. Its points have all loops; those of an elementwise
/// op are its result's elements.
Points choosePoints(Tensors &tensors, mlir::linalg::GenericOp op);

/// The operation of the vector unit that combines elements of a reduction.
std::optional<std::pair<AluOp, DType>> combinerOf(mlir::Operation *op);

/// Numbers of points with all indices of `loops`, the first one outermost, and
/// 0 in the others.
std::vector<int64_t> pointsOf(llvm::ArrayRef<int64_t> extents,
                              llvm::ArrayRef<unsigned> loops);

/// The loops of a contraction: rows are of the streamed operand alone, columns
/// of the weights alone, batches of both; of its reductions, channels are those
/// that no window slides along.
struct ContractionLoops {
  llvm::SmallVector<unsigned> rows, columns, batches, channels, taps;
};
/// Rows come in the order of the result, channels in that of the operand.
ContractionLoops contractionLoops(mlir::linalg::GenericOp op,
                                  mlir::OpOperand &streamed,
                                  mlir::OpOperand &weights);

/// Sorts loops in the order in which `map` has them.
void sortLoopsBy(mlir::AffineMap map, llvm::SmallVectorImpl<unsigned> &loops);

/// Adds the products of vectors x with `weights`, `depth` consecutive vectors,
/// to `sums`: x[i] to that of number `which[i]`, of which each occurs once.
void addProducts(Tensors &tensors, mlir::Location where,
                 llvm::ArrayRef<Tensors::Vector> x, const Reads &weights,
                 int64_t depth, llvm::ArrayRef<size_t> which,
                 llvm::MutableArrayRef<Tensors::Vector> sums);

/// The vectors hold a result of `op`: for each vector and lane an element.
void setResult(Tensors &tensors, mlir::Value tensor,
               std::vector<Tensors::Vector> vectors,
               std::vector<int32_t> elements);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_LOWEROPS_H
