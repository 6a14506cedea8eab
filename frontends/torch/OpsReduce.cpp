// Reductions.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Gather.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Reduction.h"
#include "graph/build/Scan.h"
#include "graph/build/Sort.h"

#include <cmath>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// What most reductions have: the input, its dimensions, whether they stay.
struct Reduced {
  Tensor x;
  SmallVector<int64_t> axes;
  bool keepDims = false;
};

FailureOr<Reduced> readReduced(Call &c) {
  Reduced r;
  TRY(r.x, c.tensor("self"));
  TRY(r.axes, c.axes("dim", r.x->rank()));
  if (c.find("keepdim")) {
    TRY(r.keepDims, c.flag("keepdim"));
  }
  return r;
}

/// The type in which a sum is computed: that of the result.
FailureOr<Reduced> readSummed(Call &c) {
  TRY(Reduced r, readReduced(c));
  TRY(Element out, c.resultElement());
  TRY(r.x, convert(c.b, r.x, out));
  return r;
}

LogicalResult importSum(Call &c) {
  TRY(Reduced r, readSummed(c));
  return c.done(sumAlong(c.b, r.x, r.axes, r.keepDims, plainSum));
}

/// Over the dimensions that a tensor of the result's shape would broadcast.
LogicalResult importSumToSize(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Dims dims, c.dims());
  TRY(Element out, c.resultElement());
  TRY(x, convert(c.b, x, out));
  int64_t more = x->rank() - int64_t(dims.size());
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < x->rank(); ++i)
    if (i < more || (isConst(dims[i - more], 1) && !isConst(x->dims[i], 1)))
      axes.push_back(i);
  if (axes.empty())
    return c.set(0, x);
  TRY(Tensor sum, sumAlong(c.b, x, axes, false, plainSum));
  return c.done(reshape(c.b, sum, dims));
}

LogicalResult importMean(Call &c) {
  TRY(Reduced r, readSummed(c));
  return c.done(meanAlong(c.b, r.x, r.axes, r.keepDims));
}

LogicalResult importProduct(Call &c) {
  TRY(Reduced r, readSummed(c));
  return c.done(productAlong(c.b, r.x, r.axes, r.keepDims));
}

template <bool isMax> LogicalResult importExtreme(Call &c) {
  TRY(Reduced r, readReduced(c));
  return c.done(extremeAlong(c.b, r.x, r.axes, r.keepDims, isMax));
}

template <bool isAny> LogicalResult importTruth(Call &c) {
  TRY(Reduced r, readReduced(c));
  TRY(Element out, c.resultElement());
  TRY(r.x, convert(c.b, r.x, boolean(c.b)));
  TRY(Tensor result, extremeAlong(c.b, r.x, r.axes, r.keepDims, isAny));
  return c.done(convert(c.b, result, out));
}

/// The extreme elements along a dimension and where they are.
template <bool isMax> LogicalResult importExtremeAt(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(bool keepDims, c.flag("keepdim"));
  SmallVector<int64_t> axes;
  int64_t axis = 0;
  if (x->rank()) {
    TRY(axis, c.axis("dim", x->rank()));
    axes.push_back(axis);
  }
  TRY(Tensor values, extremeAlong(c.b, x, axes, keepDims, isMax));
  if (failed(c.set(0, values)))
    return failure();
  if (!c.isRead(1))
    return success();
  if (x->rank() == 0)
    return c.set(1, scalarConstant(c.b, i64(c.b), 0));
  return c.done(extremeIndex(c.b, x, axis, {isMax, keepDims, false}), 1);
}

/// Of all elements if there is no dimension.
template <bool isMax> LogicalResult importArgExtreme(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(bool keepDims, c.flag("keepdim"));
  if (x->rank() == 0)
    return c.set(0, scalarConstant(c.b, i64(c.b), 0));
  int64_t axis = 0;
  if (c.isNone("dim")) {
    Expr count = c.b.sizes.product(x->dims);
    int64_t rank = x->rank();
    TRY(x, reshape(c.b, x, {count}));
    TRY(Tensor index, extremeIndex(c.b, x, 0, {isMax, false, false}));
    SmallVector<int64_t> kept(keepDims ? rank : 0, -1);
    return c.set(0, rearrange(c.b, index, kept));
  }
  TRY(axis, c.axis("dim", x->rank()));
  return c.done(extremeIndex(c.b, x, axis, {isMax, keepDims, false}));
}

/// The mean of the squares of x minus its mean, over count - correction.
struct Moments {
  Tensor mean, variance;
};
FailureOr<Moments> momentsOf(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Reduced r, readReduced(c));
  double correction = 1;
  if (c.find("unbiased")) {
    TRY(bool unbiased, c.flag("unbiased"));
    correction = unbiased;
  } else if (!c.isNone("correction")) {
    TRY(correction, c.number("correction"));
  }
  Element out = r.x->element;
  TRY(Tensor average, mean(b, r.x, r.axes));
  Element wide = average->element;
  TRY(Tensor squares,
      elementwise(b, {r.x, average}, wide, [](Scalar &s, Values v) {
        Value difference = s.sub(v[0], v[1]);
        return s.mul(difference, difference);
      }));
  TRY(Tensor sum, reduceSum(b, squares, r.axes, r.keepDims));
  Expr count = b.sizes.constant(1);
  for (int64_t axis : r.axes)
    count = b.sizes.mul(count, r.x->dims[axis]);
  Moments result;
  TRY(result.variance, elementwise(b, {sum}, wide, [&](Scalar &s, Values v) {
        Type type = v[0].getType();
        Value divisor =
            s.sub(countInBody(b, s, count, type), s.constant(type, correction));
        return s.div(v[0], s.max(divisor, s.constant(type, 0)));
      }));
  if (!r.keepDims) {
    SmallVector<int64_t> kept;
    for (int64_t i = 0; i < r.x->rank(); ++i)
      if (!llvm::is_contained(r.axes, i))
        kept.push_back(i);
    average = rearrange(b, average, kept);
  }
  TRY(result.mean, convert(b, average, out));
  return result;
}

template <bool takesRoot, bool withMean> LogicalResult importVariance(Call &c) {
  TRY(Moments m, momentsOf(c));
  TRY(Element out, c.resultElement());
  if (takesRoot) {
    TRY(m.variance, mapElements(c.b, m.variance,
                                [](Scalar &s, Value v) { return s.sqrt(v); }));
  }
  TRY(m.variance, convert(c.b, m.variance, out));
  if (withMean && failed(c.set(1, m.mean)))
    return failure();
  return c.set(0, m.variance);
}

LogicalResult importLogSumExp(Call &c) {
  TRY(Reduced r, readSummed(c));
  return c.done(logSumExpAlong(c.b, r.x, r.axes, r.keepDims));
}

/// (sum of |x|^p)^(1/p).
LogicalResult importNorm(Call &c) {
  TRY(Reduced r, readSummed(c));
  double p = 2;
  for (StringRef name : {"p", "ord"})
    if (!c.isNone(name)) {
      TRY(p, c.number(name));
    }
  return c.done(vectorNorm(c.b, r.x, r.axes, r.keepDims, p));
}

template <bool multiplies> LogicalResult importCumulate(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Element out, c.resultElement());
  TRY(x, convert(c.b, x, out));
  if (x->rank() == 0)
    return c.set(0, x);
  TRY(int64_t axis, c.axis("dim", x->rank()));
  CumulateOptions options;
  options.multiplies = multiplies;
  return c.done(cumulate(c.b, x, axis, options));
}

template <bool isMaximum> LogicalResult importCumulativeExtreme(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  Ordered result;
  if (x->rank() == 0) {
    result = {x, integerTensor(c.b, {c.b.zero()}, {}, i64(c.b))};
  } else {
    TRY(int64_t axis, c.axis("dim", x->rank()));
    TRY(result, cumulativeExtreme(c.b, x, axis, isMaximum));
  }
  return c.setBoth(result.values, result.indices);
}

LogicalResult importLogCumulativeSumExp(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (x->rank() == 0)
    return c.set(0, x);
  TRY(int64_t axis, c.axis("dim", x->rank()));
  return c.done(logCumulativeSumExp(c.b, x, axis));
}

LogicalResult importTopK(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Expr k, c.size("k"));
  TRY(int64_t axis, c.axis("dim", x->rank()));
  TRY(bool largest, c.flag("largest"));
  TRY(Ordered result, topK(c.b, x, axis, k, largest));
  return c.setBoth(result.values, result.indices);
}

/// All elements of the dimension in order.
LogicalResult importSort(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(int64_t axis, c.axis("dim", x->rank()));
  TRY(bool descending, c.flag("descending"));
  bool onlyIndices = StringRef(c.target).starts_with("aten.argsort");
  TRY(Ordered result, sort(c.b, x, axis, descending));
  if (onlyIndices)
    return c.set(0, result.indices);
  return c.setBoth(result.values, result.indices);
}

} // namespace

void addReduceOps(OpTable &t) {
  t.add({"aten.sum.default", "aten.sum.dim_IntList"}, importSum);
  t.add("aten.sum_to_size.default", importSumToSize);
  t.add({"aten.mean.default", "aten.mean.dim"}, importMean);
  t.add({"aten.prod.default", "aten.prod.dim_int"}, importProduct);
  t.add({"aten.amax.default", "aten.max.default"}, importExtreme<true>);
  t.add({"aten.amin.default", "aten.min.default"}, importExtreme<false>);
  t.add({"aten.any.default", "aten.any.dim", "aten.any.dims"},
        importTruth<true>);
  t.add({"aten.all.default", "aten.all.dim", "aten.all.dims"},
        importTruth<false>);
  t.add("aten.max.dim", importExtremeAt<true>);
  t.add("aten.min.dim", importExtremeAt<false>);
  t.add("aten.argmax.default", importArgExtreme<true>);
  t.add("aten.argmin.default", importArgExtreme<false>);
  t.add({"aten.var.default", "aten.var.dim", "aten.var.correction"},
        importVariance<false, false>);
  t.add({"aten.std.default", "aten.std.dim", "aten.std.correction"},
        importVariance<true, false>);
  t.add({"aten.var_mean.default", "aten.var_mean.dim",
         "aten.var_mean.correction"},
        importVariance<false, true>);
  t.add({"aten.std_mean.default", "aten.std_mean.dim",
         "aten.std_mean.correction"},
        importVariance<true, true>);
  t.add("aten.logsumexp.default", importLogSumExp);
  t.add({"aten.norm.Scalar", "aten.norm.ScalarOpt_dim",
         "aten.linalg_vector_norm.default"},
        importNorm);
  t.add("aten.cumsum.default", importCumulate<false>);
  t.add("aten.cumprod.default", importCumulate<true>);
  t.add("aten.topk.default", importTopK);
  t.add({"aten.sort.default", "aten.sort.stable", "aten.argsort.default",
         "aten.argsort.stable"},
        importSort);
  t.add("aten.cummax.default", importCumulativeExtreme<true>);
  t.add("aten.cummin.default", importCumulativeExtreme<false>);
  t.add("aten.logcumsumexp.default", importLogCumulativeSumExp);
}

} // namespace tilewright::torch
