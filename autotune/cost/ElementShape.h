//===- ElementShape.h - In which loops elements are computed ----*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_ELEMENTSHAPE_H
#define TILEWRIGHT_AUTOTUNE_COST_ELEMENTSHAPE_H

#include "mlir/IR/Value.h"
#include <cstdint>
#include <vector>

namespace tilewright::autotune {

/// Whether an op requests one element of each operand for each element of its
/// results, so that its readers are those of its operands.
[[nodiscard]] bool passesElementsOn(mlir::Operation *op);

/// The sizes of the loops that compute the elements of an elementwise op's
/// tile: those of the op that requests them, in its order, after ops that only
/// rearrange the tile. Innermost dimensions along which the tile is constant
/// are hoisted out of their loops.
[[nodiscard]] std::vector<int64_t> computedShape(mlir::Value tile);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_ELEMENTSHAPE_H
