// Rarer rearrangements: crops, reversals, columns to images, bit casts, and a
// convolution that keeps its past.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// x with the sizes `shape` of these dimensions: cropped, or padded with zeros,
/// around the middle. Of an odd number, one more is padded at the end, and
/// cropped at the end.
FailureOr<Tensor> cropOrPad(GraphBuilder &b, const Tensor &x,
                            ArrayRef<int64_t> axes, ArrayRef<Expr> shape);
/// x with the first lengths[n] elements of each sequence reversed, for integer
/// lengths [N]. `batch` is the dimension n, 0 or 1, and the other one is the
/// sequence.
FailureOr<Tensor> reverseSequences(GraphBuilder &b, const Tensor &x,
                                   const Tensor &lengths, int64_t batch);
/// The bits of x as a type of the same width.
FailureOr<Tensor> bitCast(GraphBuilder &b, const Tensor &x, Element to);

struct ColumnsToImageOptions {
  /// The spatial sizes of the image.
  SmallVector<Expr> image;
  /// A value per spatial dimension.
  SmallVector<int64_t> block, strides, dilations, padLow, padHigh;
};

/// The columns [N, C * taps, L], added up where they overlap in the image.
FailureOr<Tensor> columnsToImage(GraphBuilder &b, const Tensor &x,
                                 const ColumnsToImageOptions &options);

/// The result, and the last elements of the input, which the next call reads
/// before its own.
struct CausalConv {
  Tensor values, state;
};

/// A depthwise convolution of x[N, C, T] with w[C, 1, taps] over the past, or
/// zeros if it is null. `activates`: x * sigmoid(x) follows.
FailureOr<CausalConv> causalConvolve(GraphBuilder &b, const Tensor &x,
                                     const Tensor &w, const Tensor &bias,
                                     const Tensor &past, bool activates);

} // namespace tilewright::build
