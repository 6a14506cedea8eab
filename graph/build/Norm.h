// Normalizations. Statistics are computed in f32 at least; results have the
// input's element type.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

struct BatchNormOptions {
  double epsilon = 0;
  /// The statistics are those of the input, and the running ones follow.
  bool training = false;
  /// How much of the running statistics stays in training.
  double momentum = 0;
};

/// The new running statistics are null unless trained.
struct BatchNorm {
  Tensor values, mean, variance;
};

/// scale * (x - mean) / sqrt(variance + epsilon) + bias for x[N, C, ...].
/// `statistics` are scale, bias, mean and variance, [C] each.
FailureOr<BatchNorm> batchNorm(GraphBuilder &b, const Tensor &x,
                               ArrayRef<Tensor> statistics,
                               const BatchNormOptions &options);

/// A normalization, the mean, and 1 / sqrt(variance + epsilon).
struct LayerNorm {
  Tensor values, mean, inverse;
};

/// Normalizes over the dimensions from `axis` on. Scale and bias broadcast to
/// x; the bias may be null.
FailureOr<LayerNorm> layerNorm(GraphBuilder &b, const Tensor &x,
                               const Tensor &scale, const Tensor &bias,
                               int64_t axis, double epsilon);
/// scale * x / sqrt(mean of x^2 + epsilon) over the dimensions from `axis` on.
FailureOr<Tensor> rmsNorm(GraphBuilder &b, const Tensor &x, const Tensor &scale,
                          int64_t axis, double epsilon);
/// Normalizes over the spatial dimensions of [N, C, ...], with scale and bias
/// [C].
FailureOr<Tensor> instanceNorm(GraphBuilder &b, const Tensor &x,
                               const Tensor &scale, const Tensor &bias,
                               double epsilon);

struct GroupNormOptions {
  int64_t groups = 1;
  double epsilon = 0;
  /// Scale and bias are [groups] instead of [C].
  bool perGroup = false;
};

/// Normalizes each group of the channels of [N, C, ...], C static.
FailureOr<Tensor> groupNorm(GraphBuilder &b, const Tensor &x,
                            const Tensor &scale, const Tensor &bias,
                            const GroupNormOptions &options);
/// (x - mean) / (sqrt(variance) + 1e-9) over these axes.
FailureOr<Tensor> meanVarianceNorm(GraphBuilder &b, const Tensor &x,
                                   ArrayRef<int64_t> axes);
/// x / (sum of |x|^p)^(1/p) along an axis, for p of 1 or 2. Zeros stay zeros.
FailureOr<Tensor> unitNorm(GraphBuilder &b, const Tensor &x, int64_t axis,
                           int64_t p);

} // namespace tilewright::build
