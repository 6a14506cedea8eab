#include "graph/build/Pool.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {
namespace {

/// Loops (n, c, out..., k...).
FailureOr<Tensor> pool(GraphBuilder &b, const Tensor &x, const Window &w,
                       TypedAttr padding, TypedAttr init, BodyFn combine) {
  TRY(Tensor padded, padSpatial(b, x, w, padding));
  SmallVector<Expr> loops = {x->dims[0], x->dims[1]};
  loops.append(w.out.begin(), w.out.end());
  Operand operand{padded, {b.loop(0), b.loop(1)}};
  GenericOptions options;
  options.parallelLoops = loops.size();
  options.init = init;
  for (size_t i = 0; i < w.kernel.size(); ++i) {
    Expr tap = b.loop(loops.size());
    loops.push_back(w.kernel[i]);
    operand.at.push_back(b.loop(i + 2) * w.strides[i] + tap * w.dilations[i]);
  }
  return generic(b, {operand}, loops, accumulatorOf(b, x->element), combine,
                 options);
}

/// The position of the maximum in the input as a flat index.
FailureOr<Tensor> maxPositions(GraphBuilder &b, const Tensor &x,
                               const Tensor &top, const Window &w,
                               bool firstFastest) {
  TypedAttr lowest = constantAttr(b, x->element, -INFINITY);
  TRY(Tensor padded, padSpatial(b, x, w, lowest));
  SmallVector<Expr> loops(top->dims);
  int64_t rank = x->rank(), spatial = w.kernel.size();
  Operand values{padded, {b.loop(0), b.loop(1)}}, best{top, {}};
  for (int64_t i = 0; i < rank; ++i)
    best.at.push_back(b.loop(i));
  for (int64_t i = 0; i < spatial; ++i) {
    values.at.push_back(b.loop(i + 2) * w.strides[i] +
                        b.loop(loops.size()) * w.dilations[i]);
    loops.push_back(w.kernel[i]);
  }
  GenericOptions options;
  options.parallelLoops = rank;
  options.init = b.builder.getI64IntegerAttr(INT64_MAX);
  return generic(
      b, {values, best}, loops, i64(b),
      [&](Scalar &s, Values v) {
        Scalar t(s.builder, s.loc);
        Value inside = s.truth(true);
        SmallVector<Value> at = {s.loop(0), s.loop(1)};
        for (int64_t i = 0; i < spatial; ++i) {
          Value start = s.mul(s.loop(i + 2), s.index(w.strides[i]));
          Value tap = s.mul(s.loop(rank + i), s.index(w.dilations[i]));
          Value position = s.sub(s.add(start, tap), b.index(w.padLow[i]));
          inside = s.logicalAnd(inside, t.ge(position, s.index(0)));
          inside =
              s.logicalAnd(inside, t.lt(position, b.index(x->dims[i + 2])));
          at.push_back(position);
        }
        Value flat = s.add(s.mul(at[0], b.index(x->dims[1])), at[1]);
        for (int64_t i = 0; i < spatial; ++i) {
          int64_t d = firstFastest ? spatial - 1 - i : i;
          flat = s.add(s.mul(flat, b.index(x->dims[d + 2])), at[d + 2]);
        }
        Value number = s.make<arith::IndexCastOp>(s.builder.getI64Type(), flat);
        Value hit = s.logicalAnd(inside, s.eq(v[0], v[1]));
        return s.select(hit, t.min(v[2], number), v[2]);
      },
      options);
}

/// How many taps of the window at `out` read the input (or its padding, if
/// that counts; what is read beyond it never does).
Value tapCount(GraphBuilder &b, Scalar &s, const Window &w, int64_t i, Expr in,
               bool padsCount) {
  Scalar t(s.builder, s.loc);
  Value start =
      s.sub(s.mul(s.loop(i + 2), s.index(w.strides[i])), b.index(w.padLow[i]));
  Value low = padsCount ? t.neg(b.index(w.padLow[i])) : s.index(0);
  Value high =
      padsCount ? b.index(b.sizes.add(in, w.padHighGiven[i])) : b.index(in);
  Value dilation = s.index(w.dilations[i]);
  Value first = t.max(s.index(0),
                      s.make<arith::CeilDivSIOp>(s.sub(low, start), dilation));
  Value end = t.min(s.index(w.taps(i)),
                    s.make<arith::CeilDivSIOp>(s.sub(high, start), dilation));
  return s.sub(end, first);
}

Value powered(Scalar &s, Value v, double p) {
  Value a = s.abs(v);
  if (p == 1)
    return a;
  if (p == 2)
    return s.mul(v, v);
  return s.make<math::PowFOp>(a, s.like(a, p));
}

Value rooted(Scalar &s, Value v, double p) {
  if (p == 1)
    return v;
  if (p == 2)
    return s.sqrt(v);
  return s.make<math::PowFOp>(v, s.like(v, 1 / p));
}

} // namespace

FailureOr<MaxPool> maxPool(GraphBuilder &b, const Tensor &x, const Window &w,
                           const MaxPoolOptions &options) {
  MaxPool result;
  Element wide = accumulatorOf(b, x->element);
  TRY(Tensor top, pool(b, x, w, constantAttr(b, x->element, -INFINITY),
                       constantAttr(b, wide, -INFINITY),
                       [](Scalar &s, Values v) { return s.max(v[1], v[0]); }));
  if (options.wantsPositions) {
    TRY(result.positions, maxPositions(b, x, top, w, options.firstFastest));
  }
  TRY(result.values, convert(b, top, x->element));
  return result;
}

FailureOr<Tensor> averagePool(GraphBuilder &b, const Tensor &x, const Window &w,
                              bool countsPadding) {
  Element wide = accumulatorOf(b, x->element);
  TRY(Tensor sum, pool(b, x, w, zeroOf(b, x->element), zeroOf(b, wide),
                       [](Scalar &s, Values v) { return s.add(v[1], v[0]); }));
  auto none = [](Expr e) { return isConst(e, 0); };
  bool padded = !llvm::all_of(w.padLow, none) || !llvm::all_of(w.padHigh, none);
  double taps = 1;
  for (size_t i = 0; i < w.kernel.size(); ++i)
    taps *= double(w.taps(i));
  bool allCount =
      !padded || (countsPadding && w.rounding == WindowRounding::Down);
  return elementwise(b, {sum}, x->element, [&](Scalar &s, Values v) {
    if (allCount)
      return s.div(v[0], s.like(v[0], taps));
    Value count = s.index(1);
    for (size_t i = 0; i < w.kernel.size(); ++i)
      count = s.mul(count, tapCount(b, s, w, i, x->dims[i + 2], countsPadding));
    return s.div(v[0], s.fromIndex(count, v[0].getType()));
  });
}

FailureOr<Tensor> normPool(GraphBuilder &b, const Tensor &x, const Window &w,
                           double p) {
  Element wide = accumulatorOf(b, x->element);
  TRY(Tensor sum, pool(b, x, w, zeroOf(b, x->element), zeroOf(b, wide),
                       [&](Scalar &s, Values v) {
                         return s.add(v[1], powered(s, v[0], p));
                       }));
  return elementwise(b, {sum}, x->element,
                     [&](Scalar &s, Values v) { return rooted(s, v[0], p); });
}

FailureOr<Tensor> globalAveragePool(GraphBuilder &b, const Tensor &x) {
  if (failed(expectRank(b, x, 3, "the input")))
    return failure();
  TRY(Tensor average, mean(b, x, axesFrom(2, x->rank())));
  return convert(b, average, x->element);
}

FailureOr<Tensor> globalMaxPool(GraphBuilder &b, const Tensor &x) {
  if (failed(expectRank(b, x, 3, "the input")))
    return failure();
  TRY(Tensor top, reduceMax(b, x, axesFrom(2, x->rank()), true));
  return convert(b, top, x->element);
}

FailureOr<Tensor> globalNormPool(GraphBuilder &b, const Tensor &x, double p) {
  if (failed(expectRank(b, x, 3, "the input")))
    return failure();
  Element wide = accumulatorOf(b, x->element);
  TRY(Tensor sum, reduce(b, x, axesFrom(2, x->rank()), true, wide,
                         zeroOf(b, wide), [&](Scalar &s, Values v) {
                           return s.add(v[1], powered(s, v[0], p));
                         }));
  return elementwise(b, {sum}, x->element,
                     [&](Scalar &s, Values v) { return rooted(s, v[0], p); });
}

FailureOr<Tensor> localResponseNorm(GraphBuilder &b, const Tensor &x,
                                    const LocalResponseOptions &o) {
  SmallVector<Expr> low(x->rank(), b.zero()), high = low;
  low[1] = b.sizes.constant((o.size - 1) / 2);
  high[1] = b.sizes.constant(o.size / 2);
  TRY(Tensor padded, pad(b, x, low, high, zeroOf(b, x->element)));
  SmallVector<Expr> loops(x->dims);
  Operand operand{padded, {}};
  for (int64_t i = 0; i < x->rank(); ++i)
    operand.at.push_back(i == 1 ? b.loop(1) + b.loop(x->rank()) : b.loop(i));
  loops.push_back(b.sizes.constant(o.size));
  Element wide = accumulatorOf(b, x->element);
  GenericOptions options;
  options.parallelLoops = x->rank();
  options.init = zeroOf(b, wide);
  auto body = [](Scalar &s, Values v) {
    return s.add(v[1], s.mul(v[0], v[0]));
  };
  TRY(Tensor sum, generic(b, {operand}, loops, wide, body, options));
  return elementwise(b, {x, sum}, x->element, [&](Scalar &s, Values v) {
    Value base = s.add(s.mul(v[1], s.like(v[1], o.alpha / double(o.size))),
                       s.like(v[1], o.bias));
    return s.div(v[0], s.make<math::PowFOp>(base, s.like(base, o.beta)));
  });
}

} // namespace tilewright::build
