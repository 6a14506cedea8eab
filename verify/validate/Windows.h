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

} // namespace tilewright::verify
