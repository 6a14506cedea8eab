// Losses: one number for each element or sample, reduced.
#pragma once

#include "frontends/torch/Promotion.h"
#include "graph/build/Generic.h"
#include "graph/build/Loss.h"

namespace tilewright::torch {

/// The result: losses as they are, their mean or their sum, as the argument
/// "reduction" says.
LogicalResult reduceLoss(Call &c, const Tensor &losses);
/// The same of a function of elements, in the type of the first operand.
LogicalResult reduceLossOf(Call &c, ArrayRef<Tensor> operands, BodyFn body);

/// The cross entropy of logarithms of probabilities x[N, C, ...] and
/// probabilities of classes, smoothed towards equal ones.
LogicalResult probabilityLoss(Call &c, const Tensor &x, const Tensor &target,
                              const Tensor &weight, double smoothing);
/// The same for classes as integers.
LogicalResult smoothedLoss(Call &c, const Tensor &x, const Tensor &target,
                           const Tensor &weight, const LossOptions &options,
                           double smoothing);
/// The sum of the weights of the labels that count.
FailureOr<Tensor> totalWeight(Call &c, const Tensor &x, const Tensor &target,
                              const Tensor &weight, LossOptions options);

} // namespace tilewright::torch
