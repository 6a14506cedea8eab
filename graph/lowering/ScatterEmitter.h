//===- ScatterEmitter.h - Updates of elements at indices --------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_SCATTEREMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_SCATTEREMITTER_H

#include "graph/ir/Graph.h"
#include "graph/lowering/Box.h"

namespace tilewright::graph {

/// Combines a box of the updates into the result, which has the data.
mlir::LogicalResult emitUpdates(KernelFrame &frame, ScatterOp op,
                                const Box &box);
/// Makes a box of the updates owners of their elements, which had none
/// (`clears`), or an update with a lower number.
mlir::LogicalResult emitOwners(KernelFrame &frame, ScatterOp op, const Box &box,
                               bool clears);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_SCATTEREMITTER_H
