// Products and convolutions of integers minus their zero points. A null zero
// point is 0.
#pragma once

#include "graph/build/Window.h"

namespace tilewright::build {

/// A parameter per row of the left operand: [M] as [M, 1]; of one element as a
/// number.
Tensor perRow(GraphBuilder &b, const Tensor &p, const Tensor &x);
/// A vector per channel as [C, 1, ...], with `trailing` dimensions of size 1;
/// of one element as a number.
Tensor channelRow(GraphBuilder &b, const Tensor &p, int64_t trailing);

/// The product of integers minus their zero points, as i32. The zero points are
/// numbers, or one per row of x and per column of y.
FailureOr<Tensor> matmulIntegers(GraphBuilder &b, const Tensor &x,
                                 const Tensor &xZero, const Tensor &y,
                                 const Tensor &yZero);
/// An i32 product as floats: times the scales of both operands, plus a bias
/// unless it is null.
FailureOr<Tensor> scaledProduct(GraphBuilder &b, const Tensor &product,
                                const Tensor &xScale, const Tensor &yScale,
                                const Tensor &bias);
/// The convolution of integers minus their zero points, as i32, plus an i32
/// bias unless it is null. The zero point of the weights is a number or one per
/// filter. Padding is the zero point of x.
FailureOr<Tensor> convolveIntegers(GraphBuilder &b, const Tensor &x,
                                   const Tensor &xZero, const Tensor &w,
                                   const Tensor &wZero, const Tensor &bias,
                                   int64_t group, const Window &window);

} // namespace tilewright::build
