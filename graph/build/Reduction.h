// Reductions and contractions.
#pragma once

#include "graph/build/Generic.h"

namespace tilewright::build {

/// Reduces `axes` (sorted, unique) with `combine(value, accumulator)`.
FailureOr<Tensor> reduce(GraphBuilder &b, const Tensor &tensor,
                         ArrayRef<int64_t> axes, bool keepDims,
                         Element accumulator, mlir::TypedAttr init,
                         BodyFn combine);
FailureOr<Tensor> reduceSum(GraphBuilder &b, const Tensor &tensor,
                            ArrayRef<int64_t> axes, bool keepDims);
FailureOr<Tensor> reduceMax(GraphBuilder &b, const Tensor &tensor,
                            ArrayRef<int64_t> axes, bool keepDims);
/// Sum of products of two operands; floats narrower than f32 are summed in
/// f32. The first `parallel` loops are the result's dimensions.
FailureOr<Tensor> contract(GraphBuilder &b, const Operand &lhs,
                           const Operand &rhs, ArrayRef<Expr> loops,
                           unsigned parallel, Element out);

/// The number of elements in these dimensions as a float scalar in a body.
Value countInBody(GraphBuilder &b, Scalar &s, Expr count, mlir::Type type);

/// Mean over axes in f32 at least, dimensions kept.
FailureOr<Tensor> mean(GraphBuilder &b, const Tensor &x,
                       ArrayRef<int64_t> axes);

/// Softmax (or its logarithm) along one axis.
FailureOr<Tensor> softmax(GraphBuilder &b, const Tensor &x, int64_t axis,
                          bool logarithm);

} // namespace tilewright::build
