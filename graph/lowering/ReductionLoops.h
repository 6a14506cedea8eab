//===- ReductionLoops.h - Loops that carry accumulators ---------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_REDUCTIONLOOPS_H
#define TILEWRIGHT_GRAPH_LOWERING_REDUCTIONLOOPS_H

#include "graph/analysis/Access.h"
#include "graph/lowering/Box.h"
#include "graph/transforms/Build.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::graph {

/// The tiles of an op's results, or of its accumulators.
using Tiles = llvm::SmallVector<mlir::Value>;

/// Takes the current tile of each loop and the accumulators to the next ones.
using ReductionStep = llvm::function_ref<mlir::FailureOr<Tiles>(
    const Box &loops, const Tiles &carried)>;

/// Builds the box of a reduction or a scan that combines by it.
inline auto sidesBy(const Accumulation &accumulation) {
  return [combiner = accumulation.combiner](
             mlir::OpBuilder &b, mlir::Location at,
             mlir::ValueRange sides) -> llvm::SmallVector<mlir::Value> {
    return {combine(b, at, combiner, sides[0], sides[1])};
  };
}

llvm::SmallVector<unsigned> reductionLoops(mlir::linalg::GenericOp op);

/// Whether one tile of `loops` has all points of each reduction loop.
mlir::FailureOr<bool> isOneTile(KernelFrame &frame, mlir::linalg::GenericOp op,
                                const Box &loops);

/// Runs `step` for each point of the remaining loops, tile by tile, carrying
/// the accumulators. `loops` holds the current tile of each loop. The first one
/// that is longer than a tile ends at `end`, if that is given.
mlir::FailureOr<Tiles> emitLoops(KernelFrame &frame, mlir::linalg::GenericOp op,
                                 Box &loops, llvm::ArrayRef<unsigned> remaining,
                                 const Tiles &carried, ReductionStep step,
                                 mlir::Value end = {});

/// The same as one loop over all tiles of `reductions`, the last one fastest.
/// Sizes are static, and multiples of the tiles.
mlir::FailureOr<Tiles> emitJoinedLoops(KernelFrame &frame,
                                       mlir::linalg::GenericOp op, Box &loops,
                                       llvm::ArrayRef<unsigned> reductions,
                                       const Tiles &carried,
                                       ReductionStep step);

/// The number of points of one loop, from an operand that it indexes plainly.
mlir::FailureOr<mlir::AffineExpr>
loopSize(KernelFrame &frame, mlir::linalg::GenericOp op, unsigned loop);

/// Which points of a box are before `end` along `dim`: an i1 tile of its
/// shape.
mlir::Value isBefore(KernelFrame &frame, const Box &box, unsigned dim,
                     mlir::Value end);

/// Replaces the points beyond the end of reduction loops by `neutral`. The
/// tile has one dimension for each loop in `order`.
mlir::FailureOr<mlir::Value>
maskOverrun(KernelFrame &frame, mlir::linalg::GenericOp op, const Box &loops,
            llvm::ArrayRef<unsigned> order, mlir::Value tile,
            mlir::TypedAttr neutral);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_REDUCTIONLOOPS_H
