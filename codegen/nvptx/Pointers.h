//===- Pointers.h - Accesses through tiles of pointers ----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_POINTERS_H
#define TILEWRIGHT_CODEGEN_NVPTX_POINTERS_H

#include "codegen/nvptx/Emission.h"

namespace tilewright::nvptx {

/// What `access(register)` gives where the mask of an access through
/// pointers holds, for each register; elsewhere what `other` has, or 0.
mlir::Value forEachPointer(Emission &e, mlir::RankedTensorType tile,
                           mlir::Value mask, mlir::Value other,
                           llvm::function_ref<mlir::Value(int64_t)> access);
/// What `access` gives where this thread owns what it holds of the tile;
/// elsewhere 0, until the result comes through shared memory.
mlir::Value emitOnce(Emission &e, mlir::RankedTensorType tile,
                     llvm::function_ref<mlir::Value()> access);
mlir::LogicalResult rejectScalar(mlir::Operation *op);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_POINTERS_H
