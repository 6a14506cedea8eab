//===- Views.h - Views of memory --------------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_VIEWS_H
#define TILEWRIGHT_CODEGEN_CPU_VIEWS_H

#include "codegen/cpu/Emission.h"

namespace tilewright::cpu {

/// Row-major strides that follow from the dims.
void completeStrides(mlir::ImplicitLocOpBuilder &b, ViewArgument &view);

/// A tile of a view: where a load, store or atomic update reads or writes.
struct ViewTile {
  mlir::Value view;
  mlir::ValueRange offsets;
  /// Between elements of the tile, for each dimension; none: 1.
  llvm::ArrayRef<int64_t> steps;
  /// Whether the offsets count elements, not tiles.
  bool isByElement = false;
  llvm::ArrayRef<int64_t> shape;

  int64_t step(unsigned dim) const { return steps.empty() ? 1 : steps[dim]; }
  /// Elements per unit of an offset.
  int64_t scale(unsigned dim) const { return isByElement ? 1 : shape[dim]; }
};

/// What `op` loads, stores or updates: a tile of `type`.
template <typename Op> ViewTile viewTileOf(Op op, mlir::RankedTensorType type) {
  return {op.getView(), op.getOffsets(), op.getSteps(), op.getByElement(),
          type.getShape()};
}

/// Addresses of lanes.
struct Address {
  mlir::Value pointer, stride; // of the first element, between lanes
  bool isUnit = false;
  mlir::Value mask; // null when all elements are inside
};

/// Whether the whole tile is inside the view along `dim`.
bool isInside(const ViewTile &tile, unsigned dim, Emission &e);

/// How many indices of the tile along `dim`, from 0 on, may be inside the view.
mlir::Value endInside(const ViewTile &tile, unsigned dim, Emission &e);

/// The addresses in a view of the lanes at `at` of a tile, and which are
/// inside: all of them, if that is not checked.
Address viewAddress(const ViewTile &tile, const Lanes &at, bool isChecked,
                    Emission &e);

/// The scalars of a value that is no tile: itself, or a view's pointer, dims
/// and strides.
void appendScalars(mlir::Value value, Values &parts, Emission &e);

/// Binds `name` to the first of `parts`; returns how many. Facts in a view's
/// type stay known.
size_t bindScalars(mlir::Value name, mlir::ValueRange parts, Emission &e);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_VIEWS_H
