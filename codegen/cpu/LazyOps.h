//===- LazyOps.h - Ops that are computed where they are used ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_LAZYOPS_H
#define TILEWRIGHT_CODEGEN_CPU_LAZYOPS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewright::cpu {

/// Whether each element of the results is computed from the operands' elements
/// at its location.
bool isElementwise(mlir::Operation *op);

/// Whether elements of the results are computed where somebody asks for them,
/// if the tile has no buffer. What all other ops make lies in memory.
bool isLazy(mlir::Operation *op);

/// Whether the op is a load of what a launch was given.
bool loadsMemory(mlir::Operation *op);

/// Whether computing elements of a tile reads what a launch was given.
class MemoryReads {
public:
  /// `isHeld` says which tiles lie in memory of the kernel's own.
  bool isNeededFor(mlir::Value tile,
                   llvm::function_ref<bool(mlir::Value)> isHeld);

private:
  /// Answers, for tiles that are not held.
  llvm::DenseMap<mlir::Value, bool> known;
};

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_LAZYOPS_H
