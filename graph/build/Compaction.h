// Elements where a mask is true, moved together. How many they are is known
// only when the run has counted them; what follows works on these alone.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// The indices of the true elements of a mask of one dimension, in order, as
/// i64.
FailureOr<Tensor> indicesWhere(GraphBuilder &b, const Tensor &mask);
/// The slices of x at indices of one dimension, which are within the axis.
FailureOr<Tensor> takeAlong(GraphBuilder &b, const Tensor &x,
                            const Tensor &indices, int64_t axis);
/// Where x is not 0: the coordinates of the elements, in row-major order, are
/// the columns of an i64 matrix. A scalar has the coordinate 0.
FailureOr<Tensor> nonZero(GraphBuilder &b, const Tensor &x);
/// The slices of x along an axis whose element of a mask of one dimension is
/// true. The shorter one of mask and dimension counts.
FailureOr<Tensor> compress(GraphBuilder &b, const Tensor &x, const Tensor &mask,
                           int64_t axis);

} // namespace tilewright::build
