//===- Pipelines.h - The way of a graph to tile kernels ---------*- C++ -*-===//
//
// All of it is on this page's Pipelines.cpp: which passes run, in which order,
// and what holds from where on. Each has a name in tilewright-opt, and may be
// left, printed, read in another process and gone on with.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_PIPELINE_PIPELINES_H
#define TILEWRIGHT_GRAPH_PIPELINE_PIPELINES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/support/Export.h"

namespace tilewright::graph {

/// Registers what a module from elsewhere may hold, and how its functions are
/// inlined.
TILEWRIGHT_PRIVATE_API void
registerModuleDialects(mlir::DialectRegistry &registry);

/// "module-to-graph": what a module that a person or another tool wrote needs
/// before it is a graph as a frontend makes it: one function, canonical, that
/// takes and returns tensors.
void buildModulePipeline(mlir::OpPassManager &passes);

/// "graph-to-groups": from a graph to one whose kernels are graph.groups.
/// `explains`: whether each group says why an op is in it.
void buildGroupsPipeline(mlir::OpPassManager &passes, bool explains = false);

/// "groups-to-tile": tile kernels, for the targets of the module, and the
/// function that launches them.
void buildTilePipeline(mlir::OpPassManager &passes);

/// Runs graph-to-groups on `module`, of one function, which is returned. Errors
/// name an op that has no lowering.
mlir::FailureOr<mlir::func::FuncOp> groupGraph(mlir::ModuleOp module);

/// Makes the passes and pipelines known by name, also "graph-form", the way to
/// the form that groups are made of.
void registerGraphPipelines();

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_PIPELINE_PIPELINES_H
