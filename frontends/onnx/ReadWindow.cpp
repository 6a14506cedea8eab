// The geometry of convolutions and poolings.
#include "frontends/onnx/OpsCommon.h"
#include "graph/analysis/SizeBounds.h"
#include "graph/build/Checks.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

FailureOr<SmallVector<int64_t>> perDimension(Node &node, StringRef name,
                                             int64_t count, int64_t otherwise) {
  TRY(SmallVector<int64_t> values, node.attributes.integers(name));
  if (values.empty())
    return SmallVector<int64_t>(count, otherwise);
  if (int64_t(values.size()) != count)
    return node.fail("attribute '" + name + "' has " + Twine(values.size()) +
                     " values, expected " + Twine(count));
  return values;
}

/// Total padding so that the result has `out` elements.
Expr samePadding(Sizes &sizes, Expr in, Expr out, Expr extent, int64_t stride) {
  Expr covered = sizes.add(sizes.mul(sizes.add(out, -1), stride), extent);
  return sizes.positivePart(sizes.sub(covered, in));
}

/// Ceil mode: windows may run over the end, but start within the input.
void applyCeilMode(Sizes &sizes, Window &w, int64_t i, Expr in, Expr extent) {
  int64_t stride = w.strides[i];
  Expr padded = sizes.add(in, sizes.add(w.padLow[i], w.padHigh[i]));
  Expr covering =
      sizes.add(sizes.ceilDiv(sizes.sub(padded, extent), stride), 1);
  // Windows that start at or before the last element.
  Expr starting = sizes.add(
      sizes.floorDiv(sizes.add(sizes.add(in, w.padLow[i]), -1), stride), 1);
  bool neverPast =
      less(sizes, extent, sizes.add(w.padHigh[i], stride)) == false;
  w.out[i] = neverPast ? covering : sizes.min(covering, starting);
  Expr needed = sizes.add(sizes.mul(sizes.add(w.out[i], -1), stride), extent);
  w.padHigh[i] =
      sizes.add(w.padHigh[i], sizes.positivePart(sizes.sub(needed, padded)));
}

} // namespace

FailureOr<Window> readWindow(Node &node, const Tensor &x,
                             ArrayRef<Expr> kernel) {
  Sizes &sizes = node.b.sizes;
  int64_t count = x->rank() - 2;
  Window w;
  w.kernel.assign(kernel.begin(), kernel.end());
  if (count < 1 || int64_t(kernel.size()) != count)
    return node.fail("the window has " + Twine(kernel.size()) +
                     " dimensions, the input has shape " + sizes.str(x->dims));
  TRY(w.strides, perDimension(node, "strides", count, 1));
  TRY(w.dilations, perDimension(node, "dilations", count, 1));
  TRY(SmallVector<int64_t> pads, perDimension(node, "pads", 2 * count, 0));
  TRY(w.ceilMode, node.attributes.flag("ceil_mode", false));
  TRY(std::string automatic, node.attributes.string("auto_pad", "NOTSET"));
  bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!same && automatic != "NOTSET" && automatic != "VALID")
    return node.fail("attribute 'auto_pad' is '" + automatic +
                     "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  // The padding of SAME needs no rounding.
  w.ceilMode &= !same;
  for (int64_t i = 0; i < count; ++i) {
    auto taps = constantOf(kernel[i]);
    if ((taps && (*taps < 1 || *taps > INT32_MAX)) || w.strides[i] < 1 ||
        w.dilations[i] < 1 || w.dilations[i] > INT32_MAX ||
        w.strides[i] > INT32_MAX)
      return node.fail("the window has size " + sizes.str(kernel[i]) +
                       ", stride " + Twine(w.strides[i]) + ", dilation " +
                       Twine(w.dilations[i]) + "; each must be positive");
    Expr in = x->dims[i + 2];
    Expr extent =
        sizes.add(sizes.mul(sizes.add(kernel[i], -1), w.dilations[i]), 1);
    w.padLow.push_back(sizes.constant(automatic == "VALID" ? 0 : pads[i]));
    w.padHigh.push_back(
        sizes.constant(automatic == "VALID" ? 0 : pads[i + count]));
    if (pads[i] < 0 || pads[i + count] < 0)
      return node.fail("attribute 'pads' has a negative value");
    Expr sameOut = sizes.ceilDiv(in, w.strides[i]);
    if (same) {
      Expr total = samePadding(sizes, in, sameOut, extent, w.strides[i]);
      Expr half = sizes.floorDiv(total, 2), rest = sizes.sub(total, half);
      w.padLow[i] = automatic == "SAME_UPPER" ? half : rest;
      w.padHigh[i] = automatic == "SAME_UPPER" ? rest : half;
    }
    Expr padded = sizes.add(in, sizes.add(w.padLow[i], w.padHigh[i]));
    Expr covered = sizes.floorDiv(sizes.sub(padded, extent), w.strides[i]);
    w.out.push_back(same ? sameOut : sizes.add(covered, 1));
    if (w.ceilMode)
      applyCeilMode(sizes, w, i, in, extent);
    if (less(sizes, padded, extent) == true && !same)
      return node.fail("a window of size " + sizes.str(extent) +
                       " does not fit an input of shape " + sizes.str(x->dims));
    auto room = lowerBoundUnlessEmpty(sizes, sizes.sub(padded, extent));
    if (!same && (!room || *room < 0))
      checkAtMost(node.b, extent, padded,
                  "a window of size " + sizes.str(extent) +
                      " does not fit an input of shape " + sizes.str(x->dims));
  }
  return w;
}

} // namespace tilewright::onnx
