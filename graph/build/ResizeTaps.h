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
  /// u8 is resized along one dimension after another, the last one first: each
  /// step gives bytes, as sums in fixed point. Sizes that are not static go
  /// without it.
  bool fixedPoint = false;

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

/// Weights in whole numbers of 1 / 2^bits.
struct FixedPointWeights {
  int64_t taps;
  int bits;
  /// values[i * taps + k]: of tap k of element i of the result.
  std::vector<int64_t> values;
};

/// The weights along `axis`, with as many bits as leave them below 2^15; what
/// lies outside of the input adds to the weight of its edge. Nothing if the
/// sizes are not static.
std::optional<FixedPointWeights> fixedPointWeights(Sizes &sizes,
                                                   const ResizeOptions &options,
                                                   const ResizeAxis &axis);

} // namespace tilewright::build
