//===- SharedTiles.h - Tiles on their way through shared memory -*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_SHAREDTILES_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_SHAREDTILES_H

#include "codegen/layout/Conversion.h"
#include "codegen/tilegpu/TileGpu.h"

namespace tilewright::tilegpu {

/// The memory of a plan through shared memory, for all repeats of its frame.
StatusOr<layout::Layout> wholeMemory(const layout::ConversionPlan &plan);

/// The shared memory through which a conversion takes its tile, alone; null
/// where it needs none.
mlir::FailureOr<SharedType> memoryOf(ConvertLayoutOp op);

/// New shared memory for a tile of this type, with the layout `memory`.
mlir::Value allocateShared(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::RankedTensorType tile,
                           const layout::Layout &memory);
/// The same, its elements row-major.
mlir::Value allocateDense(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::RankedTensorType tile);
/// The same, with `tile` stored in it.
mlir::Value storedDense(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value tile);

/// Stores a tile to new shared memory, before `user`, or before the outermost
/// loop around it in which the tile does not change. Returns the memory.
mlir::Value storedToShared(mlir::Value tile, const layout::Layout &memory,
                           mlir::Operation *user);

/// The loop before which a tile that `user` reads is stored and brought back as
/// fragments of a matrix instruction, which stay in registers: the outermost
/// one that does not change it. Null where there is none, or the fragments take
/// more registers than a thread can spare.
mlir::Operation *keepsFragments(mlir::Value tile,
                                const layout::Layout &fragments,
                                mlir::Operation *user);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_SHAREDTILES_H
