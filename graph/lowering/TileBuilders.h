//===- TileBuilders.h - Small ops on tiles ----------------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_TILEBUILDERS_H
#define TILEWRIGHT_GRAPH_LOWERING_TILEBUILDERS_H

#include "graph/lowering/Box.h"

namespace tilewright::graph {

/// A tile with one value for all elements.
mlir::Value splat(KernelFrame &frame, mlir::TypedAttr value,
                  llvm::ArrayRef<int64_t> shape);
mlir::Value broadcastScalar(KernelFrame &frame, mlir::Value scalar,
                            llvm::ArrayRef<int64_t> shape);
/// The tile itself if it has the shape.
mlir::Value reshape(KernelFrame &frame, mlir::Value tile,
                    llvm::ArrayRef<int64_t> shape);
mlir::Value broadcast(KernelFrame &frame, mlir::Value tile,
                      llvm::ArrayRef<int64_t> shape);
/// The tile itself, in its own shape, if the permutation moves no element: then
/// a reshape does it.
mlir::Value transpose(KernelFrame &frame, mlir::Value tile,
                      llvm::ArrayRef<int64_t> permutation);
/// The subscripts of one loop of `loops`, as an index tile of their shape.
mlir::Value indexTile(KernelFrame &frame, const Box &loops, unsigned loop);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_TILEBUILDERS_H
