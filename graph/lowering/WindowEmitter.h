//===- WindowEmitter.h - What windows read, once ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_WINDOWEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_WINDOWEMITTER_H

#include "graph/lowering/KernelFrame.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::graph {

/// Loads, of each operand of a reduction over windows that is in memory, or
/// padded from there, the box that all points of the window read together.
/// Tiles of the points are parts of it (partOfWindow()). `loops` are the points
/// of a tile of the result; those of the reduction are not set.
mlir::FailureOr<llvm::SmallVector<CachedTile>>
loadWindows(KernelFrame &frame, mlir::linalg::GenericOp op, Box loops);

/// The box of `value` as a part of a tile of frame.windows; null where it is in
/// none.
mlir::Value partOfWindow(KernelFrame &frame, mlir::Value value, const Box &box);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_WINDOWEMITTER_H
