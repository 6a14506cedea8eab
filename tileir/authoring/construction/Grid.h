// The grid of a kernel from values computed in it. Not for users.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_GRID_H
#define TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_GRID_H

#include "mlir/IR/AffineExpr.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright::authoring {

/// `value` over the symbols of the kernel's grid map: the sizes of its
/// arguments. Null where it needs more than they say.
mlir::AffineExpr gridExpression(tile::KernelOp kernel, mlir::Value value);

} // namespace tilewright::authoring

#endif // TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_GRID_H
