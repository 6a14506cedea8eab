// Windows and Fourier transforms.
#include "frontends/onnx/Readers.h"
#include "graph/build/Constants.h"
#include "graph/build/Signal.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

LogicalResult importWindow(Node &node, CosineWindow window) {
  GraphBuilder &b = node.b;
  TRY(SmallVector<Expr> size, sizesOf(node, 0, "the size", 0));
  TRY(window.periodic, node.attributes.flag("periodic", true));
  TRY(Element out, node.attributes.element("output_datatype", f32(b)));
  if (size.size() != 1)
    return node.fail("the size must be one number");
  return node.done(cosineWindow(b, size[0], out, window));
}

LogicalResult importHannWindow(Node &node) {
  return importWindow(node, {0.5, 0.5});
}

LogicalResult importHammingWindow(Node &node) {
  return importWindow(node, {25.0 / 46, 21.0 / 46});
}

LogicalResult importBlackmanWindow(Node &node) {
  return importWindow(node, {0.42, 0.5, 0.08});
}

LogicalResult importDFT(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 3, "the signal")) || !x->element.isFloat())
    return failure();
  FourierOptions options;
  TRY(options.inverse, node.attributes.flag("inverse", false));
  TRY(options.oneSided, node.attributes.flag("onesided", false));
  TRY(int64_t axis, node.attributes.integer("axis", 1));
  if (node.opset >= 20) {
    axis = -2;
    if (node.hasInput(2)) {
      TRY(axis, oneIntegerOf(node, 2, "axis"));
    }
  }
  int64_t rank = x->rank();
  TRY(axis, axisOf(node.b, axis, rank));
  auto parts = constantOf(x->dims.back());
  if (axis == rank - 1 || !parts || (*parts != 1 && *parts != 2))
    return node.fail("the signal has shape " + b.sizes.str(x->dims) +
                     " and axis is " + Twine(axis));
  if (options.inverse && options.oneSided)
    return node.fail("an inverse one-sided transform is not supported");
  Expr n = x->dims[axis];
  if (node.hasInput(1)) {
    TRY(n, sizeOf(node, 1, "the length", 0));
  }
  options.axis = axis;
  return node.done(fourierTransform(b, x, n, options));
}

} // namespace

void addSignalOps(OpTable &t) {
  t.add("HannWindow", 17, importHannWindow);
  t.add("HammingWindow", 17, importHammingWindow);
  t.add("BlackmanWindow", 17, importBlackmanWindow);
  t.add("DFT", 17, importDFT, "as a sum over the signal, in f64");
}

} // namespace tilewright::onnx
