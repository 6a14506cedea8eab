// Losses of samples: of smoothed classes, of distances and of margins.
#include "frontends/torch/Losses.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Gather.h"
#include "graph/build/Logic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Scan.h"

using namespace mlir;

namespace tilewright::torch {

FailureOr<Tensor> totalWeight(Call &c, const Tensor &x, const Tensor &target,
                              const Tensor &weight, LossOptions options) {
  TRY(Tensor ones, elementwise(c.b, {x}, x->element, [](Scalar &s, Values v) {
        return s.like(v[0], -1);
      }));
  options.reduction = LossReduction::Sum;
  return likelihoodLoss(c.b, ones, target, weight, options);
}

/// The dimension of the classes, of one sample too.
static int64_t classAxis(const Tensor &x) { return x->rank() == 1 ? 0 : 1; }

/// Weights [C] along the classes of x.
static Tensor alongClasses(Call &c, const Tensor &x, const Tensor &weight) {
  SmallVector<int64_t> kept(x->rank() - classAxis(x), -1);
  kept[0] = 0;
  return rearrange(c.b, weight, kept);
}

LogicalResult probabilityLoss(Call &c, const Tensor &x, const Tensor &target,
                              const Tensor &weight, double smoothing) {
  Sizes &z = c.b.sizes;
  int64_t axis = classAxis(x);
  Expr classes = x->dims[axis];
  SmallVector<Tensor> operands = {x, target};
  if (weight)
    operands.push_back(alongClasses(c, x, weight));
  TRY(Tensor terms,
      elementwise(c.b, operands, x->element, [&](Scalar &s, Values v) {
        Value share = v[1];
        if (smoothing != 0) {
          Value count = s.fromIndex(c.b.index(classes), v[0].getType());
          share = s.add(s.mul(share, s.like(share, 1 - smoothing)),
                        s.div(s.like(share, smoothing), count));
        }
        Value term = s.neg(s.mul(v[0], share));
        return weight ? s.mul(term, v[2]) : term;
      }));
  TRY(int64_t reduction, c.integer("reduction"));
  if (reduction == 0)
    return c.done(sumAlong(c.b, terms, {axis}, false, plainSum));
  TRY(Tensor sum,
      sumAlong(c.b, terms, axesFrom(0, x->rank()), false, plainSum));
  if (reduction == 2)
    return c.set(0, sum);
  Dims samples = x->dims;
  samples.erase(samples.begin() + axis);
  Expr count = z.product(samples);
  return c.done(elementwise(c.b, {sum}, x->element, [&](Scalar &s, Values v) {
    return s.div(v[0], s.fromIndex(c.b.index(count), v[0].getType()));
  }));
}

LogicalResult smoothedLoss(Call &c, const Tensor &x, const Tensor &target,
                           const Tensor &weight, const LossOptions &options,
                           double smoothing) {
  GraphBuilder &b = c.b;
  if (x->rank() < 2)
    return c.fail("a smoothed loss of one sample without a batch is not "
                  "supported");
  TRY(Tensor likelihood, likelihoodLoss(b, x, target, weight, options));
  SmallVector<Tensor> operands = {x};
  if (weight)
    operands.push_back(alongClasses(c, x, weight));
  TRY(Tensor terms,
      elementwise(b, operands, x->element, [&](Scalar &s, Values v) {
        return s.neg(weight ? s.mul(v[0], v[1]) : v[0]);
      }));
  TRY(Tensor smooth, sumAlong(b, terms, {1}, false, plainSum));
  TRY(smooth,
      elementwise(b, {smooth, target}, x->element, [&](Scalar &s, Values v) {
        Value isIgnored =
            s.eq(v[1], s.integer(v[1].getType(), *options.ignored));
        return s.select(isIgnored, s.like(v[0], 0), v[0]);
      }));
  if (options.reduction != LossReduction::None) {
    TRY(smooth,
        sumAlong(b, smooth, axesFrom(0, smooth->rank()), false, plainSum));
  }
  if (options.reduction == LossReduction::Mean) {
    TRY(Tensor total, totalWeight(c, x, target, weight, options));
    TRY(smooth, divide(b, smooth, total));
  }
  Expr classes = x->dims[1];
  return c.done(elementwise(
      b, {likelihood, smooth}, x->element, [&](Scalar &s, Values v) {
        Value count = s.fromIndex(b.index(classes), v[0].getType());
        Value share = s.div(s.like(v[0], smoothing), count);
        return s.add(s.mul(v[0], s.like(v[0], 1 - smoothing)),
                     s.mul(v[1], share));
      }));
}

namespace {

/// 1 - cosine of the class 1, max(0, cosine - margin) of the class -1.
LogicalResult importCosineEmbedding(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("input1"));
  TRY(Tensor y, c.tensor("input2"));
  TRY(Tensor target, c.tensor("target"));
  TRY(double margin, c.number("margin"));
  auto dot = [&](const Tensor &u, const Tensor &v) -> FailureOr<Tensor> {
    TRY(Tensor products, arithmetic(b, Arithmetic::Multiply, u, v));
    return sumAlong(b, products, {products->rank() - 1}, false, plainSum);
  };
  TRY(Tensor xy, dot(x, y));
  TRY(Tensor xx, dot(x, x));
  TRY(Tensor yy, dot(y, y));
  return reduceLossOf(c, {xy, xx, yy, target}, [&](Scalar &s, Values v) {
    Value least = s.like(v[0], 1e-12), zero = s.like(v[0], 0);
    Value size = s.sqrt(s.mul(s.add(v[1], least), s.add(v[2], least)));
    Value cosine = s.div(v[0], size), one = s.like(v[0], 1);
    Value far = s.max(s.sub(cosine, s.like(cosine, margin)), zero);
    Value isNear = s.eq(v[3], s.like(v[3], 1));
    Value isFar = s.eq(v[3], s.like(v[3], -1));
    return s.select(isNear, s.sub(one, cosine), s.select(isFar, far, zero));
  });
}

/// The norm of x - y + eps along the last dimension.
FailureOr<Tensor> distance(GraphBuilder &b, const Tensor &x, const Tensor &y,
                           double p, double eps, bool keepDims) {
  // The sum, as PyTorch rounds it.
  TRY(Tensor difference,
      elementwise(b, {x, y}, x->element, [&](Scalar &s, Values v) {
        return s.add(s.sub(v[0], v[1]), s.like(v[0], eps));
      }));
  return vectorNorm(b, difference, {difference->rank() - 1}, keepDims, p);
}

LogicalResult importPairDistance(Call &c) {
  TRY(Tensor x, c.tensor("x1"));
  TRY(Tensor y, c.tensor("x2"));
  TRY(double p, c.number("p"));
  TRY(double eps, c.number("eps"));
  TRY(bool keepDims, c.flag("keepdim"));
  return c.done(distance(c.b, x, y, p, eps, keepDims));
}

/// max(0, margin + |anchor - positive| - |anchor - negative|).
LogicalResult importTriplet(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor anchor, c.tensor("anchor"));
  TRY(Tensor positive, c.tensor("positive"));
  TRY(Tensor negative, c.tensor("negative"));
  TRY(double margin, c.number("margin"));
  TRY(double p, c.number("p"));
  TRY(double eps, c.number("eps"));
  TRY(bool swaps, c.flag("swap"));
  TRY(Tensor same, distance(b, anchor, positive, p, eps, false));
  TRY(Tensor other, distance(b, anchor, negative, p, eps, false));
  if (swaps) {
    TRY(Tensor third, distance(b, positive, negative, p, eps, false));
    TRY(other, arithmetic(b, Arithmetic::Min, other, third));
  }
  return reduceLossOf(c, {same, other}, [&](Scalar &s, Values v) {
    Value beyond = s.add(s.like(v[0], margin), s.sub(v[0], v[1]));
    return s.max(beyond, s.like(beyond, 0));
  });
}

/// As a batch of rows: of one row, a batch of one.
Tensor asRows(Call &c, const Tensor &x) {
  return x->rank() == 0   ? rearrange(c.b, x, {-1, -1})
         : x->rank() == 1 ? rearrange(c.b, x, {-1, 0})
                          : x;
}

/// The losses of rows, reduced; without the batch where the input has none.
LogicalResult reduceRows(Call &c, const Tensor &losses, const Tensor &x) {
  return reduceLoss(c, x->rank() < 2 ? rearrange(c.b, losses, {}) : losses);
}

/// Of each row, the mean of max(0, margin - x[target] + x[j])^p over all other
/// classes j.
LogicalResult importMultiMargin(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor target, c.tensor("target"));
  TRY(Tensor weight, c.optionalTensor("weight"));
  TRY(double p, c.number("p"));
  TRY(double margin, c.number("margin"));
  Tensor rows = asRows(c, x);
  TRY(target, reshape(b, target, {rows->dims[0], b.sizes.constant(1)}));
  TRY(Tensor own, gatherElements(b, rows, target, 1));
  Expr classes = rows->dims[1];
  SmallVector<Tensor> operands = {rows, own, target};
  if (weight) {
    TRY(Tensor each, gatherAlong(b, weight, target, 0));
    operands.push_back(each);
  }
  TRY(Tensor terms,
      elementwise(b, operands, x->element, [&](Scalar &s, Values v) {
        Value zero = s.like(v[0], 0);
        Value beyond = s.add(s.sub(s.like(v[0], margin), v[1]), v[0]);
        beyond = s.max(beyond, zero);
        if (p == 2)
          beyond = s.mul(beyond, beyond);
        if (weight)
          beyond = s.mul(beyond, v[3]);
        Value count = s.fromIndex(b.index(classes), beyond.getType());
        Value at = s.fromIndex(s.loop(1), v[2].getType());
        return s.select(s.eq(at, v[2]), zero, s.div(beyond, count));
      }));
  TRY(Tensor losses, sumAlong(b, terms, {1}, false, plainSum));
  return reduceRows(c, losses, x);
}

/// Of each row, over the classes t that the target lists before its first -1
/// and all classes j that it does not list, the sum of max(0, 1 - x[t] + x[j])
/// divided by the number of classes; and which classes are listed.
LogicalResult importMultiLabelMargin(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor target, c.tensor("target"));
  Tensor rows = asRows(c, x), labels = asRows(c, target);
  TRY(Tensor ends, elementwise(b, {labels}, i64(b), [](Scalar &s, Values v) {
        Value zero = s.integer(v[0].getType(), 0);
        return s.select(s.lt(v[0], zero), s.like(zero, 1), zero);
      }));
  TRY(ends, cumulate(b, ends, 1, {}));
  // Labels of another row than their own: none.
  TRY(labels, elementwise(b, {labels, ends}, i64(b), [](Scalar &s, Values v) {
        Value isListed = s.eq(v[1], s.like(v[1], 0));
        return s.select(isListed, v[0], s.like(v[0], -1));
      }));
  Tensor listed = rearrange(b, labels, {0, 1, -1});
  Dims dims = {rows->dims[0], labels->dims[1], rows->dims[1]};
  TRY(Tensor hits,
      elementwiseOver(b, dims, {listed}, boolean(b), [](Scalar &s, Values v) {
        Value at = s.fromIndex(s.loop(2), v[0].getType());
        return s.eq(at, v[0]);
      }));
  TRY(Tensor isTarget, extremeAlong(b, hits, {1}, false, true));
  TRY(Tensor safe, elementwise(b, {labels}, i64(b), [](Scalar &s, Values v) {
        return s.max(v[0], s.like(v[0], 0));
      }));
  TRY(Tensor own, gatherElements(b, rows, safe, 1));
  Expr classes = rows->dims[1];
  TRY(Tensor terms,
      elementwise(
          b,
          {rearrange(b, rows, {0, -1, 1}), rearrange(b, own, {0, 1, -1}),
           listed, rearrange(b, isTarget, {0, -1, 1})},
          x->element, [&](Scalar &s, Values v) {
            Value zero = s.like(v[0], 0);
            Value beyond = s.add(s.sub(s.like(v[0], 1), v[1]), v[0]);
            Scalar t(s.builder, s.loc);
            Value counts = s.logicalAnd(
                t.ge(v[2], s.integer(v[2].getType(), 0)), s.logicalNot(v[3]));
            Value count = s.fromIndex(b.index(classes), zero.getType());
            beyond = s.div(s.max(beyond, zero), count);
            return s.select(counts, beyond, zero);
          }));
  TRY(Tensor losses, sumAlong(b, terms, {1, 2}, false, plainSum));
  if (c.isRead(1)) {
    TRY(Tensor flags, convert(b, isTarget, x->element));
    TRY(Dims shape, c.dims(1));
    TRY(flags, reshape(b, flags, shape));
    if (failed(c.set(1, flags)))
      return failure();
  }
  return reduceRows(c, losses, x);
}

} // namespace

void addMarginLossOps(OpTable &t) {
  t.add("aten.cosine_embedding_loss.default", importCosineEmbedding);
  t.add("aten.pairwise_distance.default", importPairDistance);
  t.add("aten.triplet_margin_loss.default", importTriplet);
  t.add("aten.multi_margin_loss.default", importMultiMargin);
  t.add({"aten.multilabel_margin_loss.default",
         "aten.multilabel_margin_loss_forward.default"},
        importMultiLabelMargin);
}

} // namespace tilewright::torch
