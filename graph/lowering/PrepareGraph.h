//===- PrepareGraph.h - The form that fusion expects ------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_PREPAREGRAPH_H
#define TILEWRIGHT_GRAPH_LOWERING_PREPAREGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::graph {

/// Makes a graph of a module that a person or another tool wrote: one function
/// without control flow, that takes and returns tensors. Errors name the op.
mlir::LogicalResult importGraph(mlir::ModuleOp module);

/// Brings `module`, of one function, into the form that groups are made of
/// (`verify-graph-form` in graph/transforms/Passes.td). Returns the
/// function. Errors name an op that has no lowering.
mlir::FailureOr<mlir::func::FuncOp> prepareGraph(mlir::ModuleOp module);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_PREPAREGRAPH_H
