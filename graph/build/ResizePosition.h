// Where a resize reads its input: positions as exact ratios of whole numbers.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// Where element i of the result lies in the input.
enum class ResizeCoordinates {
  /// i / scale.
  Asymmetric,
  /// Centers of elements: (i + 1/2) / scale - 1/2.
  HalfPixel,
  /// The same, and 0 where the result has one element.
  HalfPixelUnlessOne,
  /// The same from the middle of the input and the result.
  HalfPixelFromMiddle,
  /// (i + 1/2) / scale.
  HalfPixelUnshifted,
  /// The first and last elements meet.
  AlignCorners,
  /// The first and last elements meet the ends of a region.
  Region
};

/// Which element a position between two of them takes.
enum class ResizeRounding {
  Floor,
  Ceil,
  /// The nearest one; of two, the lower one.
  HalfDown,
  /// The nearest one; of two, the upper one.
  HalfUp,
  /// Up where elements are left out, else down.
  UpToShrink
};

/// One dimension of a resize. The scale is the ratio numerator / denominator:
/// of the two sizes, or of a float, which is one exactly.
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
/// A scale from 0 to 10^15 and the size floor(in * scale). Fails if the scale
/// is too small for 64 bits.
LogicalResult setScale(GraphBuilder &b, double scale, ResizeAxis &axis);
/// A scale that is a quotient of sizes, of any sign, the second of which may be
/// 0: the run checks both.
void setScaleRatio(GraphBuilder &b, Expr numerator, Expr denominator,
                   ResizeAxis &axis);
/// A scale that a kernel computes, the only element of a tensor of floats: 0,
/// or from 2^-8 to below 2^31. The run reads it as the quotient of two
/// integers, the f32 number exactly.
LogicalResult setComputedScale(GraphBuilder &b, const Tensor &scale,
                               ResizeAxis &axis);
/// One scale, the least or the greatest of these axes, for all of them, and
/// sizes that are rounded to the nearest number, halves up. Fails without a
/// message where a size is not static.
LogicalResult setCommonScale(Sizes &sizes, ArrayRef<int64_t> listed,
                             bool takesLeast,
                             llvm::MutableArrayRef<ResizeAxis> axes);
/// The region from `start` to `end`, in lengths of the input: numbers of at
/// most 2^20, exact to 2^-30.
void setRegion(ResizeAxis &axis, double start, double end);

/// The position of a coordinate transformation.
ResizePosition resizePosition(Sizes &sizes, ResizeCoordinates coordinates,
                              const ResizeAxis &axis);

/// The position whose floor is the element that the rounding takes.
ResizePosition nearestPosition(Sizes &sizes, ResizeRounding rounding,
                               const ResizeAxis &axis, ResizePosition position);

/// The position with its numbers in lowest terms, if they are known.
ResizePosition reduced(ResizePosition position);

/// The longest that both sizes of an axis may be, so that its positions are
/// computed in 64 bits; nothing if that is at least 2^30.
std::optional<int64_t> longestResized(Sizes &sizes,
                                      ResizeCoordinates coordinates,
                                      const ResizeAxis &axis);

} // namespace tilewright::build
