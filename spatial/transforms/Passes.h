//===- Passes.h - From a graph to a program on vectors ----------*- C++ -*-===//
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_PASSES_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "spatial/ir/Spatial.h"

namespace tilewright::spatial {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "spatial/transforms/Passes.h.inc"

/// Of a module: the machine file, as text.
inline constexpr llvm::StringLiteral kMachineAttr = "spatial.machine";
/// Of a module: the type of the factors of products, as text.
inline constexpr llvm::StringLiteral kPrecisionAttr = "spatial.precision";

/// Of a function on vectors: how its vectors hold the tensors of the graph, in
/// the order of the graph: {node, shape, vectors, lanes, filled, operands}; its
/// inputs come last, and have `input`.
/// `lanes` are the dimensions along which the lanes of a vector differ,
/// `filled` is the share of lanes with an element. `operands` are {node, lies}
/// of what the node reads: "in place" if its elements were in the lanes in
/// which the result's are, otherwise "in other lanes", or "constant".
inline constexpr llvm::StringLiteral kLayoutsAttr = "spatial.layouts";

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_PASSES_H
