//===- Pointers.h - Accesses through tiles of pointers ----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_POINTERS_H
#define TILEWRIGHT_CODEGEN_NVPTX_POINTERS_H

#include "codegen/nvptx/Emission.h"

namespace tilewright::nvptx {

/// For each register, the result of `access(register)` where the mask of an
/// access through pointers is true; elsewhere the value in `other`, or 0.
mlir::Value forEachPointer(Emission &e, mlir::RankedTensorType tile,
                           mlir::Value mask, mlir::Value other,
                           llvm::function_ref<mlir::Value(int64_t)> access);
/// Calls `access(address, isAccessed, registers, alias)` for groups of
/// registers that are neighbours in memory; `isAccessed` (i1) is null where all
/// are.
using AccessGroup = llvm::function_ref<void(
    mlir::Value, mlir::Value, llvm::ArrayRef<int32_t>, const AliasFacts &)>;
void forEachGroup(Emission &e, tile::PointerAccessOpInterface op,
                  mlir::RankedTensorType tile, AccessGroup access);
/// The result of `access` where this thread owns its elements of the tile;
/// elsewhere 0, until the result arrives through shared memory.
mlir::Value emitOnce(Emission &e, mlir::RankedTensorType tile,
                     llvm::function_ref<mlir::Value()> access);
mlir::LogicalResult rejectScalar(mlir::Operation *op);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_POINTERS_H
