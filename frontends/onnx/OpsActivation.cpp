// Activation functions.
#include "frontends/onnx/Readers.h"
#include "graph/build/Activation.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

namespace tilewright::onnx {
namespace {

/// A function of one float operand and two float attributes.
LogicalResult activation(Node &node, ActivationFn fn, StringRef first = "",
                         double firstDefault = 0, StringRef second = "",
                         double secondDefault = 0) {
  TRY(Tensor x, node.input(0));
  if (!x->element.isFloat() && node.type() != "Relu")
    return node.fail("expected a float operand, found " +
                     dtypeName(x->element));
  TRY(double alpha, node.attributes.number(first, firstDefault));
  TRY(double beta, node.attributes.number(second, secondDefault));
  return node.done(activate(node.b, x, fn, alpha, beta));
}

LogicalResult importRelu(Node &node) { return activation(node, relu); }

LogicalResult importLeakyRelu(Node &node) {
  return activation(node, leakyRelu, "alpha", 0.01);
}

LogicalResult importSigmoid(Node &node) { return activation(node, sigmoid); }

LogicalResult importHardSigmoid(Node &node) {
  return activation(node, hardSigmoid, "alpha", 0.2, "beta", 0.5);
}

LogicalResult importHardSwish(Node &node) {
  return activation(node, hardSwish);
}

LogicalResult importElu(Node &node) {
  return activation(node, elu, "alpha", 1.0);
}

LogicalResult importSelu(Node &node) {
  return activation(node, selu, "alpha", 1.67326319217681884765625, "gamma",
                    1.05070102214813232421875);
}

LogicalResult importCelu(Node &node) {
  return activation(node, celu, "alpha", 1.0);
}

LogicalResult importThresholdedRelu(Node &node) {
  return activation(node, thresholdedRelu, "alpha", 1.0);
}

LogicalResult importSoftplus(Node &node) { return activation(node, softplus); }

LogicalResult importSoftsign(Node &node) { return activation(node, softsign); }

LogicalResult importMish(Node &node) { return activation(node, mish); }

LogicalResult importSwish(Node &node) {
  return activation(node, swish, "alpha", 1.0);
}

LogicalResult importGelu(Node &node) {
  TRY(std::string form, node.attributes.string("approximate", "none"));
  if (form != "none" && form != "tanh")
    return node.fail("attribute 'approximate' is '" + form +
                     "', expected none or tanh");
  return activation(node, form == "tanh" ? geluByTanh : gelu);
}

LogicalResult importShrink(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(double lambda, node.attributes.number("lambd", 0.5));
  TRY(double bias, node.attributes.number("bias", 0));
  return node.done(shrink(node.b, x, lambda, bias));
}

/// A slope of one dimension may be one per channel.
LogicalResult importPRelu(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor slope, node.input(1));
  if (slope->rank() == 1 && x->rank() > 2 && !isConst(slope->dims[0], 1) &&
      slope->dims[0] == x->dims[1] && slope->dims[0] != x->dims.back()) {
    SmallVector<int64_t> kept(x->rank() - 1, -1);
    kept[0] = 0;
    slope = rearrange(node.b, slope, kept);
  }
  return node.done(prelu(node.b, x, slope));
}

/// Before opset 13 softmax runs over all dimensions from `axis` on.
template <bool logarithm> LogicalResult importSoftmax(Node &node) {
  TRY(Tensor x, node.input(0));
  bool isOne = node.opset >= 13;
  TRY(int64_t axis, axisAttribute(node, isOne ? -1 : 1, x->rank()));
  return node.done(isOne ? softmax(node.b, x, axis, logarithm)
                         : softmaxFrom(node.b, x, axis, logarithm));
}

} // namespace

void addActivationOps(OpTable &table) {
  table.add("Relu", 1, importRelu);
  table.add("LeakyRelu", 1, importLeakyRelu);
  table.add("PRelu", 1, importPRelu);
  table.add("Sigmoid", 1, importSigmoid);
  table.add("HardSigmoid", 1, importHardSigmoid);
  table.add("HardSwish", 14, importHardSwish);
  table.add("Elu", 1, importElu);
  table.add("Selu", 1, importSelu);
  table.add("Celu", 12, importCelu);
  table.add("ThresholdedRelu", 10, importThresholdedRelu);
  table.add("Shrink", 9, importShrink);
  table.add("Softplus", 1, importSoftplus);
  table.add("Softsign", 1, importSoftsign);
  table.add("Mish", 18, importMish);
  table.add("Swish", 24, importSwish);
  table.add("Gelu", 20, importGelu);
  table.add("Softmax", 1, importSoftmax<false>);
  table.add("LogSoftmax", 1, importSoftmax<true>);
}

} // namespace tilewright::onnx
