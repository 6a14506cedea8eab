// The attributes of convolutions and poolings.
#include "frontends/onnx/OpsCommon.h"

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

} // namespace

FailureOr<Window> readWindow(Node &node, const Tensor &x,
                             ArrayRef<Expr> kernel) {
  if (failed(expectWindowRank(node.b, x, kernel)))
    return failure();
  int64_t count = kernel.size();
  WindowOptions w;
  w.kernel.assign(kernel.begin(), kernel.end());
  TRY(w.strides, perDimension(node, "strides", count, 1));
  TRY(w.dilations, perDimension(node, "dilations", count, 1));
  TRY(SmallVector<int64_t> pads, perDimension(node, "pads", 2 * count, 0));
  TRY(bool ceilMode, node.attributes.flag("ceil_mode", false));
  if (ceilMode)
    w.rounding = WindowRounding::Up;
  TRY(std::string automatic, node.attributes.string("auto_pad", "NOTSET"));
  if (automatic == "SAME_UPPER")
    w.padding = WindowPadding::SameMoreAfter;
  else if (automatic == "SAME_LOWER")
    w.padding = WindowPadding::SameMoreBefore;
  else if (automatic != "NOTSET" && automatic != "VALID")
    return node.fail("attribute 'auto_pad' is '" + automatic +
                     "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  if (llvm::any_of(pads, [](int64_t amount) { return amount < 0; }))
    return node.fail("attribute 'pads' has a negative value");
  if (automatic == "VALID")
    pads.assign(2 * count, 0);
  w.padLow.assign(pads.begin(), pads.begin() + count);
  w.padHigh.assign(pads.begin() + count, pads.end());
  return makeWindow(node.b, x, w);
}

} // namespace tilewright::onnx
