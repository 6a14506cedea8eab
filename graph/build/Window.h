// The geometry of convolutions and poolings.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// Where the padding of a window operator comes from.
enum class WindowPadding {
  Given,
  /// There are ceil(size / stride) windows. Of an odd number of elements, the
  /// last one is after the input.
  SameMoreAfter,
  /// The same, but it is before the input.
  SameMoreBefore
};

/// How many windows there are where the stride leaves a rest.
enum class WindowRounding {
  Down,
  /// One more, unless it starts behind the input's last element.
  Up
};

/// What makes a window operator's geometry: a value per spatial dimension.
struct WindowOptions {
  SmallVector<Expr> kernel;
  SmallVector<int64_t> strides, dilations;
  WindowPadding padding = WindowPadding::Given;
  /// Elements before and after the input, if they are given.
  SmallVector<int64_t> padLow, padHigh;
  /// For given padding.
  WindowRounding rounding = WindowRounding::Down;
};

/// A window operator's geometry over the spatial dimensions.
struct Window {
  SmallVector<Expr> kernel;
  SmallVector<int64_t> strides, dilations;
  /// What windows read before and after the input.
  SmallVector<Expr> padLow, padHigh;
  /// The part of `padHigh` that is padding: windows that are rounded up may
  /// read more.
  SmallVector<Expr> padHighGiven;
  /// Sizes of the result.
  SmallVector<Expr> out;
  WindowRounding rounding = WindowRounding::Down;

  /// A size of the kernel that is known.
  int64_t taps(size_t i) const { return *constantOf(kernel[i]); }
};

/// Fails unless an input of shape [N, C, spatial...] has the kernel's spatial
/// dimensions, at least one.
LogicalResult expectWindowRank(GraphBuilder &b, const Tensor &x,
                               ArrayRef<Expr> kernel);
/// The windows on an input of shape [N, C, spatial...]. Fails where a number is
/// out of range or a window does not fit the padded input.
FailureOr<Window> makeWindow(GraphBuilder &b, const Tensor &x,
                             const WindowOptions &options);
/// Padding of the spatial dimensions, the last ones, with one value.
FailureOr<Tensor> padSpatial(GraphBuilder &b, const Tensor &x, const Window &w,
                             mlir::TypedAttr value);

} // namespace tilewright::build
