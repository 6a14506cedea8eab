// Poolings and other sums over windows, on inputs of shape [N, C, spatial...].
// Results have the input's element type; sums are computed in f32 at least.
#pragma once

#include "graph/build/Window.h"

namespace tilewright::build {

struct MaxPoolOptions {
  bool wantsPositions = false;
  /// How the spatial dimensions are counted in positions: the first one
  /// fastest, or the last one.
  bool firstFastest = false;
};

/// The greatest element of each window, and its position in the input as one
/// i64 number: the first of several. Null unless wanted.
struct MaxPool {
  Tensor values, positions;
};

/// The greatest element of each window; padding never is.
FailureOr<MaxPool> maxPool(GraphBuilder &b, const Tensor &x, const Window &w,
                           const MaxPoolOptions &options = {});
/// The mean of each window: over its elements in the input, or also over those
/// in the padding. What windows read beyond the padding never counts.
FailureOr<Tensor> averagePool(GraphBuilder &b, const Tensor &x, const Window &w,
                              bool countsPadding);
/// (sum of |x|^p)^(1/p) over each window.
FailureOr<Tensor> normPool(GraphBuilder &b, const Tensor &x, const Window &w,
                           double p);

/// The same over all spatial dimensions, which become 1. They need at least one
/// spatial dimension.
FailureOr<Tensor> globalAveragePool(GraphBuilder &b, const Tensor &x);
FailureOr<Tensor> globalMaxPool(GraphBuilder &b, const Tensor &x);
FailureOr<Tensor> globalNormPool(GraphBuilder &b, const Tensor &x, double p);

struct LocalResponseOptions {
  /// How many channels are neighbours: (size - 1) / 2 before and size / 2
  /// after.
  int64_t size = 1;
  double alpha = 0, beta = 0, bias = 0;
};

/// x / (bias + alpha / size * sum of squares over neighbouring channels)^beta.
FailureOr<Tensor> localResponseNorm(GraphBuilder &b, const Tensor &x,
                                    const LocalResponseOptions &options);

} // namespace tilewright::build
