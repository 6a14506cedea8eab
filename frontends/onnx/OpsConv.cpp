// Convolutions.
#include "frontends/onnx/OpsCommon.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Conv.h"
#include "graph/build/Remedy.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

/// The weights' spatial sizes; the attribute kernel_shape must agree.
FailureOr<SmallVector<Expr>> kernelOf(Node &node, const Tensor &w) {
  Sizes &sizes = node.b.sizes;
  SmallVector<Expr> kernel(ArrayRef<Expr>(w->dims).drop_front(2));
  if (!node.attributes.has("kernel_shape"))
    return kernel;
  TRY(SmallVector<int64_t> given, node.attributes.integers("kernel_shape"));
  if (given.size() != kernel.size())
    return node.fail("attribute 'kernel_shape' has " + Twine(given.size()) +
                     " values, the weights have shape " + sizes.str(w->dims));
  for (auto [size, expected] : llvm::zip(kernel, exprsOf(sizes, given)))
    if (failed(
            matchSize(node.b, size, expected,
                      "the kernel of weights of shape " + sizes.str(w->dims))))
      return failure();
  return exprsOf(sizes, given);
}

/// The same where the kernel must be static.
FailureOr<SmallVector<int64_t>> staticKernelOf(Node &node, const Tensor &w) {
  TRY(SmallVector<Expr> sizes, kernelOf(node, w));
  auto kernel = constantsOf(sizes);
  if (!kernel)
    return node.fail("weights have shape " + node.b.sizes.str(w->dims) +
                     ", expected a static window" +
                     sizeRemedy(node.b, w->dims));
  return *kernel;
}

struct Operands {
  Tensor x, w;
  /// Null if there is none.
  Tensor bias;
  int64_t group;
};

FailureOr<Operands> readOperands(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor w, node.input(1));
  TRY(Tensor bias, node.optionalInput(2));
  TRY(int64_t group, node.attributes.integer("group", 1));
  if (x->element != w->element || !x->element.isFloat())
    return node.fail("operands have types " + dtypeName(x->element) + " and " +
                     dtypeName(w->element));
  return Operands{x, w, bias, group};
}

LogicalResult importConv(Node &node) { return node.done(convolution(node)); }

/// Padding of the result and its size, from output_shape or output_padding.
FailureOr<Window> readTransposedWindow(Node &node, const Tensor &x,
                                       ArrayRef<int64_t> kernel) {
  TransposedWindowOptions w;
  int64_t count = kernel.size();
  auto list = [&](StringRef name, int64_t size,
                  int64_t otherwise) -> FailureOr<SmallVector<int64_t>> {
    TRY(SmallVector<int64_t> values, node.attributes.integers(name));
    if (values.empty())
      values.assign(size, otherwise);
    if (int64_t(values.size()) != size)
      return node.fail("attribute '" + name + "' has " + Twine(values.size()) +
                       " values, expected " + Twine(size));
    for (int64_t value : values)
      if (value < otherwise || value > INT32_MAX)
        return node.fail("attribute '" + name + "' has the value " +
                         Twine(value));
    return values;
  };
  w.kernel.assign(kernel.begin(), kernel.end());
  TRY(w.strides, list("strides", count, 1));
  TRY(w.dilations, list("dilations", count, 1));
  TRY(auto pads, list("pads", 2 * count, 0));
  TRY(w.extra, list("output_padding", count, 0));
  TRY(w.out, node.attributes.integers("output_shape"));
  TRY(std::string automatic, node.attributes.string("auto_pad", "NOTSET"));
  if (automatic == "SAME_UPPER")
    w.padding = WindowPadding::SameMoreAfter;
  else if (automatic == "SAME_LOWER")
    w.padding = WindowPadding::SameMoreBefore;
  if (automatic == "VALID")
    pads.assign(2 * count, 0);
  if (int64_t(w.out.size()) == count + 2)
    w.out.erase(w.out.begin(), w.out.begin() + 2);
  if (!w.out.empty() && int64_t(w.out.size()) != count)
    return node.fail("attribute 'output_shape' has " + Twine(w.out.size()) +
                     " values, expected " + Twine(count));
  w.padLow.assign(pads.begin(), pads.begin() + count);
  w.padHigh.assign(pads.begin() + count, pads.end());
  return makeTransposedWindow(node.b, x, w);
}

LogicalResult importConvTranspose(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Operands operands, readOperands(node));
  const auto &[x, w, bias, group] = operands;
  auto channels = constantOf(w->rank() ? w->dims[0] : b.zero());
  if (x->rank() < 3 || w->rank() != x->rank() || group < 1 || !channels ||
      *channels % group != 0 || !compatible(x->dims[1], w->dims[0]))
    return node.fail("input has shape " + b.sizes.str(x->dims) +
                     " and weights have shape " + b.sizes.str(w->dims) +
                     ", which do not go together with group = " + Twine(group));
  TRY(SmallVector<int64_t> kernel, staticKernelOf(node, w));
  TRY(Window window, readTransposedWindow(node, x, kernel));
  TRY(Tensor result, convolveTransposed(b, x, w, group, window, x->element));
  if (bias) {
    TRY(result, addBias(b, result, bias));
  }
  return node.set(0, result);
}

} // namespace

FailureOr<Tensor> convolution(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Operands operands, readOperands(node));
  const auto &[x, w, bias, group] = operands;
  if (failed(expectWeights(b, x, w, group)))
    return failure();
  TRY(SmallVector<Expr> kernel, kernelOf(node, w));
  TRY(Window window, readWindow(node, x, kernel));
  TRY(Tensor result, convolve(b, x, w, group, window, x->element));
  return bias ? addBias(b, result, bias) : FailureOr<Tensor>(result);
}

void addConvOps(OpTable &table) {
  table.add("Conv", 1, importConv);
  table.add("ConvTranspose", 1, importConvTranspose, "the window static");
}

} // namespace tilewright::onnx
