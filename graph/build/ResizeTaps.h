// What a resize reads along one dimension, as the body of a generic.
#pragma once

#include "graph/build/ResizePosition.h"

namespace tilewright::build {

/// How to resize.
struct ResizeMode {
  std::string mode, coordinate, nearest;
  double cubic = -0.75, outside = 0;
  bool antialias = false, excludeOutside = false;

  bool isNearest() const { return mode == "nearest"; }
};

/// Elements of the input and their weights.
struct ResizeTaps {
  SmallVector<Value> indices;
  /// In `weightType`; none where there is one element.
  SmallVector<Value> weights;
  /// Whether the position is outside of the input; null if that is not asked.
  Value outside;
};

/// The taps of element `i`, an index, of the result along `axis`.
ResizeTaps resizeTaps(GraphBuilder &b, Scalar &s, const ResizeMode &mode,
                      const ResizeAxis &axis, Value i,
                      mlir::FloatType weightType);

} // namespace tilewright::build
