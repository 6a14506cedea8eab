// Reductions and contractions.
#pragma once

#include "frontends/onnx/Generic.h"

namespace tilewright::onnx {

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

} // namespace tilewright::onnx
