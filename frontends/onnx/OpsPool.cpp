// Poolings and other sums over windows.
#include "frontends/onnx/OpsCommon.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Pool.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

FailureOr<Window> readPool(Node &node, const Tensor &x) {
  if (!node.attributes.has("kernel_shape"))
    return node.fail("attribute 'kernel_shape' is missing");
  TRY(SmallVector<int64_t> kernel, node.attributes.integers("kernel_shape"));
  return readWindow(node, x, exprsOf(node.b.sizes, kernel));
}

/// Attribute `p`, a float before opset 2.
FailureOr<double> normOrder(Node &node) {
  if (node.opset < 2)
    return node.attributes.number("p", 2);
  TRY(int64_t p, node.attributes.integer("p", 2));
  return double(p);
}

LogicalResult importMaxPool(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Window w, readPool(node, x));
  MaxPoolOptions options;
  options.wantsPositions = node.hasOutput(1);
  if (options.wantsPositions) {
    TRY(options.firstFastest, node.attributes.flag("storage_order", false));
  }
  TRY(MaxPool result, maxPool(node.b, x, w, options));
  if (options.wantsPositions && failed(node.set(1, result.positions)))
    return failure();
  return node.set(0, result.values);
}

LogicalResult importAveragePool(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Window w, readPool(node, x));
  TRY(bool countsPadding, node.attributes.flag("count_include_pad", false));
  return node.done(averagePool(node.b, x, w, countsPadding));
}

LogicalResult importLpPool(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Window w, readPool(node, x));
  TRY(double p, normOrder(node));
  return node.done(normPool(node.b, x, w, p));
}

LogicalResult importGlobalAveragePool(Node &node) {
  TRY(Tensor x, node.input(0));
  return node.done(globalAveragePool(node.b, x));
}

LogicalResult importGlobalMaxPool(Node &node) {
  TRY(Tensor x, node.input(0));
  return node.done(globalMaxPool(node.b, x));
}

LogicalResult importGlobalLpPool(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(double p, normOrder(node));
  return node.done(globalNormPool(node.b, x, p));
}

LogicalResult importLRN(Node &node) {
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 3, "the input")))
    return failure();
  LocalResponseOptions options;
  TRY(options.size, node.attributes.integer("size", 0));
  TRY(options.alpha, node.attributes.number("alpha", 1e-4f));
  TRY(options.beta, node.attributes.number("beta", 0.75));
  TRY(options.bias, node.attributes.number("bias", 1));
  if (options.size < 1 || options.size > INT32_MAX)
    return node.fail("attribute 'size' is " + Twine(options.size) +
                     ", expected a positive number");
  return node.done(localResponseNorm(node.b, x, options));
}

} // namespace

void addPoolOps(OpTable &t) {
  t.add("MaxPool", 1, importMaxPool);
  t.add("AveragePool", 1, importAveragePool);
  t.add("LpPool", 1, importLpPool);
  t.add("GlobalAveragePool", 1, importGlobalAveragePool);
  t.add("GlobalMaxPool", 1, importGlobalMaxPool);
  t.add("GlobalLpPool", 1, importGlobalLpPool);
  t.add("LRN", 1, importLRN);
}

} // namespace tilewright::onnx
