//===- Passes.h - The passes that lead to graph form ------------*- C++ -*-===//
//
// Described in Passes.td; graph/pipeline/Pipelines.cpp has them in the order in
// which they run.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_TRANSFORMS_PASSES_H
#define TILEWRIGHT_GRAPH_TRANSFORMS_PASSES_H

#include "graph/ir/Graph.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "graph/transforms/Passes.h.inc"

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_TRANSFORMS_PASSES_H
