// How views of PyTorch are read and written through.
#pragma once

#include "frontends/torch/Call.h"

namespace tilewright::torch {

/// The same elements in another shape.
View reshapedView(GraphBuilder &b, ArrayRef<Expr> from, ArrayRef<Expr> to);
View permutedView(GraphBuilder &b, ArrayRef<int64_t> order);

/// The elements start, start + step, ... of a dimension, `length` of them.
struct Strip {
  int64_t axis = 0;
  Expr start, length;
  int64_t step = 1;
};
View stripView(GraphBuilder &b, const Strip &strip);
/// One element of a dimension, which is dropped.
View selectedView(GraphBuilder &b, const Tensor &base, int64_t axis, Expr at);

/// Elements [..., k, ..., k + offset, ...] of two dimensions.
struct Diagonal {
  int64_t first = 0, second = 1, offset = 0;
};
/// A diagonal as the last dimension of a view of the shape `part`.
View diagonalView(GraphBuilder &b, Diagonal diagonal, ArrayRef<Expr> part);

/// The elements of a strip.
FailureOr<Tensor> readStrip(GraphBuilder &b, const Tensor &base,
                            const Strip &strip);
/// The base with the value in the place of a strip.
FailureOr<Tensor> overwriteStrip(GraphBuilder &b, const Tensor &base,
                                 const Tensor &value, const Strip &strip);

/// The strip of aten.slice and of what is like it: bounds may be None, negative
/// or beyond the ends.
FailureOr<Strip> stripOf(Call &call, const Tensor &base);

/// Whether the program says that elements lie in row-major order.
bool isRowMajor(const TensorMeta &meta);

} // namespace tilewright::torch
