//===- ElementShape.h - In which loops elements are computed ----*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_ELEMENTSHAPE_H
#define TILEWRIGHT_AUTOTUNE_COST_ELEMENTSHAPE_H

#include "mlir/IR/Value.h"
#include <cstdint>
#include <vector>

namespace tilewright::autotune {

/// Whether an op asks for one element of each operand for each element of its
/// results, so that its readers are those of its operands.
[[nodiscard]] bool passesElementsOn(mlir::Operation *op);

/// The sizes of the loops in which the elements of a tile are computed that an
/// op on elements makes: those of the op that asks for them, in its order,
/// where others only turn the tile on the way. What is the same along the
/// innermost dimensions leaves their loops.
[[nodiscard]] std::vector<int64_t> computedShape(mlir::Value tile);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_ELEMENTSHAPE_H
