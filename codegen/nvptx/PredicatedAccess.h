//===- PredicatedAccess.h - Accesses that some lanes skip -------*- C++ -*-===//
//
// Of vectors in global memory, at addresses (i64) that are multiples of the
// vector's size. They are inline PTX: LLVM makes branches of masked accesses.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_PREDICATEDACCESS_H
#define TILEWRIGHT_CODEGEN_NVPTX_PREDICATEDACCESS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright::nvptx {

/// Where `isRead` (i1) is false nothing is read, and the result is `otherwise`,
/// of the same type. `isConstant`: no thread of the launch writes there.
mlir::Value predicatedLoad(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                           mlir::Value isRead, mlir::Value otherwise,
                           bool isConstant);
/// Where `isWritten` (i1) is false nothing is written.
void predicatedStore(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                     mlir::Value isWritten, mlir::Value value);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_PREDICATEDACCESS_H
