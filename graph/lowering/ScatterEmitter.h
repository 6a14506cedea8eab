//===- ScatterEmitter.h - Updates of elements at indices --------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_SCATTEREMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_SCATTEREMITTER_H

#include "graph/ir/Graph.h"
#include "graph/lowering/Region.h"

namespace tilewright::graph {

/// Combines a region of the updates into the result, which has the data.
mlir::LogicalResult emitUpdates(KernelFrame &frame, ScatterOp op,
                                const Region &region);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_SCATTEREMITTER_H
