// Where a resize reads its input: positions as exact ratios of whole numbers.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// One dimension of a Resize. The scale is the ratio numerator / denominator:
/// of the two sizes, or of the float that the model has, which is one exactly.
struct ResizeAxis {
  Expr in, out;
  Expr numerator = {}, denominator = {};
  bool active = false;
  /// The region that is read, in parts of the input's length.
  int64_t roiStart = 0, roiEnd = 1, roiParts = 1;

  /// The scale, if it is known.
  std::optional<double> scale() const;
};

/// The position (slope * i + offset) / divisor in the input for element i of
/// the result. The divisor is at least 1 wherever there is an element.
struct ResizePosition {
  Expr slope, offset, divisor;
};

/// A finite number as a ratio in lowest terms; nothing if its numbers have more
/// than 62 bits.
std::optional<std::pair<int64_t, int64_t>> ratioOf(double number);

/// The scale between the sizes of an axis.
void setScaleOfSizes(Sizes &sizes, ResizeAxis &axis);

/// The position of a coordinate transformation.
ResizePosition resizePosition(Sizes &sizes, llvm::StringRef coordinate,
                              const ResizeAxis &axis);

/// The position whose floor is the element that nearest_mode takes. "simple"
/// goes up where elements are left out, else down.
ResizePosition nearestPosition(Sizes &sizes, llvm::StringRef nearest,
                               const ResizeAxis &axis, ResizePosition position);

/// The position with its numbers in lowest terms, if they are known.
ResizePosition reduced(ResizePosition position);

/// The longest that both sizes of an axis may be, so that its positions are
/// computed in 64 bits; nothing if that is at least 2^30.
std::optional<int64_t> longestResized(Sizes &sizes, llvm::StringRef coordinate,
                                      const ResizeAxis &axis);

} // namespace tilewright::build
