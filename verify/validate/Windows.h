// Parts of a program as programs of their own.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilewright::verify {

/// A copy of the module whose function computes `end`, an op of `function`,
/// with at most `count` ops before it; what these read are its arguments.
/// Constants, sizes and empty tensors do not count. Null where the window is
/// not smaller than the function.
mlir::OwningOpRef<mlir::ModuleOp> extractWindow(mlir::func::FuncOp function,
                                                mlir::Operation *end,
                                                unsigned count);

/// The module's kernels, each as a program of its own, at the level where they
/// are; none if there is only one.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
extractKernels(mlir::ModuleOp module);

/// The ops of a program that compute, in the order of the text: no constants,
/// functions and terminators.
llvm::SmallVector<mlir::Operation *> removableOps(mlir::ModuleOp module);

/// The module after canonicalization, if that leaves fewer ops that compute;
/// else null.
mlir::OwningOpRef<mlir::ModuleOp> foldProgram(mlir::ModuleOp module);

/// Copies of the module in which `ops` neighbours are left out, from the end
/// on: their results are operands of them, or zeros. What nothing uses is gone.
/// `next` is called with each, until it returns true.
bool forEachSmaller(mlir::ModuleOp module, size_t ops,
                    llvm::function_ref<bool(mlir::ModuleOp)> next);

} // namespace tilewright::verify
