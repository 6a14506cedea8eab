//===- Pipelines.h - The way of a graph to tile kernels ---------*- C++ -*-===//
//
// Pipelines.cpp lists all passes, their order and the invariants between them.
// Each has a name in tilewright-opt. A compilation may stop after any pass, be
// printed, and continue in another process.
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

/// "module-to-graph": brings a module from a person or another tool to the form
/// that frontends produce: one function, canonical, that takes and returns
/// tensors.
void buildModulePipeline(mlir::OpPassManager &passes);

/// To the form that groups are made of ("verify-graph-form"), the first part of
/// "graph-to-groups".
void buildGraphFormPipeline(mlir::OpPassManager &passes);

struct GroupsOptions {
  /// Whether each group records why an op is (not) in it.
  bool explain = false;
  /// Whether attentions may become one group each, also where other plans are
  /// faster.
  bool attention = true, alwaysAttention = false;
  /// Whether matrix units may multiply f32.
  bool roundsF32 = false;
};

/// "graph-to-groups": from a graph to one whose kernels are graph.groups.
void buildGroupsPipeline(mlir::OpPassManager &passes,
                         const GroupsOptions &options = {});

/// "groups-to-tile": tile kernels, for the targets of the module, and the
/// function that launches them. `precision` is that of products of f32.
void buildTilePipeline(mlir::OpPassManager &passes,
                       llvm::StringRef precision = "ieee");

/// Runs graph-to-groups on `module`, of one function, which is returned. Errors
/// name an op that has no lowering.
mlir::FailureOr<mlir::func::FuncOp> groupGraph(mlir::ModuleOp module);

/// Registers the passes and pipelines, also "graph-form", the pipeline to the
/// form that groups are made of.
void registerGraphPipelines();

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_PIPELINE_PIPELINES_H
