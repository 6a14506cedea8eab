// Operators that are a few others.
#include "frontends/torch/Promotion.h"
#include "graph/build/Arrange.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Gather.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Reduction.h"
#include "graph/build/Scan.h"

#include <cmath>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// A function of two tensors in their common type.
template <BinaryFn fn, bool ofFloats = true>
LogicalResult importBinary(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "other"));
  if (ofFloats)
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
/// x times a logarithm of y: 0 where x is, but NaN where y is.
Value timesLogarithm(Scalar &s, Value x, Value y, Value logarithm) {
  Value zero = s.like(x, 0);
  Value product = s.mul(x, logarithm);
  product = s.select(s.eq(x, zero), zero, product);
  return s.select(s.ne(y, y), y, product);
}
Value xLogY(Scalar &s, Value x, Value y) {
  return timesLogarithm(s, x, y, s.log(y));
}
Value xLog1pY(Scalar &s, Value x, Value y) {
  return timesLogarithm(s, x, y, s.make<math::Log1pOp>(y));
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
  TRY(Element out, c.resultElement());
  TRY(x, convert(c.b, x, out));
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
  Element out = x->element, sum = accumulatorOf(b, out);
  TRY(x, convert(b, x, sum));
  TRY(y, convert(b, y, sum));
  TRY(Tensor products, arithmetic(b, Arithmetic::Multiply, x, y));
  TRY(Tensor dot, sumAlong(b, products, {axis}, false, plainSum));
  TRY(Tensor left, sumAlong(b, x, {axis}, false, squareSumRoot));
  TRY(Tensor right, sumAlong(b, y, {axis}, false, squareSumRoot));
  TRY(Tensor result,
      elementwise(b, {dot, left, right}, sum, [&](Scalar &s, Values v) {
        Value least = s.like(v[0], eps);
        return s.div(v[0], s.mul(s.max(v[1], least), s.max(v[2], least)));
      }));
  return c.done(convert(b, result, out));
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
  return c.done(
      vectorNorm(b, differences, {differences->rank() - 1}, false, p));
}

/// Distances of all pairs of rows i < j, of which there is a static number.
LogicalResult importPairs(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(double p, c.number("p"));
  auto rows = x->rank() == 2 ? constantOf(x->dims[0]) : std::nullopt;
  if (!rows || *rows > 1024)
    return c.fail("expected a matrix with a static number of rows, at most "
                  "1024");
  SmallVector<int64_t> first, second;
  for (int64_t i = 0; i < *rows; ++i)
    for (int64_t j = i + 1; j < *rows; ++j) {
      first.push_back(i);
      second.push_back(j);
    }
  Dims dims = {b.sizes.constant(first.size())};
  auto rowsAt = [&](ArrayRef<int64_t> at) {
    return gatherAlong(b, x,
                       integerTensor(b, exprsOf(b.sizes, at), dims, i64(b)), 0);
  };
  TRY(Tensor left, rowsAt(first));
  TRY(Tensor right, rowsAt(second));
  TRY(Tensor differences, arithmetic(b, Arithmetic::Subtract, left, right));
  return c.done(vectorNorm(b, differences, {1}, false, p));
}

/// The norm of x - y.
LogicalResult importDistance(Call &c) {
  TRY(Pair pair, promotedPair(c, "self", "other"));
  TRY(double p, c.number("p"));
  TRY(Tensor difference, arithmetic(c.b, Arithmetic::Subtract, pair.x, pair.y));
  return c.done(
      vectorNorm(c.b, difference, axesFrom(0, difference->rank()), false, p));
}

/// Parts along a dimension, scaled down to a norm of at most `maxnorm`.
LogicalResult importRenorm(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(double p, c.number("p"));
  TRY(double most, c.number("maxnorm"));
  TRY(int64_t axis, c.axis("dim", x->rank()));
  SmallVector<int64_t> axes = axesFrom(0, x->rank());
  axes.erase(axes.begin() + axis);
  // As PyTorch, in f32 where the type is narrower.
  TRY(Tensor wide, convert(b, x, accumulatorOf(b, x->element)));
  TRY(Tensor norms, vectorNorm(b, wide, axes, true, p));
  return c.done(
      elementwise(b, {x, norms}, x->element, [&](Scalar &s, Values v) {
        Value bound = s.like(v[1], most);
        Value factor = s.div(bound, s.add(v[1], s.like(v[1], 1e-7)));
        factor = s.select(s.gt(v[1], bound), factor, s.like(v[1], 1));
        return s.mul(v[0], s.convert(factor, v[0].getType()));
      }));
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
  t.add({"aten.xlogy.Tensor", "aten.xlogy.Scalar_Self",
         "aten.xlogy.Scalar_Other"},
        importBinary<xLogY>);
  t.add({"aten.special_xlog1py.default", "aten.special_xlog1py.self_scalar",
         "aten.special_xlog1py.other_scalar"},
        importBinary<xLog1pY>);
  t.add("aten.fmax.default", importBinary<greaterNumber, false>);
  t.add("aten.fmin.default", importBinary<lesserNumber, false>);
  t.add({"aten.copysign.Tensor", "aten.copysign.Scalar"},
        importBinary<copySign>);
  t.add("aten.square.default", importSquare);
  t.add("aten.logit.default", importLogit);
  t.add("aten.hardshrink.default", importShrink<false>);
  t.add("aten.softshrink.default", importShrink<true>);
  t.add("aten.cosine_similarity.default", importCosineSimilarity);
  t.add({"aten.count_nonzero.default", "aten.count_nonzero.dim_IntList"},
        importCountNonzero);
  t.add({"aten.cdist.default", "aten._cdist_forward.default"}, importDistances);
  t.add({"aten.pdist.default", "aten._pdist_forward.default"}, importPairs);
  t.add("aten.dist.default", importDistance);
  t.add("aten.renorm.default", importRenorm);
  t.add("aten.col2im.default", importColumns);
  t.add("aten.masked_scatter.default", importMaskedScatter);
  t.add("aten.aminmax.default", importExtremes);
}

} // namespace tilewright::torch
