//===- ReductionLoops.h - Loops that carry accumulators ---------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_REDUCTIONLOOPS_H
#define TILEWRIGHT_GRAPH_LOWERING_REDUCTIONLOOPS_H

#include "graph/lowering/Region.h"
#include "graph/transforms/Build.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::graph {

/// The tiles of an op's results, or of its accumulators.
using Tiles = llvm::SmallVector<mlir::Value>;

/// Takes the current tile of each loop and the accumulators to the next ones.
using ReductionStep = llvm::function_ref<mlir::FailureOr<Tiles>(
    const Region &loops, const Tiles &carried)>;

llvm::SmallVector<unsigned> reductionLoops(mlir::linalg::GenericOp op);

/// Whether one tile of `loops` has all points of each reduction loop.
mlir::FailureOr<bool> isOneTile(KernelFrame &frame, mlir::linalg::GenericOp op,
                                const Region &loops);

/// Runs `step` for each point of the remaining loops, tile by tile, carrying
/// the accumulators. `loops` holds the current tile of each loop.
mlir::FailureOr<Tiles> emitLoops(KernelFrame &frame, mlir::linalg::GenericOp op,
                                 Region &loops,
                                 llvm::ArrayRef<unsigned> remaining,
                                 const Tiles &carried, ReductionStep step);

/// Replaces the points beyond the end of reduction loops by `neutral`. The
/// tile has one dimension for each loop in `order`.
mlir::FailureOr<mlir::Value>
maskOverrun(KernelFrame &frame, mlir::linalg::GenericOp op, const Region &loops,
            llvm::ArrayRef<unsigned> order, mlir::Value tile,
            mlir::TypedAttr neutral);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_REDUCTIONLOOPS_H
