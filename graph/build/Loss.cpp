#include "graph/build/Loss.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::build {

FailureOr<Tensor> likelihoodLoss(GraphBuilder &b, const Tensor &x,
                                 const Tensor &target, const Tensor &weight,
                                 const LossOptions &o) {
  denseValue(b, x);
  if (weight)
    denseValue(b, weight);
  Operand labels{target, {}};
  for (int64_t i = 0; i < target->rank(); ++i)
    labels.at.push_back(b.loop(i));
  /// The weight of an element; 0 where the label is ignored.
  auto weightOf = [&](Scalar &s, Value label, Value at) {
    Value one = weight ? extractElement(b, s, weight, {at})
                       : s.constant(x->element.type, 1);
    if (!o.ignored)
      return one;
    Value skip = s.eq(label, s.integer(label.getType(), *o.ignored));
    return s.select(skip, s.like(one, 0), one);
  };
  auto indexOf = [&](Scalar &s, Value label) {
    return boundedIndex(b, s, s.toIndex(label), x->dims[1]);
  };
  TRY(Tensor loss,
      gather(b, {labels}, target->dims, x->element, [&](Scalar &s, Values v) {
        SmallVector<Value> at = {s.loop(0), indexOf(s, v[0])};
        for (int64_t i = 1; i < target->rank(); ++i)
          at.push_back(s.loop(i));
        Value factor = weightOf(s, v[0], at[1]);
        Value term = s.neg(s.mul(extractElement(b, s, x, at), factor));
        // An ignored score may be infinite.
        return s.select(s.eq(factor, s.like(factor, 0)), s.like(term, 0), term);
      }));
  if (o.reduction == LossReduction::None)
    return loss;
  SmallVector<int64_t> axes = axesFrom(0, target->rank());
  TRY(Tensor sum, reduceSum(b, loss, axes, false));
  if (o.reduction == LossReduction::Sum)
    return convert(b, sum, x->element);
  if (!weight && !o.ignored) {
    Expr count = b.sizes.product(target->dims);
    return elementwise(b, {sum}, x->element, [&](Scalar &s, Values v) {
      return s.div(v[0], countInBody(b, s, count, v[0].getType()));
    });
  }
  TRY(Tensor weights,
      gather(b, {labels}, target->dims, x->element, [&](Scalar &s, Values v) {
        return weightOf(s, v[0], indexOf(s, v[0]));
      }));
  TRY(Tensor total, reduceSum(b, weights, axes, false));
  return elementwise(b, {sum, total}, x->element,
                     [](Scalar &s, Values v) { return s.div(v[0], v[1]); });
}

FailureOr<Tensor> hardmax(GraphBuilder &b, const Tensor &x, int64_t axis) {
  TRY(Tensor top, reduceMax(b, x, {axis}, true));
  Operand values{x, {}}, best{top, {}};
  SmallVector<Expr> loops;
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < x->rank(); ++i) {
    Expr at = i == axis ? b.loop(x->rank() - 1) : b.loop(loops.size());
    values.at.push_back(at);
    best.at.push_back(i == axis ? b.zero() : at);
    kept.push_back(i == axis ? -1 : int64_t(loops.size()));
    if (i != axis)
      loops.push_back(x->dims[i]);
  }
  loops.push_back(x->dims[axis]);
  GenericOptions options;
  options.parallelLoops = x->rank() - 1;
  options.init = b.builder.getI64IntegerAttr(INT64_MAX);
  auto body = [&](Scalar &s, Values v) {
    Value at = s.fromIndex(s.loop(x->rank() - 1), s.builder.getI64Type());
    Value hit = s.eq(v[0], v[1]);
    return s.select(hit, s.make<arith::MinSIOp>(v[2], at), v[2]);
  };
  TRY(Tensor first, generic(b, {values, best}, loops, i64(b), body, options));
  return elementwise(
      b, {rearrange(b, first, kept), x}, x->element, [&](Scalar &s, Values v) {
        Value at = s.fromIndex(s.loop(axis), v[0].getType());
        return s.select(s.eq(at, v[0]), s.like(v[1], 1), s.like(v[1], 0));
      });
}

} // namespace tilewright::build
