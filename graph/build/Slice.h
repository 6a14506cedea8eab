// Slices by bounds as in NumPy, and splits.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// The elements start, start + step, ... before end of a dimension. Negative
/// bounds count from the end; bounds beyond an end are that end, 10^9 and more
/// always. A step is not 0: an error where it is known, else checked at run
/// time.
struct SliceBounds {
  int64_t axis;
  Expr start, end, step;
};

/// x[start : end : step, ...] for the listed axes; of an axis that is listed
/// twice, the last bounds count. Known integers stay known.
FailureOr<Tensor> sliceBounds(GraphBuilder &b, const Tensor &x,
                              ArrayRef<SliceBounds> bounds);

/// The sizes of `count` parts of one size: size / count each or, if that is
/// rounded up, less for the last ones. Fails if the count is not 1 to 100000.
FailureOr<SmallVector<Expr>> equalParts(GraphBuilder &b, Expr size,
                                        int64_t count, bool roundsUp);
/// The first `wanted` parts of x along an axis. Fails if there are fewer
/// lengths, or their sum cannot be the axis's size.
FailureOr<SmallVector<Tensor>> splitAlong(GraphBuilder &b, const Tensor &x,
                                          int64_t axis, ArrayRef<Expr> lengths,
                                          int64_t wanted);

} // namespace tilewright::build
