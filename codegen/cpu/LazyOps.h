//===- LazyOps.h - Ops that are computed where they are used ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_LAZYOPS_H
#define TILEWRIGHT_CODEGEN_CPU_LAZYOPS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewright::cpu {

/// Whether each element of the results depends only on the operands' elements
/// at the same index.
bool isElementwise(mlir::Operation *op);

/// Whether elements of the results are computed where they are used, if the
/// tile has no buffer. The results of all other ops are in memory.
bool isLazy(mlir::Operation *op);

/// Whether the op loads from the launch's arguments.
bool loadsMemory(mlir::Operation *op);

/// Whether computing elements of a tile reads the launch's arguments.
class MemoryReads {
public:
  /// `isHeld`: whether a tile is in the kernel's own memory.
  bool isNeededFor(mlir::Value tile,
                   llvm::function_ref<bool(mlir::Value)> isHeld);

private:
  /// Answers, for tiles that are not held.
  llvm::DenseMap<mlir::Value, bool> known;
};

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_LAZYOPS_H
