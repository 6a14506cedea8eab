// What a resize reads along one dimension, as the body of a generic.
#pragma once

#include "graph/build/ResizePosition.h"

namespace tilewright::build {

enum class Interpolation { Nearest, Linear, Cubic };

/// How a resize computes its elements.
struct ResizeOptions {
  Interpolation interpolation = Interpolation::Nearest;
  ResizeCoordinates coordinates = ResizeCoordinates::HalfPixel;
  /// Of Interpolation::Nearest.
  ResizeRounding rounding = ResizeRounding::HalfDown;
  /// The coefficient of Keys' cubic convolution.
  double cubic = -0.75;
  /// The value outside of the input, for ResizeCoordinates::Region.
  double outside = 0;
  /// The filter gets as wide as what an element of the result stands for.
  bool antialias = false;
  /// Elements outside of the input have the weight 0, and are not repeated
  /// edges.
  bool excludeOutside = false;
  /// Interpolated integers are truncated, not rounded to the nearest even.
  bool truncates = false;

  bool isNearest() const { return interpolation == Interpolation::Nearest; }
  bool hasRegion() const { return coordinates == ResizeCoordinates::Region; }
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
ResizeTaps resizeTaps(GraphBuilder &b, Scalar &s, const ResizeOptions &options,
                      const ResizeAxis &axis, Value i,
                      mlir::FloatType weightType);

} // namespace tilewright::build
