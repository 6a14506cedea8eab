//===- ReductionEmitter.h - Reductions as loops over tiles ------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_REDUCTIONEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_REDUCTIONEMITTER_H

#include "graph/lowering/ReductionLoops.h"

namespace tilewright::graph {

/// A box of all results of a reduction.
mlir::FailureOr<Tiles>
emitReduction(KernelFrame &frame, mlir::linalg::GenericOp op, const Box &box);

/// `carried` combined with what the op accumulates of the points of `loops`.
/// Its shape is that of the parallel loops, in loop order; others are 1.
mlir::FailureOr<mlir::Value> accumulate(KernelFrame &frame,
                                        mlir::linalg::GenericOp op,
                                        const Box &loops, mlir::Value carried);
/// Such a tile as the box of the op's result.
mlir::Value accumulated(KernelFrame &frame, mlir::linalg::GenericOp op,
                        mlir::Value tile, const Box &box);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_REDUCTIONEMITTER_H
