//===- Divisibility.h - What divides an index -------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TILEIR_ANALYSIS_DIVISIBILITY_H
#define TILEWRIGHT_TILEIR_ANALYSIS_DIVISIBILITY_H

#include "tilewright/mlir/Tile.h"

namespace tilewright::tile {

/// The largest power of two, at most 2^30, known to divide an index or integer
/// scalar, from constants, arithmetic, loop bounds, `tile.assume` and the
/// attributes of kernel arguments. Every number divides 0.
int64_t divisorOf(mlir::Value value);

/// The same of the size and the stride of a view's dimension, in elements.
int64_t divisorOfDim(mlir::TypedValue<ViewType> view, unsigned dim);
int64_t divisorOfStride(mlir::TypedValue<ViewType> view, unsigned dim);

/// Bytes, a power of two, that the address of the view's first element is a
/// multiple of; at least the size of an element.
int64_t alignmentOf(mlir::TypedValue<ViewType> view);

} // namespace tilewright::tile

#endif // TILEWRIGHT_TILEIR_ANALYSIS_DIVISIBILITY_H
