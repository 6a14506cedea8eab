// The geometry of convolutions and poolings.
#include "frontends/onnx/OpsCommon.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

FailureOr<SmallVector<int64_t>> perDimension(Node &node, StringRef name,
                                             int64_t count, int64_t otherwise) {
  SmallVector<int64_t> values = TRY(node.integers(name));
  if (values.empty())
    return SmallVector<int64_t>(count, otherwise);
  if (int64_t(values.size()) != count)
    return node.fail("attribute '" + name + "' has " + Twine(values.size()) +
                     " values, expected " + Twine(count));
  return values;
}

/// Total padding so that the result has ceil(in / stride) elements.
FailureOr<Expr> samePadding(Node &node, Expr in, int64_t extent,
                            int64_t stride) {
  Sizes &sizes = node.b.sizes;
  Expr out = sizes.ceilDiv(in, stride);
  Expr total =
      sizes.sub(sizes.add(sizes.mul(sizes.add(out, -1), stride), extent), in);
  auto padding = sizes.max(total, node.b.zero());
  if (!padding)
    return node.fail("auto_pad with stride " + Twine(stride) +
                     " needs a size that is known when the model is imported, "
                     "found " +
                     sizes.str(in));
  return *padding;
}

/// Ceil mode: windows may run over the end, but start within the input.
LogicalResult applyCeilMode(Node &node, Window &w, int64_t i, Expr in,
                            int64_t extent) {
  Sizes &sizes = node.b.sizes;
  int64_t stride = w.strides[i];
  Expr padded = sizes.add(in, sizes.add(w.padLow[i], w.padHigh[i]));
  Expr covering =
      sizes.add(sizes.ceilDiv(sizes.add(padded, -extent), stride), 1);
  // Windows that start at or before the last element.
  Expr starting = sizes.add(
      sizes.floorDiv(sizes.add(sizes.add(in, w.padLow[i]), -1), stride), 1);
  auto high = constantOf(w.padHigh[i]);
  bool neverPast = high && *high + stride <= extent;
  std::optional<Expr> out =
      neverPast ? covering : sizes.min(covering, starting);
  if (!out)
    return node.fail("ceil_mode with this stride and padding needs a size that "
                     "is known when the model is imported, found " +
                     sizes.str(in));
  w.out[i] = *out;
  Expr needed = sizes.add(sizes.mul(sizes.add(*out, -1), stride), extent);
  Expr extra = sizes.sub(needed, padded);
  if (auto bounded = sizes.max(extra, node.b.zero()))
    extra = *bounded;
  w.padHigh[i] = sizes.add(w.padHigh[i], extra);
  return success();
}

} // namespace

FailureOr<Window> readWindow(Node &node, const Tensor &x,
                             ArrayRef<int64_t> kernel) {
  Sizes &sizes = node.b.sizes;
  int64_t count = x->rank() - 2;
  Window w;
  w.kernel.assign(kernel.begin(), kernel.end());
  if (count < 1 || int64_t(kernel.size()) != count)
    return node.fail("the window has " + Twine(kernel.size()) +
                     " dimensions, the input has shape " + sizes.str(x->dims));
  w.strides = TRY(perDimension(node, "strides", count, 1));
  w.dilations = TRY(perDimension(node, "dilations", count, 1));
  SmallVector<int64_t> pads = TRY(perDimension(node, "pads", 2 * count, 0));
  w.ceilMode = TRY(node.integer("ceil_mode", 0)) != 0;
  std::string automatic = TRY(node.string("auto_pad", "NOTSET"));
  bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!same && automatic != "NOTSET" && automatic != "VALID")
    return node.fail("attribute 'auto_pad' is '" + automatic +
                     "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  for (int64_t i = 0; i < count; ++i) {
    if (kernel[i] < 1 || w.strides[i] < 1 || w.dilations[i] < 1 ||
        kernel[i] > INT32_MAX || w.dilations[i] > INT32_MAX ||
        w.strides[i] > INT32_MAX)
      return node.fail("the window has size " + Twine(kernel[i]) + ", stride " +
                       Twine(w.strides[i]) + ", dilation " +
                       Twine(w.dilations[i]) + "; each must be positive");
    Expr in = x->dims[i + 2];
    int64_t extent = (kernel[i] - 1) * w.dilations[i] + 1;
    w.padLow.push_back(sizes.constant(automatic == "VALID" ? 0 : pads[i]));
    w.padHigh.push_back(
        sizes.constant(automatic == "VALID" ? 0 : pads[i + count]));
    if (pads[i] < 0 || pads[i + count] < 0)
      return node.fail("attribute 'pads' has a negative value");
    if (same) {
      Expr total = TRY(samePadding(node, in, extent, w.strides[i]));
      Expr half = sizes.floorDiv(total, 2), rest = sizes.sub(total, half);
      w.padLow[i] = automatic == "SAME_UPPER" ? half : rest;
      w.padHigh[i] = automatic == "SAME_UPPER" ? rest : half;
    }
    Expr padded = sizes.add(in, sizes.add(w.padLow[i], w.padHigh[i]));
    w.out.push_back(
        sizes.add(sizes.floorDiv(sizes.add(padded, -extent), w.strides[i]), 1));
    if (w.ceilMode && failed(applyCeilMode(node, w, i, in, extent)))
      return failure();
    auto out = constantOf(w.out[i]);
    if (out && *out < 0)
      return node.fail("a window of size " + Twine(extent) +
                       " does not fit an input of shape " + sizes.str(x->dims));
  }
  return w;
}

} // namespace tilewright::onnx
