//===- Spatial.h - The spatial dialect --------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_SPATIAL_IR_SPATIAL_H
#define TILEWRIGHT_SPATIAL_IR_SPATIAL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "spatial/machine/ValueTypes.h"

#pragma GCC visibility push(default)
#include "spatial/ir/SpatialDialect.h.inc"
#pragma GCC visibility pop
#define GET_TYPEDEF_CLASSES
#include "spatial/ir/SpatialTypes.h.inc"
#define GET_OP_CLASSES
#include "spatial/ir/SpatialOps.h.inc"

namespace tilewright::spatial {

/// Of a function on vectors: how many lanes they have, an i64.
inline constexpr llvm::StringLiteral kLanesAttr = "spatial.lanes";
/// Of its arguments and results: {name, dtype, shape, layout}: what the model
/// calls it, and for each vector and lane the row-major number of the element
/// there, or -1.
inline constexpr llvm::StringLiteral kInterfaceAttr = "spatial.interface";

/// The element type of a schedule that IR calls `type`, or nothing.
std::optional<DType> valueType(mlir::Type type);
/// The type that IR has for it.
mlir::Type irType(mlir::MLIRContext *context, DType type);

/// The node of a model that an op comes from, as reports call it: the name of
/// its location, or "line 12".
std::string nodeOf(mlir::Location location);

/// The lanes of the function that `op` is in; 0 where that does not say.
int64_t lanesOf(mlir::Operation *op);

/// Which vectors of operand `number` an op with `indices` reads.
llvm::ArrayRef<int32_t> indicesOf(mlir::ArrayAttr indices, unsigned number);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_IR_SPATIAL_H
