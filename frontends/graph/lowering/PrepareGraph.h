//===- PrepareGraph.h - The form that fusion expects ------------*- C++ -*-===//
#ifndef TILEWRIGHT_FRONTENDS_GRAPH_LOWERING_PREPAREGRAPH_H
#define TILEWRIGHT_FRONTENDS_GRAPH_LOWERING_PREPAREGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::graph {

/// Brings `module` into the form that groups are made of: one function of one
/// block; no dead values or common subexpressions; of linalg only generic and
/// fill, other structured ops are generalized. Returns the function. Errors
/// name an op that has no lowering.
mlir::FailureOr<mlir::func::FuncOp> prepareGraph(mlir::ModuleOp module);

} // namespace tilewright::graph

#endif // TILEWRIGHT_FRONTENDS_GRAPH_LOWERING_PREPAREGRAPH_H
