//===- TopKEmitter.h - Selections along rows --------------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_TOPKEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_TOPKEMITTER_H

#include "graph/lowering/Box.h"
#include "graph/lowering/TileSizes.h"

namespace tilewright::graph {

/// The tile of one program's results: whole rows.
llvm::SmallVector<int64_t> topKTile(TopKOp op, const TileLimits &limits);

/// Computes a box of the results, with whole rows, and stores them.
mlir::LogicalResult emitTopK(KernelFrame &frame, TopKOp op, const Box &box,
                             const TileLimits &limits);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_TOPKEMITTER_H
