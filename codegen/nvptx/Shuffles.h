//===- Shuffles.h - Values from lane to lane --------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_SHUFFLES_H
#define TILEWRIGHT_CODEGEN_NVPTX_SHUFFLES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright::nvptx {

/// Element by element what lane `lane ^ mask` of the warp has.
mlir::Value shuffleXor(mlir::ImplicitLocOpBuilder &b, mlir::Value vector,
                       unsigned mask);
/// What lane `lane` (i32) of the warp has of a scalar or vector.
mlir::Value shuffleFrom(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                        mlir::Value lane);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_SHUFFLES_H
