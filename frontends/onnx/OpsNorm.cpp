// Normalizations.
#include "frontends/onnx/Readers.h"
#include "graph/build/Norm.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

LogicalResult importBatchNormalization(Node &node) {
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 2, "the input")))
    return failure();
  TRY(bool spatial, node.attributes.flag("spatial", true));
  if (!spatial)
    return node.fail("spatial = 0 is not supported");
  BatchNormOptions options;
  TRY(options.epsilon, node.attributes.number("epsilon", 1e-5f));
  TRY(options.momentum, node.attributes.number("momentum", 0.9f));
  if (node.opset >= 14) {
    TRY(options.training, node.attributes.flag("training_mode", false));
  }
  SmallVector<Tensor> statistics;
  for (int i = 1; i < 5; ++i) {
    TRY(Tensor values, node.input(i));
    statistics.push_back(values);
  }
  TRY(BatchNorm result, batchNorm(node.b, x, statistics, options));
  if (options.training && (failed(node.set(1, result.mean)) ||
                           failed(node.set(2, result.variance))))
    return failure();
  return node.set(0, result.values);
}

LogicalResult importLayerNormalization(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor scale, node.input(1));
  TRY(Tensor bias, node.optionalInput(2));
  TRY(int64_t axis, axisAttribute(node, -1, x->rank()));
  TRY(double epsilon, node.attributes.number("epsilon", 1e-5f));
  TRY(LayerNorm result, layerNorm(node.b, x, scale, bias, axis, epsilon));
  if (failed(node.set(1, result.mean)) || failed(node.set(2, result.inverse)))
    return failure();
  return node.set(0, result.values);
}

LogicalResult importRMSNormalization(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor scale, node.input(1));
  TRY(int64_t axis, axisAttribute(node, -1, x->rank()));
  TRY(double epsilon, node.attributes.number("epsilon", 1e-5f));
  return node.done(rmsNorm(node.b, x, scale, axis, epsilon));
}

LogicalResult importInstanceNormalization(Node &node) {
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 3, "the input")))
    return failure();
  TRY(Tensor scale, node.input(1));
  TRY(Tensor bias, node.input(2));
  TRY(double epsilon, node.attributes.number("epsilon", 1e-5f));
  return node.done(instanceNorm(node.b, x, scale, bias, epsilon));
}

LogicalResult importGroupNormalization(Node &node) {
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 3, "the input")))
    return failure();
  GroupNormOptions options;
  TRY(options.groups, node.attributes.integer("num_groups", 0));
  TRY(options.epsilon, node.attributes.number("epsilon", 1e-5f));
  options.perGroup = node.opset < 21;
  TRY(Tensor scale, node.input(1));
  TRY(Tensor bias, node.input(2));
  return node.done(groupNorm(node.b, x, scale, bias, options));
}

LogicalResult importMeanVarianceNormalization(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(SmallVector<int64_t> axes, node.attributes.integers("axes", {0, 2, 3}));
  TRY(axes, axesOf(node.b, axes, x->rank()));
  return node.done(meanVarianceNorm(node.b, x, axes));
}

LogicalResult importLpNormalization(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(int64_t axis, axisAttribute(node, -1, x->rank()));
  TRY(int64_t p, node.attributes.integer("p", 2));
  if (p != 1 && p != 2)
    return node.fail("attribute 'p' is " + Twine(p) + ", expected 1 or 2");
  return node.done(unitNorm(node.b, x, axis, p));
}

} // namespace

void addNormOps(OpTable &t) {
  t.add("BatchNormalization", 1, importBatchNormalization);
  t.add("LayerNormalization", 17, importLayerNormalization);
  t.add("RMSNormalization", 23, importRMSNormalization);
  // As ONNX Runtime's optimizer names it, in both domains.
  t.add("SimplifiedLayerNormalization", 1, importRMSNormalization);
  t.add("SimplifiedLayerNormalization", 1, importRMSNormalization, "",
        "com.microsoft");
  t.add("LayerNormalization", 1, importLayerNormalization, "", "com.microsoft");
  t.add("InstanceNormalization", 1, importInstanceNormalization);
  t.add("GroupNormalization", 18, importGroupNormalization);
  t.add("MeanVarianceNormalization", 9, importMeanVarianceNormalization);
  t.add("LpNormalization", 1, importLpNormalization);
}

} // namespace tilewright::onnx
