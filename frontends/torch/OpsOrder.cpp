// What needs elements in order: medians, quantiles, modes, searches.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Gather.h"
#include "graph/build/Generic.h"
#include "graph/build/Logic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Reduction.h"
#include "graph/build/Scan.h"
#include "graph/build/Shape.h"
#include "graph/build/Sort.h"
#include "graph/build/TensorValues.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

/// The input, and the dimension along which its elements are put in order: of
/// a tensor without dimensions, or without the argument, all of them.
struct Line {
  Tensor x;
  int64_t axis = 0;
  bool isWhole = false;
};

FailureOr<Line> readLine(Call &c) {
  Line line;
  TRY(line.x, c.tensor("self"));
  line.isWhole = c.isNone("dim") || line.x->rank() == 0;
  if (line.isWhole) {
    TRY(line.x, reshape(c.b, line.x, {c.b.sizes.product(line.x->dims)}));
  } else {
    TRY(line.axis, c.axis("dim", line.x->rank()));
  }
  return line;
}

/// How many elements along an axis are numbers, with the axis.
FailureOr<Tensor> countNumbers(GraphBuilder &b, const Tensor &x, int64_t axis) {
  TRY(Tensor isNumber, elementwise(b, {x}, i64(b), [](Scalar &s, Values v) {
        Type type = s.builder.getI64Type();
        return s.select(s.eq(v[0], v[0]), s.integer(type, 1),
                        s.integer(type, 0));
      }));
  return sumAlong(b, isNumber, {axis}, true, plainSum);
}

/// Sets the results to the elements of this rank along the axis.
LogicalResult takeRank(Call &c, const Line &line, const Ordered &ordered,
                       const Tensor &rank) {
  TRY(Tensor values, gatherElements(c.b, ordered.values, rank, line.axis));
  TRY(Tensor indices, gatherElements(c.b, ordered.indices, rank, line.axis));
  bool keepDims = false;
  if (c.find("keepdim")) {
    TRY(keepDims, c.flag("keepdim"));
  }
  if (line.isWhole || !keepDims) {
    TRY(values, squeeze(c.b, values, {line.axis}));
    TRY(indices, squeeze(c.b, indices, {line.axis}));
  }
  return c.setBoth(values, indices);
}

/// The lower one of the elements in the middle; NaN, if there is one, or of
/// numbers only.
template <bool ignoresNaN> LogicalResult importMedian(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Line line, readLine(c));
  TRY(Ordered ordered, sort(b, line.x, line.axis, false));
  TRY(Tensor count, countNumbers(b, line.x, line.axis));
  Expr size = line.x->dims[line.axis];
  TRY(Tensor rank, elementwise(b, {count}, i64(b), [&](Scalar &s, Values v) {
        Type type = v[0].getType();
        Value all = s.fromIndex(b.index(size), type);
        Value one = s.integer(type, 1), two = s.integer(type, 2);
        Scalar t(s.builder, s.loc);
        Value middle = s.div(t.max(s.sub(v[0], one), s.integer(type, 0)), two);
        // The first NaN is behind the numbers.
        return ignoresNaN ? middle : s.select(s.eq(v[0], all), middle, v[0]);
      }));
  return takeRank(c, line, ordered, rank);
}

LogicalResult importKthValue(Call &c) {
  TRY(Line line, readLine(c));
  TRY(Expr k, c.size("k"));
  TRY(Ordered ordered, sort(c.b, line.x, line.axis, false));
  Tensor rank = integerTensor(c.b, {c.b.sizes.add(k, -1)}, {}, i64(c.b));
  Dims dims = line.x->dims;
  dims[line.axis] = c.b.sizes.constant(1);
  TRY(rank, broadcastTo(c.b, rank, dims));
  return takeRank(c, line, ordered, rank);
}

/// The least one of the most frequent elements. In order, the length of a run
/// of equal elements up to each one follows from where it begins.
LogicalResult importMode(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Line line, readLine(c));
  TRY(Ordered ordered, sort(b, line.x, line.axis, false));
  Tensor x = ordered.values;
  denseValue(b, x);
  TRY(Tensor begins, gather(b, {}, x->dims, i64(b), [&](Scalar &s, Values) {
        SmallVector<Value> at, before;
        for (int64_t i = 0; i < x->rank(); ++i)
          at.push_back(s.loop(i));
        before = at;
        Scalar t(s.builder, s.loc);
        before[line.axis] = t.max(s.sub(at[line.axis], s.index(1)), s.index(0));
        Value same =
            s.eq(extractElement(b, s, x, at), extractElement(b, s, x, before));
        Value own = s.fromIndex(at[line.axis], s.builder.getI64Type());
        return s.select(same, s.integer(own.getType(), 0), own);
      }));
  TRY(Ordered starts, cumulativeExtreme(b, begins, line.axis, true));
  TRY(Tensor lengths,
      elementwise(b, {starts.values}, i64(b), [&](Scalar &s, Values v) {
        Value own = s.fromIndex(s.loop(line.axis), v[0].getType());
        return s.sub(own, v[0]);
      }));
  TRY(Tensor rank, extremeIndex(b, lengths, line.axis, {true, true, false}));
  return takeRank(c, line, ordered, rank);
}

/// The number of the element that a quantile is, between two of them.
Value quantileRank(Scalar &s, Value rank, StringRef interpolation) {
  if (interpolation == "lower")
    return s.floor(rank);
  if (interpolation == "higher")
    return s.make<math::CeilOp>(rank);
  if (interpolation == "nearest")
    return s.make<math::RoundEvenOp>(rank);
  return rank;
}

/// Between the elements below and above q of the way, or one of them.
template <bool ignoresNaN> LogicalResult importQuantile(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Line line, readLine(c));
  TRY(Term q, termOf(c, "q"));
  TRY(std::string mode, c.text("interpolation"));
  TRY(bool keepDims, c.flag("keepdim"));
  int64_t last = line.x->rank() - 1;
  SmallVector<int64_t> order;
  for (int64_t i = 0; i <= last; ++i)
    if (i != line.axis)
      order.push_back(i);
  order.push_back(line.axis);
  TRY(Tensor x, transpose(b, line.x, order));
  Element type = x->element;
  TRY(Ordered ordered, sort(b, x, last, false));
  TRY(Tensor count, countNumbers(b, x, last));
  TRY(Tensor at, convert(b, q.tensor, type));
  Expr size = x->dims[last];
  TRY(Tensor ranks, elementwise(b, {at, count}, type, [&](Scalar &s, Values v) {
        Type real = v[0].getType();
        Value most = s.sub(s.convert(v[1], real), s.like(v[0], 1));
        Value rank = s.max(s.mul(v[0], most), s.like(v[0], 0));
        if (!ignoresNaN) {
          Value all = s.fromIndex(b.index(size), v[1].getType());
          Value behind = s.sub(s.convert(all, real), s.like(v[0], 1));
          rank = s.select(s.eq(v[1], all), rank, behind);
        }
        return quantileRank(s, rank, mode);
      }));
  auto elementsAt = [&](bool above) -> FailureOr<Tensor> {
    TRY(Tensor index, elementwise(b, {ranks}, i64(b), [&](Scalar &s, Values v) {
          Value whole = above ? s.make<math::CeilOp>(v[0]) : s.floor(v[0]);
          return s.convert(whole, s.builder.getI64Type());
        }));
    return gatherElements(b, ordered.values, index, last);
  };
  TRY(Tensor low, elementsAt(false));
  TRY(Tensor high, elementsAt(true));
  TRY(Tensor result,
      elementwise(b, {low, high, ranks}, type, [&](Scalar &s, Values v) {
        Value weight = s.sub(v[2], s.floor(v[2]));
        if (mode == "midpoint")
          weight = s.select(s.gt(weight, s.like(weight, 0)),
                            s.like(weight, 0.5), weight);
        Value difference = s.sub(v[1], v[0]);
        Value rest = s.sub(s.like(weight, 1), weight);
        Value below = s.add(v[0], s.mul(weight, difference));
        Value above = s.sub(v[1], s.mul(difference, rest));
        Value isLow = s.lt(weight, s.like(weight, 0.5));
        return s.select(s.eq(v[0], v[1]), v[0], s.select(isLow, below, above));
      }));
  // The quantiles come first, if there are several.
  SmallVector<int64_t> kept;
  if (q.tensor->rank() == 1)
    kept.push_back(last);
  for (int64_t i = 0, next = 0; i <= last; ++i)
    if (i != line.axis)
      kept.push_back(next++);
    else if (keepDims && !line.isWhole)
      kept.push_back(-1);
  if (line.isWhole && keepDims) {
    TRY(Dims dims, c.dims());
    kept.append(dims.size() - kept.size(), -1);
  }
  if (q.tensor->rank() != 1)
    return c.set(0, rearrange(b, result, kept));
  TRY(result, transpose(b, result, axisFirst(last, result->rank())));
  for (int64_t &each : kept)
    each = each < 0 ? each : each == last ? 0 : each + 1;
  return c.set(0, rearrange(b, result, kept));
}

/// Steps of a binary search among this many elements.
int64_t stepsFor(Expr size) {
  auto count = constantOf(size);
  return count ? llvm::Log2_64_Ceil(*count + 1) : 40;
}

/// How many elements of each sorted row are below a value, or not above it.
FailureOr<Tensor> search(Call &c, const Tensor &sorted, const Tensor &values,
                         bool right) {
  GraphBuilder &b = c.b;
  int64_t last = sorted->rank() - 1;
  Expr size = sorted->dims[last];
  TRY(Element out, c.resultElement());
  Operand own{values, {}};
  for (int64_t i = 0; i < values->rank(); ++i)
    own.at.push_back(b.loop(i));
  denseValue(b, sorted);
  return gather(b, {own}, values->dims, out, [&](Scalar &s, Values v) {
    // Where elements are compared by their signedness, indices are signed.
    Scalar t(s.builder, s.loc);
    Value low = s.index(0), high = b.index(size), one = s.index(1);
    Scalar typed(s.builder, s.loc, sorted->element.isUnsigned);
    for (int64_t i = 0, steps = isConst(size, 0) ? 0 : stepsFor(size);
         i < steps; ++i) {
      Value middle = t.div(t.add(low, high), s.index(2));
      SmallVector<Value> at;
      for (int64_t k = 0; k < last; ++k)
        at.push_back(s.loop(k));
      at.push_back(boundedIndex(b, s, middle, size, false));
      Value element = extractElement(b, s, sorted, at);
      Value isBelow = s.logicalNot(right ? typed.gt(element, v[0])
                                         : typed.ge(element, v[0]));
      Value isOpen = t.lt(low, high);
      Value next = s.select(isBelow, t.add(middle, one), low);
      high = s.select(isBelow, high, s.select(isOpen, middle, high));
      low = s.select(isOpen, next, low);
    }
    return s.fromIndex(low, out.type);
  });
}

template <bool isBucketize> LogicalResult importSearch(Call &c) {
  TRY(Term sequence, termOf(c, isBucketize ? "boundaries" : "sorted_sequence"));
  TRY(Term values, termOf(c, "self"));
  TRY(bool right, c.flag("right"));
  if (!c.isNone("side")) {
    TRY(std::string side, c.text("side"));
    right |= side == "right";
  }
  Tensor sorted = sequence.tensor, x = values.tensor;
  if (!c.isNone("sorter")) {
    TRY(Tensor order, c.tensor("sorter"));
    TRY(sorted, gatherElements(c.b, sorted, order, sorted->rank() - 1));
  }
  Element common = promoteTypes(c.b, sorted->element,
                                values.isNumber ? sorted->element : x->element);
  TRY(sorted, convert(c.b, sorted, common));
  TRY(x, convert(c.b, x, common));
  if (sorted->rank() != 1 && sorted->rank() != x->rank())
    return c.fail("expected sorted rows for each row of the values");
  if (sorted->rank() == 1 && x->rank() != 1) {
    // One row for all values.
    Dims dims = x->dims;
    TRY(x, reshape(c.b, x, {c.b.sizes.product(dims)}));
    TRY(Tensor found, search(c, sorted, x, right));
    return c.done(reshape(c.b, found, dims));
  }
  return c.done(search(c, sorted, x, right));
}

/// Along the first dimension.
LogicalResult importFirstSort(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (x->rank() == 0)
    return c.set(0, x);
  TRY(Ordered result, sort(c.b, x, 0, false));
  return c.set(0, result.values);
}

} // namespace

void addOrderOps(OpTable &t) {
  t.add({"aten.median.default", "aten.median.dim"}, importMedian<false>);
  t.add({"aten.nanmedian.default", "aten.nanmedian.dim"}, importMedian<true>);
  t.add("aten.kthvalue.default", importKthValue);
  t.add("aten.mode.default", importMode);
  t.add({"aten.quantile.default", "aten.quantile.scalar"},
        importQuantile<false>);
  t.add({"aten.nanquantile.default", "aten.nanquantile.scalar"},
        importQuantile<true>);
  t.add({"aten.searchsorted.Tensor", "aten.searchsorted.Scalar"},
        importSearch<false>);
  t.add({"aten.bucketize.Tensor", "aten.bucketize.Scalar"}, importSearch<true>);
  t.add("aten.msort.default", importFirstSort);
}

} // namespace tilewright::torch
