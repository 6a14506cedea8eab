// The same program in real numbers.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tilewright::verify {

/// A copy of the module around `function`, of the graph level, whose floats are
/// all f128, so that the reference of graphs computes what is exact: to 111
/// bits in each op. Casts between float types are gone, saturating ones and
/// roundings of any mode too; conditions, integers and sizes follow from the
/// exact numbers. Arguments of `function` and constants keep their types, and
/// are made wider; its results are f128. The function has the same name.
///
/// A scalar of a graph that is a float may be cast to its bits: if its exact
/// value is not one of its type, the run has a fault there. Fails with an error
/// at an op whose meaning depends on the bits of a type in another way.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
makeExact(mlir::func::FuncOp function);

/// The same with all floats of `type`: with f64 a program that is nearly exact,
/// and fast.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
makeWide(mlir::func::FuncOp function, mlir::FloatType type);

/// Changes a module of tile kernels likewise. Views and pointers keep their
/// types: what is loaded and stored is f128, and memory has it in its shadow.
mlir::LogicalResult makeKernelsExact(mlir::ModuleOp module);

} // namespace tilewright::verify
