//===- OpCosts.h - What an op costs a thread of a GPU -----------*- C++ -*-===//
//
// The choice of layouts and the tuner's cost model read one table.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_OPCOSTS_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_OPCOSTS_H

#include "tileir/analysis/OpClasses.h"

namespace tilewright::tilegpu {

/// Instructions of PTX for one element, and the issue slots that they take.
struct OpCost {
  int64_t instructions = 0, slots = 0;
};

/// Of an op on elements of up to 32 bits.
[[nodiscard]] const OpCost &costOf(tile::OpClass kind);

/// Of an op that works element by element: twice as much for elements of 64
/// bits, and that of a root for a function of f32 that may be approximated.
[[nodiscard]] OpCost costOf(mlir::Operation *op);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_OPCOSTS_H
