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
/// The result of `access` where this thread owns its elements of the tile;
/// elsewhere 0, until the result arrives through shared memory.
mlir::Value emitOnce(Emission &e, mlir::RankedTensorType tile,
                     llvm::function_ref<mlir::Value()> access);
mlir::LogicalResult rejectScalar(mlir::Operation *op);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_POINTERS_H
