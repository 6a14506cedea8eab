//===- SortEmitter.h - Sorts of rows, and passes over digits ----*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_SORTEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_SORTEMITTER_H

#include "graph/lowering/Box.h"
#include "graph/lowering/TileSizes.h"

namespace tilewright::graph {

/// The tile of one program's results: whole rows.
llvm::SmallVector<int64_t> sortTile(SortOp op, const TileLimits &limits);
/// Sorts the rows of a box of the inputs, and stores them.
mlir::LogicalResult emitSort(KernelFrame &frame, SortOp op, const Box &box);

/// Counts digits in the block of keys that `box` is.
mlir::LogicalResult emitDigitCounts(KernelFrame &frame, DigitCountsOp op,
                                    const Box &box);
/// Moves the block of keys and values that `box` is. Threads that share a tile
/// (`isShared`) sort tiles of the block; else keys move one by one.
mlir::LogicalResult emitDigitScatter(KernelFrame &frame, DigitScatterOp op,
                                     const Box &box, bool isShared);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_SORTEMITTER_H
