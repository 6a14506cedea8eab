#include "graph/build/Reduce.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {
namespace {

Value square(Scalar &s, Value v) { return s.mul(v, v); }
Value root(Scalar &s, Value v) {
  if (isa<FloatType>(v.getType()))
    return s.sqrt(v);
  return s.convert(s.sqrt(s.convert(v, s.builder.getF64Type())), v.getType());
}
Value logarithm(Scalar &s, Value v) {
  if (isa<FloatType>(v.getType()))
    return s.log(v);
  return s.convert(s.log(s.convert(v, s.builder.getF64Type())), v.getType());
}

Value applied(UnaryFn fn, Scalar &s, Value v) { return fn ? fn(s, v) : v; }

/// log(sum of exp(x)) of integers, rounded to zero as a cast does: the greatest
/// x, and the logarithm of the sum of exp(x - greatest), at least 0, in f64.
FailureOr<Tensor> integerLogSumExp(GraphBuilder &b, const Tensor &x,
                                   ArrayRef<int64_t> axes) {
  Element wide{b.builder.getF64Type()};
  TRY(Tensor top, reduceMax(b, x, axes, true));
  TRY(Tensor powers, elementwise(b, {x, top}, wide, [](Scalar &s, Values v) {
        // A distance may need the sign's bit.
        Scalar t(s.builder, s.loc, /*isUnsigned=*/true);
        Value below = t.convert(s.sub(v[1], v[0]), s.builder.getF64Type());
        return s.exp(s.neg(below));
      }));
  TRY(Tensor sum, reduceSum(b, powers, axes, true));
  return elementwise(b, {top, sum}, x->element, [&](Scalar &s, Values v) {
    Type type = v[0].getType();
    // Nothing has the least integer.
    Value more = s.max(s.log(v[1]), s.like(v[1], 0)), whole = s.floor(more);
    Value result = s.add(v[0], s.convert(whole, type));
    if (s.isUnsigned)
      return result;
    // Below 0, rounding to zero is rounding up.
    Value isBetween =
        s.logicalAnd(s.lt(result, s.integer(type, 0)), s.gt(more, whole));
    return s.select(isBetween, s.add(result, s.integer(type, 1)), result);
  });
}

FailureOr<Tensor> floatLogSumExp(GraphBuilder &b, const Tensor &x,
                                 ArrayRef<int64_t> axes) {
  TRY(Tensor top, reduceMax(b, x, axes, true));
  Element wide = top->element;
  // Infinite maxima would lead to infinity minus infinity.
  TRY(Tensor base, elementwise(b, {top}, wide, [](Scalar &s, Values v) {
        Value finite = s.lt(s.abs(v[0]), s.like(v[0], INFINITY));
        return s.select(finite, v[0], s.like(v[0], 0));
      }));
  TRY(Tensor powers, elementwise(b, {x, base}, wide, [](Scalar &s, Values v) {
        return s.exp(s.sub(v[0], v[1]));
      }));
  TRY(Tensor sum, reduceSum(b, powers, axes, true));
  return elementwise(b, {sum, base}, x->element, [](Scalar &s, Values v) {
    return s.add(s.log(v[0]), v[1]);
  });
}

} // namespace

const SumForm plainSum = {};
const SumForm absoluteSum = {absolute, nullptr};
const SumForm squareSum = {square, nullptr};
const SumForm squareSumRoot = {square, root};
const SumForm sumLogarithm = {nullptr, logarithm};

FailureOr<Tensor> applyForm(GraphBuilder &b, const Tensor &x,
                            const SumForm &form) {
  return elementwise(b, {x}, x->element, [&](Scalar &s, Values v) {
    return applied(form.after, s, applied(form.before, s, v[0]));
  });
}

FailureOr<Tensor> sumAlong(GraphBuilder &b, const Tensor &x,
                           ArrayRef<int64_t> axes, bool keepDims,
                           const SumForm &form) {
  Element wide = accumulatorOf(b, x->element);
  auto addNext = [&](Scalar &s, Values v) {
    return s.add(v[1], applied(form.before, s, v[0]));
  };
  TRY(Tensor sum, reduce(b, x, axes, keepDims, wide, zeroOf(b, wide), addNext));
  if (!form.after)
    return convert(b, sum, x->element);
  return elementwise(b, {sum}, x->element,
                     [&](Scalar &s, Values v) { return form.after(s, v[0]); });
}

FailureOr<Tensor> meanAlong(GraphBuilder &b, const Tensor &x,
                            ArrayRef<int64_t> axes, bool keepDims) {
  TRY(Tensor sum, reduceSum(b, x, axes, keepDims));
  Expr count = b.sizes.constant(1);
  for (int64_t axis : axes)
    count = b.sizes.mul(count, x->dims[axis]);
  return elementwise(b, {sum}, x->element, [&](Scalar &s, Values v) {
    return s.div(v[0], countInBody(b, s, count, v[0].getType()));
  });
}

FailureOr<Tensor> productAlong(GraphBuilder &b, const Tensor &x,
                               ArrayRef<int64_t> axes, bool keepDims) {
  if (axes.size() == size_t(x->rank()) && x->content && !x->constant) {
    Tensor product =
        integerTensor(b, {b.sizes.product(*x->content)}, {}, x->element);
    SmallVector<int64_t> kept(keepDims ? x->rank() : 0, -1);
    return rearrange(b, product, kept);
  }
  Element wide = accumulatorOf(b, x->element);
  TRY(Tensor product,
      reduce(b, x, axes, keepDims, wide, constantAttr(b, wide, 1),
             [](Scalar &s, Values v) { return s.mul(v[1], v[0]); }));
  return convert(b, product, x->element);
}

FailureOr<Tensor> extremeAlong(GraphBuilder &b, const Tensor &x,
                               ArrayRef<int64_t> axes, bool keepDims,
                               bool isMax) {
  Element wide = accumulatorOf(b, x->element);
  auto combine = [&](Scalar &s, Values v) {
    if (v[0].getType().isInteger(1))
      return isMax ? s.logicalOr(v[1], v[0]) : s.logicalAnd(v[1], v[0]);
    return isMax ? s.max(v[1], v[0]) : s.min(v[1], v[0]);
  };
  TypedAttr init = constantAttr(b, wide, isMax ? -INFINITY : INFINITY);
  if (wide.isBool())
    init = b.builder.getBoolAttr(!isMax);
  TRY(Tensor result, reduce(b, x, axes, keepDims, wide, init, combine));
  return convert(b, result, x->element);
}

FailureOr<Tensor> vectorNorm(GraphBuilder &b, const Tensor &x,
                             ArrayRef<int64_t> axes, bool keepDims, double p) {
  if (p == 2)
    return sumAlong(b, x, axes, keepDims, squareSumRoot);
  if (p == 1)
    return sumAlong(b, x, axes, keepDims, absoluteSum);
  if (std::isinf(p)) {
    TRY(Tensor magnitude, mapElements(b, x, absolute));
    return extremeAlong(b, magnitude, axes, keepDims, p > 0);
  }
  TRY(Tensor powers,
      elementwise(
          b, {x}, accumulatorOf(b, x->element), [&](Scalar &s, Values v) {
            Value magnitude = s.abs(v[0]), zero = s.like(v[0], 0);
            if (p == 0)
              return s.select(s.ne(magnitude, zero), s.like(v[0], 1), zero);
            return s.make<math::PowFOp>(magnitude, s.like(v[0], p));
          }));
  TRY(Tensor sum, reduceSum(b, powers, axes, keepDims));
  return elementwise(b, {sum}, x->element, [&](Scalar &s, Values v) {
    return p == 0 ? v[0] : s.make<math::PowFOp>(v[0], s.like(v[0], 1 / p));
  });
}

FailureOr<Tensor> logSumExpAlong(GraphBuilder &b, const Tensor &x,
                                 ArrayRef<int64_t> axes, bool keepDims) {
  TRY(Tensor result, x->element.isFloat() ? floatLogSumExp(b, x, axes)
                                          : integerLogSumExp(b, x, axes));
  if (keepDims)
    return result;
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < x->rank(); ++i)
    if (!llvm::is_contained(axes, i))
      kept.push_back(i);
  return rearrange(b, result, kept);
}

/// The index of the extreme element: first its value, then the least (or
/// greatest) index that has it.
FailureOr<Tensor> extremeIndex(GraphBuilder &b, const Tensor &x, int64_t axis,
                               const ExtremeIndexOptions &how) {
  const bool last = how.takesLast;
  Element wide = accumulatorOf(b, x->element);
  auto better = [&](Scalar &s, Values v) {
    return how.isMax ? s.max(v[1], v[0]) : s.min(v[1], v[0]);
  };
  TRY(Tensor best,
      reduce(b, x, {axis}, true, wide,
             constantAttr(b, wide, how.isMax ? -INFINITY : INFINITY), better));
  Operand values{x, {}}, extremes{best, {}};
  SmallVector<Expr> loops;
  SmallVector<int64_t> kept;
  unsigned reduced = x->rank() - 1;
  for (int64_t i = 0; i < x->rank(); ++i) {
    Expr at = i == axis ? b.loop(reduced) : b.loop(loops.size());
    values.at.push_back(at);
    extremes.at.push_back(i == axis ? b.zero() : at);
    kept.push_back(i == axis ? -1 : int64_t(loops.size()));
    if (i != axis)
      loops.push_back(x->dims[i]);
  }
  loops.push_back(x->dims[axis]);
  GenericOptions options;
  options.parallelLoops = reduced;
  // Indices of 32 bits where those suffice.
  std::optional<int64_t> extent = constantOf(x->dims[axis]);
  const bool isShort = extent && *extent < INT32_MAX;
  Element index = {isShort ? b.builder.getI32Type() : b.builder.getI64Type()};
  const int64_t none = last ? -1 : isShort ? INT32_MAX : INT64_MAX;
  options.init = b.builder.getIntegerAttr(index.type, none);
  auto body = [&](Scalar &s, Values v) {
    Value at = s.make<arith::IndexCastOp>(index.type, s.loop(reduced));
    // NaN is its own extreme.
    Value hit = s.eq(v[0], v[1]);
    if (isa<FloatType>(v[0].getType()))
      hit = s.logicalOr(hit, s.ne(v[0], v[0]));
    Value candidate =
        s.select(hit, at,
                 s.make<arith::ConstantOp>(cast<TypedAttr>(
                     s.builder.getIntegerAttr(index.type, none))));
    return last ? s.make<arith::MaxSIOp>(v[2], candidate)
                : s.make<arith::MinSIOp>(v[2], candidate);
  };
  TRY(Tensor result,
      generic(b, {values, extremes}, loops, index, body, options));
  if (isShort) {
    TRY(result, elementwise(b, {result}, i64(b), [&](Scalar &s, Values v) {
          return s.convert(v[0], s.builder.getI64Type());
        }));
  }
  return how.keepDims ? rearrange(b, result, kept) : result;
}

} // namespace tilewright::build
