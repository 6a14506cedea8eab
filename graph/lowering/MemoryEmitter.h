//===- MemoryEmitter.h - Tiles of values of the graph -----------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_MEMORYEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_MEMORYEMITTER_H

#include "graph/lowering/Box.h"

namespace tilewright::graph {

/// The tile of a value: what an op of the group computes, and what of other
/// values is loaded. A tile that the kernel has already is not made again.
mlir::FailureOr<mlir::Value> emitTile(KernelFrame &frame, mlir::Value value,
                                      const Box &box);
/// The one value of a tensor that kernels write down (isWrittenDown()).
mlir::FailureOr<mlir::Value> emitContent(KernelFrame &frame,
                                         mlir::Value written,
                                         llvm::ArrayRef<int64_t> shape);
/// Loads a box of a tensor in memory; elements outside are `pad`, or
/// KernelFrame::paddingOf() when none is given.
mlir::Value emitLoad(KernelFrame &frame, mlir::Value tensor, const Box &box,
                     mlir::TypedAttr pad);
/// Stores a tile in a box of a tensor in memory; what is outside is dropped.
void emitStore(KernelFrame &frame, mlir::Value tile, mlir::Value tensor,
               const Box &box);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_MEMORYEMITTER_H
