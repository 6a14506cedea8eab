// Convolutions.
#include "frontends/torch/Call.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Conv.h"
#include "graph/build/Movement.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

/// A convolution's arguments.
struct Convolution {
  Tensor x, w, bias;
  SmallVector<int64_t> strides, dilations, padding, outputPadding;
  WindowPadding mode = WindowPadding::Given;
  int64_t groups = 1;
  bool transposed = false;
};

/// Padding as numbers, or "same" or "valid".
LogicalResult readPadding(Call &c, int64_t spatial, Convolution &v) {
  const Argument *padding = c.find("padding");
  if (!padding || !std::holds_alternative<std::string>(padding->value)) {
    TRY(v.padding, c.perDimension("padding", spatial));
    return success();
  }
  TRY(std::string name, c.text("padding"));
  v.padding.assign(spatial, 0);
  if (name == "same")
    v.mode = WindowPadding::SameMoreAfter;
  return success();
}

FailureOr<Convolution> readConvolution(Call &c) {
  Convolution v;
  TRY(v.x, c.tensor("input"));
  TRY(v.w, c.tensor("weight"));
  TRY(v.bias, c.optionalTensor("bias"));
  int64_t spatial = v.w->rank() - 2;
  if (spatial < 1)
    return c.fail("weights have shape " + c.b.sizes.str(v.w->dims) +
                  ", expected at least three dimensions");
  TRY(v.strides, c.perDimension("stride", spatial));
  TRY(v.dilations, c.perDimension("dilation", spatial));
  if (failed(readPadding(c, spatial, v)))
    return failure();
  TRY(v.groups, c.integer("groups"));
  StringRef name = c.target;
  v.transposed = name.starts_with("aten.conv_transpose");
  if (name.starts_with("aten.convolution")) {
    TRY(v.transposed, c.flag("transposed"));
  }
  v.outputPadding.assign(spatial, 0);
  if (v.transposed) {
    TRY(v.outputPadding, c.perDimension("output_padding", spatial));
  }
  return v;
}

FailureOr<Tensor> convolveForward(Call &c, const Convolution &v, Element out) {
  if (failed(expectWeights(c.b, v.x, v.w, v.groups)))
    return failure();
  WindowOptions options;
  options.kernel.assign(v.w->dims.begin() + 2, v.w->dims.end());
  options.strides = v.strides;
  options.dilations = v.dilations;
  options.padding = v.mode;
  options.padLow = v.padding;
  options.padHigh = v.padding;
  TRY(Window window, makeWindow(c.b, v.x, options));
  return convolve(c.b, v.x, v.w, v.groups, window, out);
}

FailureOr<Tensor> convolveBackward(Call &c, const Convolution &v, Element out) {
  TransposedWindowOptions options;
  auto kernel = constantsOf(ArrayRef<Expr>(v.w->dims).drop_front(2));
  if (!kernel)
    return c.fail("weights have shape " + c.b.sizes.str(v.w->dims) +
                  ", expected a static window");
  options.kernel = *kernel;
  options.strides = v.strides;
  options.dilations = v.dilations;
  options.padLow = v.padding;
  options.padHigh = v.padding;
  options.extra = v.outputPadding;
  Window window = makeTransposedWindow(c.b, v.x, options);
  return convolveTransposed(c.b, v.x, v.w, v.groups, window, out);
}

LogicalResult importConvolution(Call &c) {
  TRY(Convolution v, readConvolution(c));
  // One image without a batch.
  const bool single = v.x->rank() == v.w->rank() - 1;
  if (single) {
    SmallVector<int64_t> kept = {-1};
    for (int64_t i = 0; i < v.x->rank(); ++i)
      kept.push_back(i);
    v.x = rearrange(c.b, v.x, kept);
  }
  // A sum of 16 bits is rounded once, with its bias.
  Element out = v.x->element, sum = v.bias ? accumulatorOf(c.b, out) : out;
  TRY(Tensor result,
      v.transposed ? convolveBackward(c, v, sum) : convolveForward(c, v, sum));
  if (v.bias) {
    TRY(Tensor bias, convert(c.b, v.bias, sum));
    TRY(result, addBias(c.b, result, bias));
    TRY(result, convert(c.b, result, out));
  }
  if (single) {
    SmallVector<int64_t> kept;
    for (int64_t i = 1; i < result->rank(); ++i)
      kept.push_back(i);
    result = rearrange(c.b, result, kept);
  }
  return c.set(0, result);
}

} // namespace

void addConvOps(OpTable &t) {
  t.add({"aten.conv1d.default", "aten.conv2d.default", "aten.conv3d.default",
         "aten.conv1d.padding", "aten.conv2d.padding", "aten.conv3d.padding",
         "aten.conv_transpose1d.default", "aten.conv_transpose2d.input",
         "aten.conv_transpose3d.input", "aten.convolution.default"},
        importConvolution);
}

} // namespace tilewright::torch
