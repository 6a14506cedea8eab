// Operators that are a few others.
#include "frontends/torch/Promotion.h"
#include "graph/build/Arrange.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Gather.h"
#include "graph/build/Loss.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Reduction.h"
#include "graph/build/Scan.h"

#include <cmath>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// A function of two tensors in their common type.
template <BinaryFn fn> LogicalResult importBinary(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "other"));
  p.common = floating(c.b, p.common);
  TRY(p.x, convert(c.b, p.x, p.common));
  TRY(p.y, convert(c.b, p.y, p.common));
  return c.done(elementwise(c.b, {p.x, p.y}, p.common, [](Scalar &s, Values v) {
    return fn(s, v[0], v[1]);
  }));
}

Value logAddExp(Scalar &s, Value x, Value y) {
  Value top = s.max(x, y), low = s.min(x, y);
  Value more = s.make<math::Log1pOp>(s.exp(s.sub(low, top)));
  // Of equal infinities, the difference is not a number.
  return s.select(s.eq(x, y), s.add(x, s.like(x, 0.6931471805599453)),
                  s.add(top, more));
}
Value hypotenuse(Scalar &s, Value x, Value y) {
  return s.sqrt(s.add(s.mul(x, x), s.mul(y, y)));
}
Value xLogY(Scalar &s, Value x, Value y) {
  Value zero = s.like(x, 0);
  Value product = s.mul(x, s.log(y));
  product = s.select(s.eq(x, zero), zero, product);
  return s.select(s.ne(y, y), y, product);
}
/// The other one where one is NaN.
Value greaterNumber(Scalar &s, Value x, Value y) {
  return s.select(s.ne(x, x), y, s.select(s.ne(y, y), x, s.max(x, y)));
}
Value lesserNumber(Scalar &s, Value x, Value y) {
  return s.select(s.ne(x, x), y, s.select(s.ne(y, y), x, s.min(x, y)));
}
Value copySign(Scalar &s, Value x, Value y) {
  return s.make<math::CopySignOp>(x, y);
}

LogicalResult importSquare(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  return c.done(arithmetic(c.b, Arithmetic::Multiply, x, x));
}

/// log(x / (1 - x)), of x within eps and 1 - eps.
LogicalResult importLogit(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  std::optional<double> eps;
  if (!c.isNone("eps")) {
    TRY(double value, c.number("eps"));
    eps = value;
  }
  TRY(x, convert(c.b, x, floating(c.b, x->element)));
  return c.done(elementwise(c.b, {x}, x->element, [&](Scalar &s, Values v) {
    Value at = v[0], one = s.like(at, 1);
    if (eps)
      at = s.clamp(at, s.like(at, *eps), s.like(at, 1 - *eps));
    return s.log(s.div(at, s.sub(one, at)));
  }));
}

/// Elements near 0 become 0; those of softshrink move towards it.
template <bool moves> LogicalResult importShrink(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(double bound, c.number("lambd"));
  return c.done(elementwise(c.b, {x}, x->element, [&](Scalar &s, Values v) {
    Value at = v[0], low = s.like(at, -bound), high = s.like(at, bound);
    Value zero = s.like(at, 0);
    Value above = moves ? s.sub(at, high) : at;
    Value below = moves ? s.sub(at, low) : at;
    Value result =
        s.select(s.gt(at, high), above, s.select(s.lt(at, low), below, zero));
    return s.select(s.ne(at, at), at, result);
  }));
}

/// How a loss of each element is reduced: 0 not at all, 1 mean, 2 sum.
LogicalResult reduceLoss(Call &c, const Tensor &losses) {
  TRY(int64_t reduction, c.integer("reduction"));
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < losses->rank(); ++i)
    axes.push_back(i);
  if (reduction == 0)
    return c.set(0, losses);
  if (reduction == 1)
    return c.done(meanAlong(c.b, losses, axes, false));
  return c.done(sumAlong(c.b, losses, axes, false, plainSum));
}

template <BinaryFn fn> LogicalResult importLoss(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "target"));
  TRY(Tensor losses,
      elementwise(c.b, {p.x, p.y}, p.common,
                  [](Scalar &s, Values v) { return fn(s, v[0], v[1]); }));
  return reduceLoss(c, losses);
}
Value squaredDifference(Scalar &s, Value x, Value y) {
  Value difference = s.sub(x, y);
  return s.mul(difference, difference);
}
Value absoluteDifference(Scalar &s, Value x, Value y) {
  return s.abs(s.sub(x, y));
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
  if (x->rank() < 2 || !target->element.isInteger())
    return c.fail("expected a batch and classes as integers");
  if (c.find("label_smoothing")) {
    TRY(double smoothing, c.number("label_smoothing"));
    if (smoothing != 0)
      return c.fail("argument 'label_smoothing' is not supported");
  }
  if (c.isRead(1))
    return c.fail("the total weight is not supported");
  if (ofScores) {
    TRY(x, softmax(c.b, x, 1, /*logarithm=*/true));
  }
  return c.done(likelihoodLoss(c.b, x, target, weight, options));
}

/// x y / max(|x| |y|, eps) along a dimension.
LogicalResult importCosineSimilarity(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("x1"));
  TRY(Tensor y, c.tensor("x2"));
  TRY(double eps, c.number("eps"));
  TRY(Dims dims, broadcastDims(b, ArrayRef<Tensor>{x, y}));
  TRY(int64_t axis, c.axis("dim", dims.size()));
  TRY(x, broadcastTo(b, x, dims));
  TRY(y, broadcastTo(b, y, dims));
  TRY(Tensor products, arithmetic(b, Arithmetic::Multiply, x, y));
  TRY(Tensor dot, sumAlong(b, products, {axis}, false, plainSum));
  TRY(Tensor left, sumAlong(b, x, {axis}, false, squareSumRoot));
  TRY(Tensor right, sumAlong(b, y, {axis}, false, squareSumRoot));
  return c.done(
      elementwise(b, {dot, left, right}, x->element, [&](Scalar &s, Values v) {
        Value least = s.like(v[0], eps);
        return s.div(v[0], s.mul(s.max(v[1], least), s.max(v[2], least)));
      }));
}

LogicalResult importCountNonzero(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  SmallVector<int64_t> axes;
  TRY(axes, c.axes("dim", x->rank()));
  TRY(x, convert(c.b, x, boolean(c.b)));
  TRY(x, convert(c.b, x, i64(c.b)));
  return c.done(sumAlong(c.b, x, axes, false, plainSum));
}

/// Distances of all rows of x[..., M, D] and y[..., N, D].
LogicalResult importDistances(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("x1"));
  TRY(Tensor y, c.tensor("x2"));
  TRY(double p, c.number("p"));
  if (p != 2 && p != 1)
    return c.fail("argument 'p' is not 1 or 2, which is not supported");
  if (failed(expectRank(b, x, 2, "x1")) || failed(expectRank(b, y, 2, "x2")))
    return failure();
  SmallVector<int64_t> left, right;
  for (int64_t i = 0; i < x->rank(); ++i) {
    left.push_back(i);
    if (i == x->rank() - 2)
      left.push_back(-1);
  }
  for (int64_t i = 0; i < y->rank(); ++i) {
    if (i == y->rank() - 2)
      right.push_back(-1);
    right.push_back(i);
  }
  TRY(Tensor differences,
      arithmetic(b, Arithmetic::Subtract, rearrange(b, x, left),
                 rearrange(b, y, right)));
  return c.done(sumAlong(b, differences, {differences->rank() - 1}, false,
                         p == 2 ? squareSumRoot : absoluteSum));
}

/// Columns [N, C * taps, L], or one batch of them, to an image.
LogicalResult importColumns(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  const bool single = x->rank() == 2;
  if (single)
    x = rearrange(b, x, {-1, 0, 1});
  ColumnsToImageOptions options;
  TRY(options.image, c.sizes("output_size"));
  TRY(options.block, c.perDimension("kernel_size", 2));
  TRY(options.dilations, c.perDimension("dilation", 2));
  TRY(options.padLow, c.perDimension("padding", 2));
  TRY(options.strides, c.perDimension("stride", 2));
  options.padHigh = options.padLow;
  TRY(Tensor image, columnsToImage(b, x, options));
  return c.set(0, single ? rearrange(b, image, {1, 2, 3}) : image);
}

/// The elements of `source` in order where the mask holds.
LogicalResult importMaskedScatter(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor mask, c.tensor("mask"));
  TRY(Tensor source, c.tensor("source"));
  TRY(mask, broadcastTo(b, mask, x->dims));
  Expr count = b.sizes.product(x->dims);
  TRY(Tensor flat, reshape(b, mask, {count}));
  TRY(Tensor taken, convert(b, flat, i64(b)));
  CumulateOptions options;
  options.exclusive = true;
  TRY(Tensor position, cumulate(b, taken, 0, options));
  TRY(Tensor list, reshape(b, source, {b.sizes.product(source->dims)}));
  TRY(Tensor values, gatherAlong(b, list, position, 0));
  TRY(Tensor old, reshape(b, x, {count}));
  TRY(Tensor result,
      elementwise(b, {flat, values, old}, x->element, [](Scalar &s, Values v) {
        return s.select(v[0], v[1], v[2]);
      }));
  return c.done(reshape(b, result, x->dims));
}

LogicalResult importExtremes(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  SmallVector<int64_t> axes;
  TRY(axes, c.axes("dim", x->rank()));
  TRY(bool keepDims, c.flag("keepdim"));
  TRY(Tensor low, extremeAlong(c.b, x, axes, keepDims, false));
  TRY(Tensor high, extremeAlong(c.b, x, axes, keepDims, true));
  return failed(c.set(0, low)) ? failure() : c.set(1, high);
}

} // namespace

void addCompositeOps(OpTable &t) {
  t.add("aten.logaddexp.default", importBinary<logAddExp>);
  t.add("aten.hypot.default", importBinary<hypotenuse>);
  t.add("aten.xlogy.Tensor", importBinary<xLogY>);
  t.add("aten.fmax.default", importBinary<greaterNumber>);
  t.add("aten.fmin.default", importBinary<lesserNumber>);
  t.add("aten.copysign.Tensor", importBinary<copySign>);
  t.add("aten.square.default", importSquare);
  t.add("aten.logit.default", importLogit);
  t.add("aten.hardshrink.default", importShrink<false>);
  t.add("aten.softshrink.default", importShrink<true>);
  t.add("aten.mse_loss.default", importLoss<squaredDifference>);
  t.add("aten.l1_loss.default", importLoss<absoluteDifference>);
  t.add({"aten.nll_loss.default", "aten.nll_loss_nd.default",
         "aten.nll_loss2d.default", "aten.nll_loss_forward.default",
         "aten.nll_loss2d_forward.default"},
        importLikelihood<false>);
  t.add("aten.cross_entropy_loss.default", importLikelihood<true>);
  t.add("aten.cosine_similarity.default", importCosineSimilarity);
  t.add({"aten.count_nonzero.default", "aten.count_nonzero.dim_IntList"},
        importCountNonzero);
  t.add({"aten.cdist.default", "aten._cdist_forward.default"}, importDistances);
  t.add("aten.col2im.default", importColumns);
  t.add("aten.masked_scatter.default", importMaskedScatter);
  t.add("aten.aminmax.default", importExtremes);
}

} // namespace tilewright::torch
