//===- PredicatedLoad.h - Loads that some lanes skip ------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_PREDICATEDLOAD_H
#define TILEWRIGHT_CODEGEN_NVPTX_PREDICATEDLOAD_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright::nvptx {

/// A vector of up to 128 bits from global memory at `address` (i64), which is a
/// multiple of the vector's size. Where `isRead` (i1) is false nothing is read,
/// and the result is `otherwise`, of the same type. It is inline PTX: LLVM
/// makes branches of masked loads.
mlir::Value predicatedLoad(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                           mlir::Value isRead, mlir::Value otherwise);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_PREDICATEDLOAD_H
