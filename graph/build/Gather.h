// Reads at computed positions.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

// Indices are integers; one from -size on counts from the end. One that is out
// of bounds is an error if it is known, else it ends the run (Checks.h).

/// x[..., indices[i...], ...] at dimension `axis`: the result has the
/// dimensions of the indices in its place.
FailureOr<Tensor> gatherAlong(GraphBuilder &b, const Tensor &x,
                              const Tensor &indices, int64_t axis);
/// x[i, ..., indices[i...], ...] with the shape of the indices, which have as
/// many dimensions as x, and at most its sizes elsewhere than along the axis.
FailureOr<Tensor> gatherElements(GraphBuilder &b, const Tensor &x,
                                 const Tensor &indices, int64_t axis);
/// x[n..., indices[n..., i..., 0], ..., indices[n..., i..., k - 1], ...] for a
/// static k, with `batch` dimensions n that both have. k + batch must be at
/// most the dimensions of x, and batch less than those of the indices.
FailureOr<Tensor> gatherSlices(GraphBuilder &b, const Tensor &x,
                               const Tensor &indices, int64_t batch);
/// x at points: indices of its dimensions, null where all elements are taken.
/// The indices broadcast to one shape, which is in the place of the indexed
/// dimensions if these are neighbours, else before all others.
FailureOr<Tensor> gatherPoints(GraphBuilder &b, const Tensor &x,
                               ArrayRef<Tensor> indices);
/// values[1] where the index is the position along a new dimension `axis` of
/// size `depth`, else values[0]. The values are a tensor of two elements.
/// Indices may be floats, which are truncated; one out of bounds is nowhere.
FailureOr<Tensor> oneHot(GraphBuilder &b, const Tensor &indices, Expr depth,
                         const Tensor &values, int64_t axis);

} // namespace tilewright::build
