//===- ReductionEmitter.h - Reductions as loops over tiles ------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_REDUCTIONEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_REDUCTIONEMITTER_H

#include "graph/lowering/ReductionLoops.h"

namespace tilewright::graph {

/// A box of all results of a reduction.
mlir::FailureOr<Tiles>
emitReduction(KernelFrame &frame, mlir::linalg::GenericOp op, const Box &box);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_REDUCTIONEMITTER_H
