//===- Blocks.h - Ops of a block --------------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_BLOCKS_H
#define TILEWRIGHT_CODEGEN_CPU_BLOCKS_H

#include "codegen/cpu/Emission.h"

namespace tilewright::cpu {

/// Emits the ops of a block but its terminator.
mlir::LogicalResult emitBlock(mlir::Block &block, Emission &e);

/// Emits an op on scalars. An op on tiles that is computed where it is used
/// gets its buffers, if any.
mlir::LogicalResult emitLazy(mlir::Operation *op, Emission &e);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_BLOCKS_H
