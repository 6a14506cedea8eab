// Matrix products.
#include "frontends/onnx/OpsCommon.h"
#include "graph/build/MatMul.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

LogicalResult importMatMul(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[x, y] = operands;
  return node.done(matmul(node.b, x, y, x->element));
}

LogicalResult importGemm(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor y, node.input(1));
  TRY(Tensor c, node.optionalInput(2));
  if (x->element != y->element)
    return node.fail("operands have types " + dtypeName(x->element) + " and " +
                     dtypeName(y->element));
  GemmOptions options;
  TRY(options.alpha, node.attributes.number("alpha", 1));
  TRY(options.beta, node.attributes.number("beta", 1));
  TRY(options.transposeLeft, node.attributes.flag("transA", false));
  TRY(options.transposeRight, node.attributes.flag("transB", false));
  if (c && node.opset < 7 && c->rank() == 1) {
    TRY(bool broadcasts, node.attributes.flag("broadcast", false));
    if (!broadcasts)
      return node.fail("operand C has one dimension and broadcast is 0");
  }
  return node.done(gemm(node.b, x, y, c, options));
}

LogicalResult importEinsum(Node &node) {
  TRY(SmallVector<Tensor> inputs, node.inputs());
  TRY(std::string equation, node.attributes.string("equation", ""));
  std::string text;
  for (char c : equation)
    if (c != ' ')
      text += c;
  size_t terms = StringRef(text).split("->").first.count(',') + 1;
  if (terms != inputs.size())
    return node.fail("equation '" + text + "' has " + Twine(terms) +
                     " operands, the node has " + Twine(inputs.size()));
  return node.done(einsum(node.b, inputs, equation));
}

} // namespace

void addMatMulOps(OpTable &table) {
  table.add("MatMul", 1, importMatMul);
  table.add("Gemm", 1, importGemm);
  table.add("Einsum", 12, importEinsum);
}

} // namespace tilewright::onnx
