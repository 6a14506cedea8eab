// Quantized arithmetic. A quantity is (number - zero point) * scale. Numbers
// are rounded to the nearest, halves to even, and saturate; NaN becomes the
// zero point. A null zero point is 0.
#pragma once

#include "graph/build/Window.h"

namespace tilewright::build {

struct QuantizeOptions {
  /// The dimension of scales and zero points that are vectors or blocks.
  int64_t axis = 0;
  /// How many indices of the axis share a scale, of as many dimensions as x; 0
  /// for scales that are one number or a vector.
  int64_t block = 0;
  /// The type of the result.
  Element out;
  /// Of floats of 8 bits and fewer: what is too great becomes the greatest.
  bool saturate = true;
};

/// x / scale + zero.
FailureOr<Tensor> quantize(GraphBuilder &b, const Tensor &x,
                           const Tensor &scale, const Tensor &zero,
                           const QuantizeOptions &options);
/// (x - zero) * scale.
FailureOr<Tensor> dequantize(GraphBuilder &b, const Tensor &x,
                             const Tensor &scale, const Tensor &zero,
                             const QuantizeOptions &options);

/// Numbers with what makes them quantities.
struct Quantized {
  Tensor values, scale, zero;
};

/// Floats of 32 bits as u8, with the scale and zero point that follow from
/// their extremes and 0. Of zeros alone, the scale is 1.
FailureOr<Quantized> quantizeByRange(GraphBuilder &b, const Tensor &x);

/// The product of floats, quantized by their range, and quantized weights: as
/// floats, plus a bias unless it is null.
FailureOr<Tensor> matmulByRange(GraphBuilder &b, const Tensor &x,
                                const Quantized &weights, const Tensor &bias);

/// The product of quantities, quantized with a scale and a zero point. Those of
/// x are numbers or one per row.
FailureOr<Tensor> matmulQuantized(GraphBuilder &b, const Quantized &x,
                                  const Quantized &y, const Tensor &scale,
                                  const Tensor &zero);
/// The convolution of quantities, plus an i32 bias unless it is null, quantized
/// with a scale and a zero point. Those of the weights are numbers or one per
/// filter.
FailureOr<Tensor> convolveQuantized(GraphBuilder &b, const Quantized &x,
                                    const Quantized &w, const Tensor &bias,
                                    int64_t group, const Window &window,
                                    const Tensor &scale, const Tensor &zero);

} // namespace tilewright::build
