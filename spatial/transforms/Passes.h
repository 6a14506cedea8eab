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

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_PASSES_H
