// Losses that are functions of each element, reduced.
#include "frontends/torch/Losses.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Reduction.h"

#include <numbers>

using namespace mlir;

namespace tilewright::torch {

LogicalResult reduceLoss(Call &c, const Tensor &losses) {
  TRY(int64_t reduction, c.integer("reduction"));
  SmallVector<int64_t> axes = axesFrom(0, losses->rank());
  if (reduction == 0)
    return c.set(0, losses);
  if (reduction == 1)
    return c.done(meanAlong(c.b, losses, axes, false));
  return c.done(sumAlong(c.b, losses, axes, false, plainSum));
}

LogicalResult reduceLossOf(Call &c, ArrayRef<Tensor> operands, BodyFn body) {
  TRY(Tensor losses, elementwise(c.b, operands, operands[0]->element, body));
  return reduceLoss(c, losses);
}

namespace {

template <BinaryFn fn> LogicalResult importLoss(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "target"));
  return reduceLossOf(c, {p.x, p.y},
                      [](Scalar &s, Values v) { return fn(s, v[0], v[1]); });
}
Value squaredDifference(Scalar &s, Value x, Value y) {
  Value difference = s.sub(x, y);
  return s.mul(difference, difference);
}
Value absoluteDifference(Scalar &s, Value x, Value y) {
  return s.abs(s.sub(x, y));
}
/// log(1 + exp(-x y)).
Value softMargin(Scalar &s, Value x, Value y) {
  return s.make<math::Log1pOp>(s.exp(s.neg(s.mul(x, y))));
}

/// Quadratic up to a bound, linear beyond. The smooth loss is divided by it.
template <bool divides> LogicalResult importHuber(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "target"));
  TRY(double bound, c.number(divides ? "beta" : "delta"));
  return reduceLossOf(c, {p.x, p.y}, [&](Scalar &s, Values v) {
    Value d = s.abs(s.sub(v[0], v[1])), at = s.like(d, bound);
    Value half = s.like(d, 0.5);
    if (divides && bound == 0)
      return d;
    Value square = s.mul(s.mul(half, d), d);
    if (divides)
      return s.select(s.lt(d, at), s.div(square, at),
                      s.sub(d, s.mul(half, at)));
    return s.select(s.le(d, at), square, s.mul(at, s.sub(d, s.mul(half, at))));
  });
}

/// -y log(x) - (1 - y) log(1 - x), with logarithms of at least -100.
LogicalResult importCrossEntropy(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor y, c.tensor("target"));
  TRY(Tensor weight, c.optionalTensor("weight"));
  SmallVector<Tensor> operands = {x, y};
  if (weight)
    operands.push_back(weight);
  return reduceLossOf(c, operands, [&](Scalar &s, Values v) {
    Value one = s.like(v[0], 1), least = s.like(v[0], -100);
    Value positive = s.max(s.log(v[0]), least);
    Value negative = s.max(s.make<math::Log1pOp>(s.neg(v[0])), least);
    Value loss =
        s.sub(s.mul(s.sub(v[1], one), negative), s.mul(v[1], positive));
    return weight ? s.mul(loss, v[2]) : loss;
  });
}

/// The same of scores: (1 - y) x - w log(sigmoid(x)), where the weight w of
/// positive classes is 1 + (positive - 1) y.
LogicalResult importScoreEntropy(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor y, c.tensor("target"));
  TRY(Tensor weight, c.optionalTensor("weight"));
  TRY(Tensor positive, c.optionalTensor("pos_weight"));
  SmallVector<Tensor> operands = {x, y};
  for (const Tensor &each : {weight, positive})
    if (each)
      operands.push_back(each);
  return reduceLossOf(c, operands, [&](Scalar &s, Values v) {
    Value one = s.like(v[0], 1);
    Value logarithm = s.neg(s.softplus(s.neg(v[0])));
    if (positive)
      logarithm =
          s.mul(s.add(one, s.mul(s.sub(v.back(), one), v[1])), logarithm);
    Value loss = s.sub(s.mul(s.sub(one, v[1]), v[0]), logarithm);
    return weight ? s.mul(loss, v[2]) : loss;
  });
}

/// y (log(y) - x), or exp(y) (y - x) of logarithms.
LogicalResult importDivergence(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "target"));
  TRY(bool isLogarithm, c.flag("log_target"));
  return reduceLossOf(c, {p.x, p.y}, [&](Scalar &s, Values v) {
    if (isLogarithm)
      return s.mul(s.exp(v[1]), s.sub(v[1], v[0]));
    Value zero = s.like(v[1], 0);
    Value own = s.mul(v[1], s.log(v[1]));
    own = s.select(s.eq(v[1], zero), zero, own);
    return s.sub(own, s.mul(v[1], v[0]));
  });
}

/// exp(x) - y x of logarithms, else x - y log(x + eps); `full` adds Stirling's
/// approximation for y above 1.
LogicalResult importPoisson(Call &c) {
  TRY(Tensor x, c.tensor("input"));
  TRY(Tensor y, c.tensor("target"));
  TRY(bool isLogarithm, c.flag("log_input"));
  TRY(bool full, c.flag("full"));
  TRY(double eps, c.number("eps"));
  TRY(y, convert(c.b, y, x->element));
  return reduceLossOf(c, {x, y}, [&](Scalar &s, Values v) {
    Value loss =
        isLogarithm
            ? s.sub(s.exp(v[0]), s.mul(v[1], v[0]))
            : s.sub(v[0], s.mul(v[1], s.log(s.add(v[0], s.like(v[0], eps)))));
    if (!full)
      return loss;
    Value root = s.log(s.mul(s.like(v[1], 2 * std::numbers::pi), v[1]));
    Value stirling = s.add(s.sub(s.mul(v[1], s.log(v[1])), v[1]),
                           s.mul(s.like(v[1], 0.5), root));
    Value zero = s.like(v[1], 0);
    return s.add(loss, s.select(s.le(v[1], s.like(v[1], 1)), zero, stirling));
  });
}

/// x of the class 1, max(0, margin - x) of the class -1.
LogicalResult importHinge(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "target"));
  TRY(double margin, c.number("margin"));
  return reduceLossOf(c, {p.x, p.y}, [&](Scalar &s, Values v) {
    Value zero = s.like(v[0], 0), one = s.like(v[0], 1);
    Value beyond = s.max(s.sub(s.like(v[0], margin), v[0]), zero);
    Value far = s.select(s.eq(v[1], one), zero, beyond);
    return s.add(far, s.select(s.eq(v[1], s.like(v[1], -1)), zero, v[0]));
  });
}

/// max(0, -y (x1 - x2) + margin).
LogicalResult importRanking(Call &c) {
  TRY(Tensor x, c.tensor("input1"));
  TRY(Tensor y, c.tensor("input2"));
  TRY(Tensor target, c.tensor("target"));
  TRY(double margin, c.number("margin"));
  return reduceLossOf(c, {x, y, target}, [&](Scalar &s, Values v) {
    Value order = s.mul(s.neg(v[2]), s.sub(v[0], v[1]));
    Value at = s.add(order, s.like(order, margin));
    return s.max(at, s.like(at, 0));
  });
}

FailureOr<LossOptions> readLoss(Call &c) {
  LossOptions options;
  TRY(int64_t reduction, c.integer("reduction"));
  options.reduction = reduction == 0   ? LossReduction::None
                      : reduction == 1 ? LossReduction::Mean
                                       : LossReduction::Sum;
  TRY(int64_t ignored, c.integer("ignore_index"));
  options.ignored = ignored;
  return options;
}

/// Of logarithms of probabilities, or of scores.
template <bool ofScores> LogicalResult importLikelihood(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor target, c.tensor("target"));
  TRY(Tensor weight, c.optionalTensor("weight"));
  TRY(LossOptions options, readLoss(c));
  if (ofScores) {
    TRY(x, softmax(c.b, x, x->rank() == 1 ? 0 : 1, /*logarithm=*/true));
    TRY(double smoothing, c.number("label_smoothing"));
    if (target->element.isFloat())
      return probabilityLoss(c, x, target, weight, smoothing);
    if (smoothing != 0)
      return smoothedLoss(c, x, target, weight, options, smoothing);
  }
  if (!target->element.isInteger())
    return c.fail("expected classes as integers");
  // One sample is a batch of one.
  if (x->rank() == 1) {
    x = rearrange(c.b, x, {-1, 0});
    target = rearrange(c.b, target, {-1});
  }
  if (c.isRead(1)) {
    TRY(Tensor total,
        options.reduction == LossReduction::None
            ? FailureOr<Tensor>(scalarConstant(c.b, x->element, 0))
            : totalWeight(c, x, target, weight, options));
    if (failed(c.set(1, total)))
      return failure();
  }
  TRY(Tensor loss, likelihoodLoss(c.b, x, target, weight, options));
  TRY(Dims dims, c.dims());
  if (int64_t(dims.size()) < loss->rank())
    loss = rearrange(c.b, loss, {});
  return c.set(0, loss);
}

} // namespace

void addLossOps(OpTable &t) {
  t.add("aten.mse_loss.default", importLoss<squaredDifference>);
  t.add("aten.l1_loss.default", importLoss<absoluteDifference>);
  t.add("aten.soft_margin_loss.default", importLoss<softMargin>);
  t.add("aten.smooth_l1_loss.default", importHuber<true>);
  t.add("aten.huber_loss.default", importHuber<false>);
  t.add("aten.binary_cross_entropy.default", importCrossEntropy);
  t.add("aten.binary_cross_entropy_with_logits.default", importScoreEntropy);
  t.add("aten.kl_div.default", importDivergence);
  t.add("aten.poisson_nll_loss.default", importPoisson);
  t.add("aten.hinge_embedding_loss.default", importHinge);
  t.add("aten.margin_ranking_loss.default", importRanking);
  t.add({"aten.nll_loss.default", "aten.nll_loss_nd.default",
         "aten.nll_loss2d.default", "aten.nll_loss_forward.default",
         "aten.nll_loss2d_forward.default"},
        importLikelihood<false>);
  t.add("aten.cross_entropy_loss.default", importLikelihood<true>);
}

} // namespace tilewright::torch
