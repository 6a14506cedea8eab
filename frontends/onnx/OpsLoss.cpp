// Losses.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

using Values = ArrayRef<Value>;

/// The loss of log probabilities x[N, C, ...] for target[N, ...]: per element
/// -weight[target] * x[target], then reduced.
FailureOr<Tensor> likelihoodLoss(Node &node, const Tensor &x) {
  GraphBuilder &b = node.b;
  TRY(Tensor target, node.input(1));
  TRY(Tensor weight, node.optionalInput(2));
  TRY(std::string reduction, node.attributes.string("reduction", "mean"));
  bool ignores = node.attributes.has("ignore_index");
  TRY(int64_t ignored, node.attributes.integer("ignore_index", -1));
  if (x->rank() < 2 || target->rank() != x->rank() - 1 ||
      !target->element.isInteger() || (weight && weight->rank() != 1))
    return node.fail("scores have shape " + b.sizes.str(x->dims) +
                     " and labels have shape " + b.sizes.str(target->dims) +
                     " and type " + dtypeName(target->element));
  if (reduction != "none" && reduction != "mean" && reduction != "sum")
    return node.fail("attribute 'reduction' is '" + reduction +
                     "', expected none, mean or sum");
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
    if (!ignores)
      return one;
    Value skip = s.eq(label, s.integer(label.getType(), ignored));
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
  if (reduction == "none")
    return loss;
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < target->rank(); ++i)
    axes.push_back(i);
  TRY(Tensor sum, reduceSum(b, loss, axes, false));
  if (reduction == "sum")
    return convert(b, sum, x->element);
  if (!weight && !ignores) {
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

LogicalResult importNegativeLogLikelihoodLoss(Node &node) {
  TRY(Tensor logarithms, node.input(0));
  return node.done(likelihoodLoss(node, logarithms));
}

LogicalResult importSoftmaxCrossEntropyLoss(Node &node) {
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 2, "the scores")))
    return failure();
  TRY(Tensor logs, softmax(node.b, x, 1, true));
  if (failed(node.set(1, logs)))
    return failure();
  return node.done(likelihoodLoss(node, logs));
}

/// 1 at the first maximum along the axis, else 0.
LogicalResult importHardmax(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  bool flattens = node.opset < 13;
  TRY(int64_t axis, axisAttribute(node, flattens ? 1 : -1, x->rank()));
  SmallVector<Expr> shape(x->dims);
  if (flattens) {
    ArrayRef<Expr> dims = shape;
    TRY(x, reshape(b, x,
                   {b.sizes.product(dims.take_front(axis)),
                    b.sizes.product(dims.drop_front(axis))}));
    axis = 1;
  }
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
  TRY(Tensor result,
      elementwise(b, {rearrange(b, first, kept), x}, x->element,
                  [&](Scalar &s, Values v) {
                    Value at = s.fromIndex(s.loop(axis), v[0].getType());
                    return s.select(s.eq(at, v[0]), s.like(v[1], 1),
                                    s.like(v[1], 0));
                  }));
  return node.done(reshape(b, result, shape));
}

} // namespace

void addLossOps(OpTable &t) {
  t.add("NegativeLogLikelihoodLoss", 12, importNegativeLogLikelihoodLoss);
  t.add("SoftmaxCrossEntropyLoss", 12, importSoftmaxCrossEntropyLoss);
  t.add("Hardmax", 1, importHardmax);
}

} // namespace tilewright::onnx
