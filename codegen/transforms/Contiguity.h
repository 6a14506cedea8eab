//===- Contiguity.h - Neighbours in a tile of numbers or pointers *- C++
//-*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_CONTIGUITY_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_CONTIGUITY_H

#include "tilewright/mlir/Tile.h"

namespace tilewright::tilegpu {

/// What is known of a tile of numbers or pointers along one dimension. All are
/// powers of two. A group of n are the elements at n coordinates along the
/// dimension of which the first is a multiple of n. Pointers count in elements
/// of their pointee.
struct Runs {
  /// In each group of so many, elements ascend by one.
  int64_t ascending = 1;
  /// In each group of so many, elements are equal.
  int64_t constant = 1;
  /// Divides the first element of each group of `ascending`.
  int64_t divisor = 1;
};

/// Of `tile`, by the ops that make it.
Runs runsAlong(mlir::Value tile, unsigned dim);

/// The largest groups along `dim` that are neighbours in memory, aligned to
/// their size, and of which the mask accesses all elements or none.
int64_t accessedTogether(tile::PointerAccessOpInterface op, unsigned dim);

/// The view that a pointer, or all of a tile, is computed from; null where
/// unknown.
mlir::Value viewOf(mlir::Value pointer);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_CONTIGUITY_H
