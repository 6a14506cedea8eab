// Shapes as tensors, reshapes, and tensors that follow from a shape.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// The number of elements as an i64 scalar.
Tensor countTensor(GraphBuilder &b, const Tensor &x);
/// One value for all elements of a shape.
FailureOr<Tensor> filled(GraphBuilder &b, ArrayRef<Expr> dims,
                         mlir::TypedAttr value, Element element);

/// x with another shape. One size may be -1: the one that is left. A 0 stands
/// for the input's size at its position, unless zeros are kept. Fails where the
/// sizes are known not to fit.
FailureOr<Tensor> reshapeTo(GraphBuilder &b, const Tensor &x,
                            ArrayRef<Expr> shape, bool keepsZeros);
/// The sizes of a shape for `reshapeTo`, a readable tensor. What does not
/// follow from constants and sizes is computed by a kernel, with the meaning of
/// -1 and 0, and read by the run.
FailureOr<SmallVector<Expr>> readShape(GraphBuilder &b, const Tensor &x,
                                       const Tensor &shape, bool keepsZeros);
/// x as a matrix: the dimensions before `axis`, and those from it on.
FailureOr<Tensor> flatten(GraphBuilder &b, const Tensor &x, int64_t axis);
/// x without these dimensions, whose size is 1 or is checked to be.
FailureOr<Tensor> squeeze(GraphBuilder &b, const Tensor &x,
                          ArrayRef<int64_t> axes);
/// The dimensions that are known to be of size 1. That no other one is, is
/// checked at run time: the number of dimensions would depend on it.
SmallVector<int64_t> unitAxes(GraphBuilder &b, const Tensor &x);
/// x with new dimensions of size 1 at these positions of the result, sorted.
Tensor unsqueeze(GraphBuilder &b, const Tensor &x, ArrayRef<int64_t> axes);
/// x and a shape, broadcast to each other.
FailureOr<Tensor> expand(GraphBuilder &b, const Tensor &x, ArrayRef<Expr> dims);

/// The integers from, from + step, ... before `to`. The step is a constant
/// other than 0.
FailureOr<Tensor> integerRange(GraphBuilder &b, Expr from, Expr to, Expr step,
                               Element element);
/// The same of floats: ceil((to - from) / step) of them, fewer than 10^9.
FailureOr<Tensor> floatRange(GraphBuilder &b, double from, double to,
                             double step, Element element);
/// The range of numbers that kernels compute: the run reads how many there are.
FailureOr<Tensor> computedRange(GraphBuilder &b, const Tensor &from,
                                const Tensor &to, const Tensor &step);
/// Matrices with 1 where column = row + k, else 0.
FailureOr<Tensor> diagonal(GraphBuilder &b, ArrayRef<Expr> dims, int64_t k,
                           Element element);

} // namespace tilewright::build
