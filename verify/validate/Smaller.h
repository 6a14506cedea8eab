// Programs with an op less, or a branch.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilewright::verify {

/// The ops of a program that compute, in the order of the text: no constants,
/// functions and terminators.
llvm::SmallVector<mlir::Operation *> removableOps(mlir::ModuleOp module);

/// Copies of the module in which one conditional branch is none, or the end of
/// a loop does not go back: it goes to the first or the second block, and what
/// cannot be reached is gone. `next` is called with each, until it returns
/// true.
bool forEachStraighter(mlir::ModuleOp module,
                       llvm::function_ref<bool(mlir::ModuleOp)> next);

/// The module after canonicalization, if that leaves fewer ops that compute;
/// else null.
mlir::OwningOpRef<mlir::ModuleOp> foldProgram(mlir::ModuleOp module);

/// Copies of the module in which `ops` neighbours are left out, from the end
/// on: their results are operands of them, or zeros. What nothing uses is gone.
/// `next` is called with each, until it returns true.
bool forEachSmaller(mlir::ModuleOp module, size_t ops,
                    llvm::function_ref<bool(mlir::ModuleOp)> next);

} // namespace tilewright::verify
