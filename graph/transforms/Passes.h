//===- Passes.h - The passes that lead to graph form ------------*- C++ -*-===//
//
// Described in Passes.td; in the order in which they run in Pipeline.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_TRANSFORMS_PASSES_H
#define TILEWRIGHT_GRAPH_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace tilewright::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "graph/transforms/Passes.h.inc"

/// Registers what a module from elsewhere may hold, and how its functions are
/// inlined.
void registerModuleDialects(mlir::DialectRegistry &registry);

/// What a module that a person or another tool wrote needs before it is a graph
/// as a frontend makes it: one function, canonical, that takes and returns
/// tensors.
void buildModulePipeline(mlir::OpPassManager &passes);

/// From a graph to graph form (see VerifyGraphForm). Leaves alone what has the
/// form.
void buildGraphFormPipeline(mlir::OpPassManager &passes);

/// Both, as `--graph-form` of tilewright-opt.
void registerGraphPipelines();

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_TRANSFORMS_PASSES_H
