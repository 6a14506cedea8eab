//===- Passes.h - From groups to tile kernels -------------------*- C++ -*-===//
//
// Described in Passes.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_PASSES_H
#define TILEWRIGHT_GRAPH_LOWERING_PASSES_H

#include "graph/ir/Graph.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "graph/lowering/Passes.h.inc"

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_PASSES_H
