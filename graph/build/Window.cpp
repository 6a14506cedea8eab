#include "graph/build/Window.h"

#include "graph/analysis/SizeBounds.h"
#include "graph/build/Checks.h"
#include "graph/build/Movement.h"

using namespace mlir;

namespace tilewright::build {
namespace {

/// Total padding so that the result has `out` elements.
Expr samePadding(Sizes &sizes, Expr in, Expr out, Expr extent, int64_t stride) {
  Expr covered = sizes.add(sizes.mul(sizes.add(out, -1), stride), extent);
  return sizes.positivePart(sizes.sub(covered, in));
}

/// Windows may run over the end, but start within the input.
void roundUp(Sizes &sizes, Window &w, int64_t i, Expr in, Expr extent) {
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

LogicalResult expectWindowRank(GraphBuilder &b, const Tensor &x,
                               ArrayRef<Expr> kernel) {
  int64_t count = x->rank() - 2;
  if (count >= 1 && int64_t(kernel.size()) == count)
    return success();
  return b.fail("the window has " + Twine(kernel.size()) +
                " dimensions, the input has shape " + b.sizes.str(x->dims));
}

FailureOr<Window> makeWindow(GraphBuilder &b, const Tensor &x,
                             const WindowOptions &options) {
  Sizes &sizes = b.sizes;
  if (failed(expectWindowRank(b, x, options.kernel)))
    return failure();
  Window w;
  w.kernel = options.kernel;
  w.strides = options.strides;
  w.dilations = options.dilations;
  bool same = options.padding != WindowPadding::Given;
  // The padding of equal sizes needs no rounding.
  w.rounding = same ? WindowRounding::Down : options.rounding;
  for (int64_t i = 0, e = w.kernel.size(); i < e; ++i) {
    auto taps = constantOf(w.kernel[i]);
    if ((taps && (*taps < 1 || *taps > INT32_MAX)) || w.strides[i] < 1 ||
        w.dilations[i] < 1 || w.dilations[i] > INT32_MAX ||
        w.strides[i] > INT32_MAX)
      return b.fail("the window has size " + sizes.str(w.kernel[i]) +
                    ", stride " + Twine(w.strides[i]) + ", dilation " +
                    Twine(w.dilations[i]) + "; each must be positive");
    Expr in = x->dims[i + 2];
    Expr extent =
        sizes.add(sizes.mul(sizes.add(w.kernel[i], -1), w.dilations[i]), 1);
    Expr sameOut = sizes.ceilDiv(in, w.strides[i]);
    if (same) {
      Expr total = samePadding(sizes, in, sameOut, extent, w.strides[i]);
      Expr half = sizes.floorDiv(total, 2), rest = sizes.sub(total, half);
      bool moreAfter = options.padding == WindowPadding::SameMoreAfter;
      w.padLow.push_back(moreAfter ? half : rest);
      w.padHigh.push_back(moreAfter ? rest : half);
    } else {
      w.padLow.push_back(sizes.constant(options.padLow[i]));
      w.padHigh.push_back(sizes.constant(options.padHigh[i]));
    }
    w.padHighGiven.push_back(w.padHigh[i]);
    Expr padded = sizes.add(in, sizes.add(w.padLow[i], w.padHigh[i]));
    Expr covered = sizes.floorDiv(sizes.sub(padded, extent), w.strides[i]);
    w.out.push_back(same ? sameOut : sizes.add(covered, 1));
    if (w.rounding == WindowRounding::Up)
      roundUp(sizes, w, i, in, extent);
    if (less(sizes, padded, extent) == true && !same)
      return b.fail("a window of size " + sizes.str(extent) +
                    " does not fit an input of shape " + sizes.str(x->dims));
    auto room = lowerBoundUnlessEmpty(sizes, sizes.sub(padded, extent));
    if (!same && (!room || *room < 0))
      checkAtMost(b, extent, padded,
                  "a window of size " + sizes.str(extent) +
                      " does not fit an input of shape " + sizes.str(x->dims));
  }
  return w;
}

FailureOr<Tensor> padSpatial(GraphBuilder &b, const Tensor &x, const Window &w,
                             TypedAttr value) {
  const size_t others = x->dims.size() - w.padLow.size();
  SmallVector<Expr> low(others, b.zero()), high(others, b.zero());
  low.append(w.padLow.begin(), w.padLow.end());
  high.append(w.padHigh.begin(), w.padHigh.end());
  return pad(b, x, low, high, value);
}

} // namespace tilewright::build
