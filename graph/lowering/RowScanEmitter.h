//===- RowScanEmitter.h - Rows that any combiner scans ----------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_ROWSCANEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_ROWSCANEMITTER_H

#include "graph/lowering/Box.h"
#include "graph/lowering/TileSizes.h"

namespace tilewright::graph {

/// The tile of a piece of rows that a program scans at a time.
llvm::SmallVector<int64_t> rowScanTile(ScanOp op, const TileLimits &limits);

/// Scans whole rows, in pieces of the size of `box` along the axis, and stores
/// them; `end` is the length of a row.
mlir::LogicalResult emitRowScan(KernelFrame &frame, ScanOp op, Box box,
                                mlir::Value end);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_ROWSCANEMITTER_H
