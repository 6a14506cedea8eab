// Operators of ONNX Runtime on floats (com.microsoft), as its optimizer writes
// them.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Activation.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/MatMul.h"
#include "graph/build/Movement.h"
#include "graph/build/Norm.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

/// Operand 0, plus operand 1 if it is there.
FailureOr<Tensor> withBias(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor bias, node.optionalInput(1));
  if (!x->element.isFloat())
    return node.fail("expected a float operand, found " +
                     dtypeName(x->element));
  return bias ? arithmetic(node.b, Arithmetic::Add, {x, bias})
              : FailureOr<Tensor>(x);
}

LogicalResult importExactGelu(Node &node) {
  TRY(Tensor x, withBias(node));
  return node.done(activate(node.b, x, gelu));
}

LogicalResult importFastGelu(Node &node) {
  TRY(Tensor x, withBias(node));
  return node.done(activate(node.b, x, geluByTanh));
}

LogicalResult importQuickGelu(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(double alpha, node.attributes.number("alpha", 1.702f));
  return node.done(activate(node.b, x, swish, alpha));
}

/// An operand of FusedMatMul, as MatMul reads it: its first dimension becomes
/// the one before the last, then the last two are swapped.
FailureOr<Tensor> fusedOperand(Node &node, int64_t i, StringRef transposes,
                               StringRef transposesBatch) {
  TRY(Tensor x, node.input(i));
  TRY(bool swaps, node.attributes.flag(transposes, false));
  TRY(bool moves, node.attributes.flag(transposesBatch, false));
  const int64_t rank = x->rank();
  if (moves && rank > 2) {
    SmallVector<int64_t> order;
    for (int64_t d = 1; d < rank - 1; ++d)
      order.push_back(d);
    order.append({0, rank - 1});
    TRY(x, transpose(node.b, x, order));
  }
  return swaps && rank > 1 ? swapLast(node.b, x) : FailureOr<Tensor>(x);
}

LogicalResult importFusedMatMul(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, fusedOperand(node, 0, "transA", "transBatchA"));
  TRY(Tensor y, fusedOperand(node, 1, "transB", "transBatchB"));
  if (x->element != y->element || !x->element.isFloat())
    return node.fail("operands have types " + dtypeName(x->element) + " and " +
                     dtypeName(y->element));
  TRY(double alpha, node.attributes.number("alpha", 1));
  TRY(Tensor product, matmul(b, x, y, x->element));
  if (alpha == 1)
    return node.set(0, product);
  Tensor factor = scalarConstant(b, product->element, alpha);
  return node.done(arithmetic(b, Arithmetic::Multiply, product, factor));
}

/// input + skip + bias, also the fourth result.
FailureOr<Tensor> skipSum(Node &node, int64_t bias) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor skip, node.input(1));
  TRY(Tensor last, node.optionalInput(bias));
  SmallVector<Tensor> terms = {x, skip};
  if (last)
    terms.push_back(last);
  TRY(Tensor sum, arithmetic(node.b, Arithmetic::Add, terms));
  if (failed(node.set(3, sum)))
    return failure();
  return sum;
}

LogicalResult importSkipLayerNormalization(Node &node) {
  TRY(Tensor sum, skipSum(node, 4));
  TRY(Tensor scale, node.input(2));
  TRY(Tensor shift, node.optionalInput(3));
  TRY(double epsilon, node.attributes.number("epsilon", 1e-12f));
  TRY(int64_t axis, axisOf(node.b, -1, sum->rank()));
  TRY(LayerNorm result, layerNorm(node.b, sum, scale, shift, axis, epsilon));
  if (failed(node.set(1, result.mean)) || failed(node.set(2, result.inverse)))
    return failure();
  return node.set(0, result.values);
}

LogicalResult importSkipSimplifiedLayerNormalization(Node &node) {
  TRY(Tensor sum, skipSum(node, 3));
  TRY(Tensor scale, node.input(2));
  TRY(double epsilon, node.attributes.number("epsilon", 1e-12f));
  TRY(int64_t axis, axisOf(node.b, -1, sum->rank()));
  return node.done(rmsNorm(node.b, sum, scale, axis, epsilon));
}

/// The activation that attributes of a fused node name, with its parameters.
FailureOr<Tensor> fusedActivation(Node &node, const Tensor &x) {
  GraphBuilder &b = node.b;
  TRY(std::string name, node.attributes.string("activation", ""));
  TRY(SmallVector<double> given, node.attributes.numbers("activation_params"));
  auto parameter = [&](size_t i, double otherwise) {
    return i < given.size() ? given[i] : otherwise;
  };
  if (name.empty())
    return x;
  if (name == "Relu")
    return activate(b, x, relu);
  if (name == "Sigmoid")
    return activate(b, x, sigmoid);
  if (name == "Tanh")
    return mapElements(b, x, mathOp<math::TanhOp>);
  if (name == "LeakyRelu")
    return activate(b, x, leakyRelu, parameter(0, 0.01));
  if (name == "HardSigmoid")
    return activate(b, x, hardSigmoid, parameter(0, 0.2), parameter(1, 0.5));
  if (name == "HardSwish")
    return activate(b, x, hardSwish);
  if (name == "Clip" && given.size() == 2)
    return clip(b, x, scalarConstant(b, x->element, given[0]),
                scalarConstant(b, x->element, given[1]));
  return node.fail("activation '" + name + "' with " + Twine(given.size()) +
                   " parameters is not supported");
}

LogicalResult importFusedConv(Node &node) {
  TRY(Tensor result, convolution(node));
  TRY(Tensor addend, node.optionalInput(3));
  if (addend) {
    TRY(result, arithmetic(node.b, Arithmetic::Add, {result, addend}));
  }
  return node.done(fusedActivation(node, result));
}

} // namespace

void addMicrosoftOps(OpTable &t) {
  auto add = [&](StringRef name, Handler handler, StringRef limits = "") {
    t.add(name, 1, handler, limits, "com.microsoft");
  };
  add("Gelu", importExactGelu);
  add("BiasGelu", importExactGelu);
  add("FastGelu", importFastGelu);
  add("QuickGelu", importQuickGelu);
  add("FusedMatMul", importFusedMatMul);
  add("FusedConv", importFusedConv);
  add("SkipLayerNormalization", importSkipLayerNormalization);
  add("SkipSimplifiedLayerNormalization",
      importSkipSimplifiedLayerNormalization, "no mean, no inverse deviation");
}

} // namespace tilewright::onnx
