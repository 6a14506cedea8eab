// Interpolating reads at given positions.
#pragma once

#include "graph/build/ResizeTaps.h"

namespace tilewright::build {

/// What is read outside of the input.
enum class GridPadding {
  Zeros,
  /// The nearest element.
  Border,
  /// Elements mirrored at the borders.
  Reflection
};

struct GridOptions {
  Interpolation interpolation = Interpolation::Linear;
  GridPadding padding = GridPadding::Zeros;
  /// -1 and 1 are the centers of the first and last elements, not their outer
  /// ends.
  bool alignCorners = false;
};

/// The elements of x[N, C, spatial...] at the positions grid[N, out..., k], of
/// which the last spatial dimension is the first. Positions are floats from -1
/// to 1. Those between two elements take the nearest one, of two the even one.
FailureOr<Tensor> gridSample(GraphBuilder &b, const Tensor &x,
                             const Tensor &grid, const GridOptions &options);
/// The grid for a result of the shape `size`, [N, C, spatial...] with 2 or 3
/// spatial dimensions, by an affine map theta[N, k, k + 1] of its positions.
FailureOr<Tensor> affineGrid(GraphBuilder &b, const Tensor &theta,
                             ArrayRef<Expr> size, bool alignCorners);

} // namespace tilewright::build
