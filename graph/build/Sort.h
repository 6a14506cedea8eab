// Elements in order along an axis: sorts, and the greatest or least ones.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// Elements in order, and where along the axis they are, as i64.
struct Ordered {
  Tensor values, indices;
};

// NaN is the greatest of all, -0 equals 0, and equal elements keep their order.

/// All elements along an axis.
FailureOr<Ordered> sort(GraphBuilder &b, const Tensor &x, int64_t axis,
                        bool isDescending);
/// The k greatest (or least) elements along an axis, the greatest (or least)
/// one first. Fails if the axis is known to have fewer.
FailureOr<Ordered> topK(GraphBuilder &b, const Tensor &x, int64_t axis, Expr k,
                        bool largest);

} // namespace tilewright::build
