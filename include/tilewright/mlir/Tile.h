// The tile dialect: types, enumerations and ops. Each op is specified in
// docs/spec.md and described in its group's .td file.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilewright/support/Export.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#pragma GCC visibility push(default)
#include "tilewright/mlir/TileDialect.h.inc"
#include "tilewright/mlir/TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tilewright/mlir/TileAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tilewright/mlir/TileTypes.h.inc"
#pragma GCC visibility pop

namespace tilewright::tile {

/// True for an integer or float type that may be kept in memory: i1 i4 i8 i16
/// i32 i64, f16 bf16 f32 f64, f8E4M3FN f8E5M2 f4E2M1FN f8E8M0FNU.
TILEWRIGHT_API bool isMemoryElement(mlir::Type type);
/// True for a memory element, index or a pointer.
TILEWRIGHT_API bool isScalar(mlir::Type type);
/// True for a tensor of static shape and scalar element type, no dim 0.
TILEWRIGHT_API bool isTile(mlir::Type type);
TILEWRIGHT_API bool isScalarOrTile(mlir::Type type);
/// True for a pointer or a tile of pointers.
TILEWRIGHT_API bool isPtrLike(mlir::Type type);
/// Bits that one element takes in memory: 8 for i1, i4 and f4E2M1FN, otherwise
/// the width of the type.
TILEWRIGHT_API int64_t getStorageBits(mlir::Type element);
/// `like` with its element type replaced: a scalar gives `element`, a tile a
/// tile of the same shape.
TILEWRIGHT_API mlir::Type withElementType(mlir::Type like, mlir::Type element);

/// Builds the region of a reduce or scan: from the left elements, one per
/// input, followed by the right elements, the combined elements.
using CombineFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

} // namespace tilewright::tile

#pragma GCC visibility push(default)
#include "tilewright/mlir/TileInterfaces.h.inc"
#define GET_OP_CLASSES
#include "tilewright/mlir/TileOps.h.inc"
#pragma GCC visibility pop
