// Resize and other interpolating reads.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/KnownTensor.h"
#include "graph/build/Movement.h"
#include "graph/build/Remedy.h"
#include "graph/build/Resize.h"

#include <cmath>

using namespace mlir;

namespace tilewright::onnx {
namespace {

/// A name of a choice.
template <typename T> struct Named {
  StringRef name;
  T value;
};

/// The choice that an attribute names.
template <typename T>
LogicalResult choose(Node &node, StringRef attribute, StringRef otherwise,
                     ArrayRef<Named<T>> choices, T &value) {
  TRY(std::string name, node.attributes.string(attribute, otherwise));
  for (const Named<T> &choice : choices)
    if (choice.name == name) {
      value = choice.value;
      return success();
    }
  return node.fail("attribute '" + attribute + "' is '" + name +
                   "', which is not supported");
}

constexpr Named<Interpolation> interpolations[] = {
    {"nearest", Interpolation::Nearest},
    {"linear", Interpolation::Linear},
    {"bilinear", Interpolation::Linear},
    {"cubic", Interpolation::Cubic}};

constexpr Named<ResizeCoordinates> coordinateModes[] = {
    {"half_pixel", ResizeCoordinates::HalfPixel},
    {"half_pixel_symmetric", ResizeCoordinates::HalfPixelFromMiddle},
    {"pytorch_half_pixel", ResizeCoordinates::HalfPixelUnlessOne},
    {"align_corners", ResizeCoordinates::AlignCorners},
    {"asymmetric", ResizeCoordinates::Asymmetric},
    {"tf_crop_and_resize", ResizeCoordinates::Region},
    {"tf_half_pixel_for_nn", ResizeCoordinates::HalfPixelUnshifted}};

/// "simple" is what is done before opset 11, which does not say it.
constexpr Named<ResizeRounding> nearestModes[] = {
    {"round_prefer_floor", ResizeRounding::HalfDown},
    {"round_prefer_ceil", ResizeRounding::HalfUp},
    {"floor", ResizeRounding::Floor},
    {"ceil", ResizeRounding::Ceil},
    {"simple", ResizeRounding::UpToShrink}};

LogicalResult readOptions(Node &node, ResizeOptions &o) {
  bool isOld = node.opset < 11;
  TRY(o.cubic, node.attributes.number("cubic_coeff_a", -0.75));
  TRY(o.outside, node.attributes.number("extrapolation_value", 0));
  TRY(o.antialias, node.attributes.flag("antialias", false));
  TRY(o.excludeOutside, node.attributes.flag("exclude_outside", false));
  if (failed(choose<Interpolation>(node, "mode", "nearest", interpolations,
                                   o.interpolation)) ||
      failed(choose<ResizeCoordinates>(node, "coordinate_transformation_mode",
                                       isOld ? "asymmetric" : "half_pixel",
                                       coordinateModes, o.coordinates)) ||
      failed(choose<ResizeRounding>(node, "nearest_mode",
                                    isOld ? "simple" : "round_prefer_floor",
                                    nearestModes, o.rounding)))
    return failure();
  // ONNX Runtime truncates where linear weights give each number between two
  // of the input; what it does not compute so is rounded as ONNX's reference
  // does.
  o.truncates = o.interpolation == Interpolation::Linear && !o.antialias;
  return success();
}

SmallVector<Expr> inAndOut(ArrayRef<ResizeAxis> axes) {
  SmallVector<Expr> sizes;
  for (const ResizeAxis &axis : axes)
    sizes.append({axis.in, axis.out});
  return sizes;
}

LogicalResult setSizes(Node &node, ArrayRef<int64_t> listed, int64_t input,
                       bool needsStatic, MutableArrayRef<ResizeAxis> axes) {
  TRY(std::string policy,
      node.attributes.string("keep_aspect_ratio_policy", "stretch"));
  TRY(SmallVector<Expr> sizes, needsStatic || policy != "stretch"
                                   ? contentOf(node, input, "sizes")
                                   : sizesOf(node, input, "sizes", 0));
  if (sizes.size() != listed.size())
    return node.fail("sizes has " + Twine(sizes.size()) + " values, expected " +
                     Twine(listed.size()));
  for (auto [size, i] : llvm::zip(sizes, listed)) {
    axes[i].out = size;
    axes[i].active = size != axes[i].in;
    setScaleOfSizes(node.b.sizes, axes[i]);
  }
  if (policy != "stretch" &&
      failed(setCommonScale(node.b.sizes, listed,
                            /*takesLeast=*/policy == "not_larger", axes)))
    return node.fail("keep_aspect_ratio_policy needs static sizes" +
                     sizeRemedy(node.b, inAndOut(axes)));
  return success();
}

/// Each scale by itself: some of them may be constants.
LogicalResult setComputedScales(Node &node, ArrayRef<int64_t> listed,
                                const Tensor &scales,
                                MutableArrayRef<ResizeAxis> axes) {
  GraphBuilder &b = node.b;
  const Expr one = b.sizes.constant(1);
  if (countOf(*scales) != std::ssize(listed) || scales->rank() != 1)
    return node.fail("scales has shape " + b.sizes.str(scales->dims) +
                     ", expected " + Twine(listed.size()) + " values");
  for (auto [k, i] : llvm::enumerate(listed)) {
    TRY(Tensor scale,
        slice(b, scales, {b.sizes.constant(int64_t(k))}, {one}, {1}));
    Tensor known = evaluate(b, scale);
    if (known && known->constant) {
      if (failed(setScale(b, floatAt(*known, 0), axes[i])))
        return failure();
    } else if (auto ratio = evaluateRatio(b, scale)) {
      setScaleRatio(b, ratio->numerator, ratio->denominator, axes[i]);
    } else if (failed(setComputedScale(b, scale, axes[i]))) {
      return failure();
    }
  }
  return success();
}

LogicalResult setScales(Node &node, ArrayRef<int64_t> listed, int64_t input,
                        bool needsStatic, MutableArrayRef<ResizeAxis> axes) {
  SmallVector<double> scales;
  if (input < 0) {
    TRY(scales, node.attributes.numbers("scales"));
  } else {
    TRY(Tensor tensor, knownInput(node, input));
    if (!tensor->constant && !needsStatic)
      return setComputedScales(node, listed, tensor, axes);
    TRY(scales, numbersOf(node, input, "scales", 16));
  }
  if (scales.size() != listed.size())
    return node.fail("scales has " + Twine(scales.size()) +
                     " values, expected " + Twine(listed.size()));
  for (auto [scale, i] : llvm::zip(scales, listed))
    if (failed(setScale(node.b, scale, axes[i])))
      return failure();
  return success();
}

/// The region of coordinates that have one.
LogicalResult setRegions(Node &node, ArrayRef<int64_t> listed, int64_t input,
                         MutableArrayRef<ResizeAxis> axes) {
  TRY(SmallVector<double> roi, numbersOf(node, input, "roi", 16));
  if (roi.size() != 2 * listed.size())
    return node.fail("roi has " + Twine(roi.size()) + " values, expected " +
                     Twine(2 * listed.size()));
  for (auto [k, i] : llvm::enumerate(listed)) {
    double start = roi[k], end = roi[k + listed.size()];
    for (double side : {start, end})
      if (!(std::abs(side) <= 0x1p20))
        return node.fail("roi has " + Twine(std::to_string(side)) +
                         ", expected a number of at most 2^20");
    setRegion(axes[i], start, end);
  }
  return success();
}

LogicalResult resizeBy(Node &node, int64_t roiInput, int64_t scalesInput,
                       int64_t sizesInput) {
  TRY(Tensor x, node.input(0));
  ResizeOptions options;
  if (failed(readOptions(node, options)))
    return failure();
  SmallVector<ResizeAxis> axes = keptAxes(node.b, x);
  SmallVector<int64_t> listed = axesFrom(0, x->rank());
  if (node.attributes.has("axes")) {
    listed.clear();
    TRY(SmallVector<int64_t> values, node.attributes.integers("axes"));
    for (int64_t value : values) {
      TRY(int64_t axis, axisOf(node.b, value, x->rank()));
      listed.push_back(axis);
    }
  }
  bool hasSizes = sizesInput >= 0 && node.hasInput(sizesInput);
  if (failed(
          hasSizes
              ? setSizes(node, listed, sizesInput, options.antialias, axes)
              : setScales(node, listed, scalesInput, options.antialias, axes)))
    return failure();
  if (options.hasRegion() && failed(setRegions(node, listed, roiInput, axes)))
    return failure();
  return node.done(resize(node.b, x, options, axes));
}

LogicalResult importResize(Node &node) {
  return node.opset < 11 ? resizeBy(node, -1, 1, -1) : resizeBy(node, 1, 2, 3);
}

LogicalResult importUpsample(Node &node) {
  return resizeBy(node, -1, node.opset >= 9 ? 1 : -1, -1);
}

} // namespace

void addResizeOps(OpTable &t) {
  t.add("Resize", 10, importResize,
        "roi constant; with antialias, sizes and scales too");
  t.add("Upsample", 1, importUpsample);
}

} // namespace tilewright::onnx
