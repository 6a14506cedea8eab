// Losses.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

enum class LossReduction {
  None,
  Sum,
  /// The mean, weighted by the labels' weights.
  Mean
};

struct LossOptions {
  LossReduction reduction = LossReduction::Mean;
  /// The label that counts nothing.
  std::optional<int64_t> ignored;
};

/// -weight[target] * x[target] for log probabilities x[N, C, ...] and integer
/// labels target[N, ...]. The weights are [C], or null for 1. A label from -C
/// on counts from the end; one out of bounds reads the nearest class.
FailureOr<Tensor> likelihoodLoss(GraphBuilder &b, const Tensor &x,
                                 const Tensor &target, const Tensor &weight,
                                 const LossOptions &options);
/// 1 at the first maximum along the axis, else 0.
FailureOr<Tensor> hardmax(GraphBuilder &b, const Tensor &x, int64_t axis);

} // namespace tilewright::build
