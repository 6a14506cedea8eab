//===- Function.h - The function of a graph ---------------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_TRANSFORMS_FUNCTION_H
#define TILEWRIGHT_GRAPH_TRANSFORMS_FUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::graph {

/// The only function of a graph's module, of one block. An error where there is
/// none or more.
mlir::FailureOr<mlir::func::FuncOp> graphFunction(mlir::ModuleOp module);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_TRANSFORMS_FUNCTION_H
