// Writes at computed positions.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// What an update does to an element of the data. Where several go to one
/// element and replace it, the last one counts.
enum class ScatterReduction { Replace, Add, Multiply, Max, Min };

// An index from -size on counts from the end; one that is out of bounds ends
// the run (Checks.h), and its update changes nothing. Indices are integers;
// they and the updates have the shapes that are given here, or the functions
// fail.

/// data with data[..., indices[i...], ...] changed by updates[i...], where
/// `axis` is the dimension of the index. All have as many dimensions; updates
/// have the shape of indices, which is at most that of the data elsewhere than
/// along the axis.
FailureOr<Tensor> scatterElements(GraphBuilder &b, const Tensor &data,
                                  const Tensor &indices, const Tensor &updates,
                                  int64_t axis, ScatterReduction reduction);
/// data with data[indices[i..., 0], ..., indices[i..., k - 1], ...] changed by
/// updates[i..., ...], for a static k.
FailureOr<Tensor> scatterSlices(GraphBuilder &b, const Tensor &data,
                                const Tensor &indices, const Tensor &updates,
                                ScatterReduction reduction);
/// data changed by updates[i..., ...] where, for each k, the coordinate along
/// dimension dims[k] is indices[k][i...]. The indices have one shape; updates
/// have it, and then the other dimensions of the data, in order.
FailureOr<Tensor> scatterPoints(GraphBuilder &b, const Tensor &data,
                                ArrayRef<int64_t> dims,
                                ArrayRef<Tensor> indices, const Tensor &updates,
                                ScatterReduction reduction);
/// data with data[indices[i], ...] replaced by updates[i, ...], for indices
/// from 0 on of which no two are equal. One that is not below the size leaves
/// its update out.
FailureOr<Tensor> scatterDistinct(GraphBuilder &b, const Tensor &data,
                                  const Tensor &indices, const Tensor &updates);
/// The cache with elements start[n], start[n] + 1, ... along `axis` of its part
/// n replaced by those of update[n]. A null start is 0. What goes beyond the
/// end is left out, or goes to the beginning if it wraps.
FailureOr<Tensor> overwriteAlong(GraphBuilder &b, const Tensor &cache,
                                 const Tensor &update, const Tensor &start,
                                 int64_t axis, bool wraps);

} // namespace tilewright::build
