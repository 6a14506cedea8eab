// Quantized arithmetic.
#include "frontends/onnx/OpsCommon.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/IntegerProduct.h"
#include "graph/build/Quant.h"
#include "graph/build/Remedy.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

/// The dimension of scales, and the size of their blocks.
LogicalResult readBlocks(Node &node, const Tensor &x, QuantizeOptions &o) {
  TRY(o.axis, node.attributes.integer("axis", 1));
  TRY(o.block, node.attributes.integer("block_size", 0));
  if (x->rank() == 1 && o.axis == 1)
    o.axis = 0;
  return success();
}

LogicalResult importQuantizeLinear(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor scale, node.input(1));
  TRY(Tensor zero, node.optionalInput(2));
  QuantizeOptions options;
  if (failed(readBlocks(node, x, options)))
    return failure();
  if (zero) {
    options.out = zero->element;
  } else {
    TRY(options.out,
        node.attributes.element("output_dtype", {b.builder.getI8Type(), true}));
  }
  TRY(options.saturate, node.attributes.flag("saturate", true));
  return node.done(quantize(b, x, scale, zero, options));
}

LogicalResult importDequantizeLinear(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor scale, node.input(1));
  TRY(Tensor zero, node.optionalInput(2));
  QuantizeOptions options;
  if (failed(readBlocks(node, x, options)))
    return failure();
  TRY(options.out, node.attributes.element("output_dtype", scale->element));
  return node.done(dequantize(node.b, x, scale, zero, options));
}

LogicalResult importDynamicQuantizeLinear(Node &node) {
  TRY(Tensor x, node.input(0));
  if (!x->element.type.isF32())
    return node.fail("the operand has type " + dtypeName(x->element));
  TRY(Quantized result, quantizeByRange(node.b, x));
  if (failed(node.set(1, result.scale)) || failed(node.set(2, result.zero)))
    return failure();
  return node.set(0, result.values);
}

LogicalResult importMatMulInteger(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor y, node.input(1));
  TRY(Tensor xZero, node.optionalInput(2));
  TRY(Tensor yZero, node.optionalInput(3));
  return node.done(matmulIntegers(node.b, x, xZero, y, yZero));
}

LogicalResult importQLinearMatMul(Node &node) {
  TRY(SmallVector<Tensor> in, node.inputs(8));
  return node.done(matmulQuantized(node.b, {in[0], in[1], in[2]},
                                   {in[3], in[4], in[5]}, in[6], in[7]));
}

/// The windows of an integer convolution, and its groups.
FailureOr<Window> readIntegerWindow(Node &node, const Tensor &x,
                                    const Tensor &w, int64_t &group) {
  GraphBuilder &b = node.b;
  TRY(group, node.attributes.integer("group", 1));
  if (x->rank() < 3 || x->rank() != w->rank() || group < 1 ||
      !compatible(b.sizes.mul(w->dims[1], group), x->dims[1]))
    return node.fail("input has shape " + b.sizes.str(x->dims) +
                     " and weights have shape " + b.sizes.str(w->dims) +
                     ", which do not go together with group = " + Twine(group));
  auto kernel = constantsOf(ArrayRef<Expr>(w->dims).drop_front(2));
  if (!kernel)
    return node.fail("weights have shape " + b.sizes.str(w->dims) +
                     ", expected a static window" + sizeRemedy(b, w->dims));
  return readWindow(node, x, exprsOf(b.sizes, *kernel));
}

LogicalResult importConvInteger(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor w, node.input(1));
  TRY(Tensor xZero, node.optionalInput(2));
  TRY(Tensor wZero, node.optionalInput(3));
  int64_t group = 1;
  TRY(Window window, readIntegerWindow(node, x, w, group));
  return node.done(
      convolveIntegers(node.b, x, xZero, w, wZero, nullptr, group, window));
}

LogicalResult importQLinearConv(Node &node) {
  SmallVector<Tensor> in;
  for (int i = 0; i < 8; ++i) {
    TRY(Tensor operand, node.input(i));
    in.push_back(operand);
  }
  TRY(Tensor bias, node.optionalInput(8));
  int64_t group = 1;
  TRY(Window window, readIntegerWindow(node, in[0], in[3], group));
  return node.done(convolveQuantized(node.b, {in[0], in[1], in[2]},
                                     {in[3], in[4], in[5]}, bias, group, window,
                                     in[6], in[7]));
}

} // namespace

void addQuantOps(OpTable &t) {
  t.add("QuantizeLinear", 10, importQuantizeLinear);
  t.add("DequantizeLinear", 10, importDequantizeLinear);
  t.add("DynamicQuantizeLinear", 11, importDynamicQuantizeLinear);
  t.add("MatMulInteger", 10, importMatMulInteger);
  t.add("QLinearMatMul", 10, importQLinearMatMul);
  t.add("ConvInteger", 10, importConvInteger);
  t.add("QLinearConv", 10, importQLinearConv);
}

} // namespace tilewright::onnx
