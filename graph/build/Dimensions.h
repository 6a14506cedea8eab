// Dimensions by their numbers.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// Fails if a tensor has fewer than `atLeast` dimensions; `what` is its name in
/// the message.
LogicalResult expectRank(GraphBuilder &b, const Tensor &tensor, int64_t atLeast,
                         StringRef what);
/// `value` within [-rank, rank), made non-negative.
FailureOr<int64_t> axisOf(GraphBuilder &b, int64_t value, int64_t rank);
/// The same of several, sorted; fails if one is named twice.
FailureOr<SmallVector<int64_t>> axesOf(GraphBuilder &b,
                                       ArrayRef<int64_t> values, int64_t rank);
/// first, first + 1, ... below `rank`.
SmallVector<int64_t> axesFrom(int64_t first, int64_t rank);
/// `axis`, and then all others in their order.
SmallVector<int64_t> axisFirst(int64_t axis, int64_t rank);

} // namespace tilewright::build
