// The geometry of convolutions and poolings.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// A window operator's geometry over the spatial dimensions.
struct Window {
  SmallVector<Expr> kernel;
  SmallVector<int64_t> strides, dilations;
  SmallVector<Expr> padLow, padHigh;
  /// Sizes of the result.
  SmallVector<Expr> out;
  bool ceilMode = false;

  /// A size of the kernel that is known.
  int64_t taps(size_t i) const { return *constantOf(kernel[i]); }
};

} // namespace tilewright::build
