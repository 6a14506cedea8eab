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

/// A copy of the module whose function computes the results of `end`, an op of
/// `function` outside of its regions, from values for which `isInput` is true
/// and the function's arguments. These become its arguments and are added to
/// `inputs`, in order.
mlir::OwningOpRef<mlir::ModuleOp>
extractPart(mlir::func::FuncOp function, mlir::Operation *end,
            llvm::function_ref<bool(mlir::Value)> isInput,
            llvm::SmallVectorImpl<mlir::Value> &inputs);

/// The module's kernels, each as a program of its own, at the level where they
/// are; none if there is only one.
std::vector<mlir::OwningOpRef<mlir::ModuleOp>>
extractKernels(mlir::ModuleOp module);

} // namespace tilewright::verify
