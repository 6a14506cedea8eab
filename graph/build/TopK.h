// The greatest or least elements along an axis.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// Elements in order, and where along the axis they are, as i64.
struct TopK {
  Tensor values, indices;
};

/// The k greatest (or least) elements along an axis, the greatest (or least)
/// one first. NaN is the greatest of all, equal elements keep their order.
/// Fails if the axis is known to have fewer.
FailureOr<TopK> topK(GraphBuilder &b, const Tensor &x, int64_t axis, Expr k,
                     bool largest);

} // namespace tilewright::build
