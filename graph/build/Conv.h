// Convolutions of x[N, C, spatial...].
#pragma once

#include "graph/build/Window.h"

namespace tilewright::build {

/// Fails unless weights w[M, C / group, spatial...] go together with x.
LogicalResult expectWeights(GraphBuilder &b, const Tensor &x, const Tensor &w,
                            int64_t group);
/// Convolution of x[N, C, ...] with w[M, C / group, ...] without bias. x is
/// padded with `padding`, or with 0 if it is null.
FailureOr<Tensor> convolve(GraphBuilder &b, const Tensor &x, const Tensor &w,
                           int64_t group, const Window &window, Element out,
                           mlir::TypedAttr padding = {});

/// What makes the geometry of a transposed convolution.
struct TransposedWindowOptions {
  SmallVector<int64_t> kernel, strides, dilations;
  WindowPadding padding = WindowPadding::Given;
  /// What is cut off the result, if it is given.
  SmallVector<int64_t> padLow, padHigh;
  /// What is added to the end of the result.
  SmallVector<int64_t> extra;
  /// The result's spatial sizes, which determine the padding; may be empty.
  SmallVector<int64_t> out;
};

/// The windows of a transposed convolution: `out` are the sizes of its result.
/// Padding for equal sizes gives results of size * stride.
Window makeTransposedWindow(GraphBuilder &b, const Tensor &x,
                            const TransposedWindowOptions &options);
/// Transposed convolution of x[N, C, ...] with w[C, M / group, ...], whose
/// sizes but M are static, without bias.
FailureOr<Tensor> convolveTransposed(GraphBuilder &b, const Tensor &x,
                                     const Tensor &w, int64_t group,
                                     const Window &window, Element out);

} // namespace tilewright::build
