// Data movement: reshape, transpose, pad, slice, concat.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

FailureOr<Tensor> reshape(GraphBuilder &b, const Tensor &tensor,
                          ArrayRef<Expr> dims);
/// Adds or drops dimensions of size 1 (costs nothing). `kept[i]` is the old
/// dimension at the new position i, or -1 for a new one.
Tensor rearrange(GraphBuilder &b, const Tensor &tensor, ArrayRef<int64_t> kept);
FailureOr<Tensor> transpose(GraphBuilder &b, const Tensor &tensor,
                            ArrayRef<int64_t> order);
/// Constant padding.
FailureOr<Tensor> pad(GraphBuilder &b, const Tensor &tensor, ArrayRef<Expr> low,
                      ArrayRef<Expr> high, mlir::TypedAttr value);
FailureOr<Tensor> slice(GraphBuilder &b, const Tensor &tensor,
                        ArrayRef<Expr> offsets, ArrayRef<Expr> wanted,
                        ArrayRef<int64_t> steps);
FailureOr<Tensor> concat(GraphBuilder &b, ArrayRef<Tensor> tensors,
                         int64_t axis);

/// Swaps the last two dimensions.
FailureOr<Tensor> swapLast(GraphBuilder &b, const Tensor &x);

/// Like concat, and known integers stay known.
FailureOr<Tensor> join(GraphBuilder &b, ArrayRef<Tensor> tensors, int64_t axis);
/// Joins tensors of one shape along a new dimension.
FailureOr<Tensor> stack(GraphBuilder &b, ArrayRef<Tensor> tensors,
                        int64_t axis);

} // namespace tilewright::build
