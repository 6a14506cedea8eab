// Losses.
#include "frontends/onnx/Readers.h"
#include "graph/build/Loss.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

namespace tilewright::onnx {
namespace {

/// The loss of log probabilities for the labels and weights of a node.
FailureOr<Tensor> importLoss(Node &node, const Tensor &x) {
  GraphBuilder &b = node.b;
  TRY(Tensor target, node.input(1));
  TRY(Tensor weight, node.optionalInput(2));
  TRY(std::string reduction, node.attributes.string("reduction", "mean"));
  LossOptions options;
  if (node.attributes.has("ignore_index")) {
    TRY(options.ignored, node.attributes.integer("ignore_index", -1));
  }
  if (x->rank() < 2 || target->rank() != x->rank() - 1 ||
      !target->element.isInteger() || (weight && weight->rank() != 1))
    return node.fail("scores have shape " + b.sizes.str(x->dims) +
                     " and labels have shape " + b.sizes.str(target->dims) +
                     " and type " + dtypeName(target->element));
  if (reduction != "none" && reduction != "mean" && reduction != "sum")
    return node.fail("attribute 'reduction' is '" + reduction +
                     "', expected none, mean or sum");
  if (reduction != "mean")
    options.reduction =
        reduction == "sum" ? LossReduction::Sum : LossReduction::None;
  return likelihoodLoss(b, x, target, weight, options);
}

LogicalResult importNegativeLogLikelihoodLoss(Node &node) {
  TRY(Tensor logarithms, node.input(0));
  return node.done(importLoss(node, logarithms));
}

LogicalResult importSoftmaxCrossEntropyLoss(Node &node) {
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 2, "the scores")))
    return failure();
  TRY(Tensor logs, softmax(node.b, x, 1, true));
  if (failed(node.set(1, logs)))
    return failure();
  return node.done(importLoss(node, logs));
}

/// Before opset 13 it runs over all dimensions from `axis` on.
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
  TRY(Tensor result, hardmax(b, x, axis));
  return node.done(reshape(b, result, shape));
}

} // namespace

void addLossOps(OpTable &t) {
  t.add("NegativeLogLikelihoodLoss", 12, importNegativeLogLikelihoodLoss);
  t.add("SoftmaxCrossEntropyLoss", 12, importSoftmaxCrossEntropyLoss);
  t.add("Hardmax", 1, importHardmax);
}

} // namespace tilewright::onnx
