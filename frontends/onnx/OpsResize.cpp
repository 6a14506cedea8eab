// Resize and other interpolating reads.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Checks.h"
#include "graph/build/Generic.h"
#include "graph/build/ResizeTaps.h"
#include "graph/build/TensorValues.h"

#include <cmath>

using namespace mlir;

namespace tilewright::onnx {
namespace {

class Resizer {
public:
  Resizer(GraphBuilder &b, const Tensor &x, const ResizeMode &mode,
          ArrayRef<ResizeAxis> axes)
      : b(b), x(x), mode(mode), axes(axes) {}

  FailureOr<Tensor> run() {
    SmallVector<Expr> dims;
    for (const ResizeAxis &axis : axes)
      dims.push_back(axis.out);
    denseValue(b, x);
    return gather(b, {}, dims, x->element,
                  [&](Scalar &s, ArrayRef<Value>) { return element(s); });
  }

private:
  GraphBuilder &b;
  const Tensor &x;
  const ResizeMode &mode;
  ArrayRef<ResizeAxis> axes;

  /// Reads along dimension `d` on, with the positions before it fixed.
  Value sum(Scalar &s, ArrayRef<ResizeTaps> taps, SmallVectorImpl<Value> &at,
            size_t d) {
    if (d == axes.size())
      return widen(s, extractElement(b, s, x, at, /*isPart=*/true));
    if (!axes[d].active) {
      at.push_back(s.loop(d));
      Value result = sum(s, taps, at, d + 1);
      at.pop_back();
      return result;
    }
    Value total;
    for (auto [index, weight] : llvm::zip(taps[d].indices, taps[d].weights)) {
      at.push_back(index);
      Value term = s.mul(sum(s, taps, at, d + 1), weight);
      at.pop_back();
      total = total ? s.add(total, term) : term;
    }
    return total;
  }

  FloatType wide() {
    return x->element.type.isF64() ? cast<FloatType>(x->element.type)
                                   : b.builder.getF32Type();
  }

  Value widen(Scalar &s, Value v) { return s.convert(v, wide()); }

  Value element(Scalar &s) {
    SmallVector<ResizeTaps> taps(axes.size());
    SmallVector<Value> at;
    Value outside;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      Value index = s.loop(i);
      if (axis.active) {
        taps[i] = resizeTaps(b, s, mode, axis, index, wide());
        index = taps[i].indices[0];
      }
      at.push_back(index);
      if (Value out = taps[i].outside)
        outside = outside ? s.logicalOr(outside, out) : out;
    }
    Value result;
    if (mode.isNearest()) {
      result = extractElement(b, s, x, at, /*isPart=*/true);
    } else {
      at.clear();
      result = sum(s, taps, at, 0);
      if (!x->element.isFloat())
        result = integerResult(s, result);
    }
    if (outside)
      result = s.select(outside, s.like(result, mode.outside), result);
    return result;
  }

  /// ONNX Runtime truncates where linear weights give each number between two
  /// of the input; what it does not compute so is rounded as ONNX's reference
  /// does.
  Value integerResult(Scalar &s, Value v) {
    if (x->element.isBool())
      return s.convert(v, x->element.type);
    if (mode.mode != "linear" || mode.antialias)
      v = s.make<math::RoundEvenOp>(v);
    return s.saturated(v, x->element.type, x->element.isUnsigned);
  }
};

LogicalResult readMode(Node &node, ResizeMode &m) {
  TRY(m.mode, node.attributes.string("mode", "nearest"));
  if (m.mode == "bilinear")
    m.mode = "linear";
  TRY(m.coordinate,
      node.attributes.string("coordinate_transformation_mode",
                             node.opset >= 11 ? "half_pixel" : "asymmetric"));
  TRY(m.nearest,
      node.attributes.string(
          "nearest_mode", node.opset >= 11 ? "round_prefer_floor" : "simple"));
  TRY(m.cubic, node.attributes.number("cubic_coeff_a", -0.75));
  TRY(m.outside, node.attributes.number("extrapolation_value", 0));
  TRY(m.antialias, node.attributes.flag("antialias", false));
  TRY(m.excludeOutside, node.attributes.flag("exclude_outside", false));
  auto oneOf = [&](StringRef what, StringRef value,
                   ArrayRef<StringRef> values) -> LogicalResult {
    if (llvm::is_contained(values, value))
      return success();
    return node.fail("attribute '" + what + "' is '" + value +
                     "', which is not supported");
  };
  if (failed(oneOf("mode", m.mode, {"nearest", "linear", "cubic"})) ||
      failed(oneOf("coordinate_transformation_mode", m.coordinate,
                   {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
                    "align_corners", "asymmetric", "tf_crop_and_resize",
                    "tf_half_pixel_for_nn"})) ||
      failed(oneOf("nearest_mode", m.nearest,
                   {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil",
                    "simple"})))
    return failure();
  return success();
}

/// Sets the scale and the size floor(in * scale) of an axis.
LogicalResult setScale(Node &node, double scale, ResizeAxis &axis) {
  Sizes &z = node.b.sizes;
  if (!(scale >= 0 && scale < 1e15))
    return node.fail("a scale is " + Twine(std::to_string(scale)));
  auto ratio = ratioOf(scale);
  auto in = constantOf(axis.in);
  if (!ratio && !(in && double(*in) * scale < 1))
    return node.fail("a scale is below 2^-38, too small for 64 bits");
  axis.numerator = z.constant(ratio ? ratio->first : 0);
  axis.denominator = z.constant(ratio ? ratio->second : 1);
  axis.out = z.floorDiv(z.mul(axis.in, axis.numerator), axis.denominator);
  axis.active = scale != 1;
  return success();
}

/// keep_aspect_ratio_policy: one scale for all the listed dimensions.
LogicalResult keepAspectRatio(Node &node, StringRef policy,
                              ArrayRef<int64_t> listed,
                              MutableArrayRef<ResizeAxis> axes) {
  using Wide = __int128;
  std::optional<std::pair<int64_t, int64_t>> common;
  for (int64_t i : listed) {
    auto in = constantOf(axes[i].in), out = constantOf(axes[i].out);
    if (!in || !out || *in < 1 || *out < 1 || *out > INT32_MAX)
      return node.fail("keep_aspect_ratio_policy needs static sizes");
    bool isLess =
        common && Wide(*out) * common->second < Wide(common->first) * Wide(*in);
    if (!common || isLess == (policy == "not_larger"))
      common = {*out, *in};
  }
  Sizes &z = node.b.sizes;
  for (int64_t i : listed) {
    ResizeAxis &axis = axes[i];
    auto [out, in] = *common;
    // Rounded, halves up.
    Expr twice = z.mul(z.mul(axis.in, out), 2);
    axis.out = z.floorDiv(z.add(twice, in), z.mul(z.constant(in), 2));
    axis.numerator = z.constant(out);
    axis.denominator = z.constant(in);
    axis.active = out != in;
  }
  return success();
}

LogicalResult setSizes(Node &node, ArrayRef<int64_t> listed, int64_t input,
                       MutableArrayRef<ResizeAxis> axes) {
  TRY(SmallVector<Expr> sizes, contentOf(node, input, "sizes"));
  if (sizes.size() != listed.size())
    return node.fail("sizes has " + Twine(sizes.size()) + " values, expected " +
                     Twine(listed.size()));
  for (auto [size, i] : llvm::zip(sizes, listed)) {
    axes[i].out = size;
    axes[i].active = size != axes[i].in;
    setScaleOfSizes(node.b.sizes, axes[i]);
  }
  TRY(std::string policy,
      node.attributes.string("keep_aspect_ratio_policy", "stretch"));
  return policy == "stretch" ? success()
                             : keepAspectRatio(node, policy, listed, axes);
}

LogicalResult setScales(Node &node, ArrayRef<int64_t> listed, int64_t input,
                        MutableArrayRef<ResizeAxis> axes) {
  SmallVector<double> scales;
  if (input < 0) {
    TRY(scales, node.attributes.numbers("scales"));
  } else {
    TRY(scales, numbersOf(node, input, "scales", 16));
  }
  if (scales.size() != listed.size())
    return node.fail("scales has " + Twine(scales.size()) +
                     " values, expected " + Twine(listed.size()));
  for (auto [scale, i] : llvm::zip(scales, listed))
    if (failed(setScale(node, scale, axes[i])))
      return failure();
  return success();
}

/// The region that tf_crop_and_resize reads, exact to 2^-30 of a length.
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
    ResizeAxis &axis = axes[i];
    auto isWhole = [](double number) { return number == std::floor(number); };
    double parts = 1;
    while (parts < 0x1p30 && !(isWhole(start * parts) && isWhole(end * parts)))
      parts *= 2;
    axis.roiParts = int64_t(parts);
    axis.roiStart = std::llround(start * parts);
    axis.roiEnd = std::llround(end * parts);
    axis.active |= start != 0 || end != 1;
  }
  return success();
}

/// What is known of the sizes allows the mode.
LogicalResult checkAxes(Node &node, const ResizeMode &mode,
                        MutableArrayRef<ResizeAxis> axes) {
  GraphBuilder &b = node.b;
  for (ResizeAxis &axis : axes) {
    // No element has a position.
    if (isConst(axis.out, 0))
      axis.numerator = axis.denominator = b.sizes.constant(1);
    if (!axis.active)
      continue;
    if (isConst(axis.in, 0) && constantOf(axis.out).value_or(0) > 0)
      return node.fail("a dimension without elements cannot become one of " +
                       b.sizes.str(axis.out));
    // Elements follow from elements, for all sizes where the scale is known.
    if (!axis.scale())
      checkAtMost(b, b.sizes.min(axis.out, b.sizes.constant(1)), axis.in,
                  "a dimension without elements cannot be resized");
    if (mode.antialias && !axis.scale())
      return node.fail("antialias needs static sizes");
    if (mode.antialias && !(*axis.scale() >= 1.0 / 256))
      return node.fail("antialias of scales under 1/256 is not supported");
    auto longest = longestResized(b.sizes, mode.coordinate, axis);
    if (!longest)
      continue;
    for (Expr size : {axis.in, axis.out})
      checkAtMost(b, size, b.sizes.constant(*longest),
                  "a resized dimension is too long for its scale or its roi");
  }
  return success();
}

LogicalResult resize(Node &node, int64_t roiInput, int64_t scalesInput,
                     int64_t sizesInput) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  ResizeMode mode;
  if (failed(readMode(node, mode)))
    return failure();
  SmallVector<ResizeAxis> axes;
  SmallVector<int64_t> listed;
  Expr one = b.sizes.constant(1);
  for (Expr size : x->dims) {
    listed.push_back(axes.size());
    axes.push_back({size, size, one, one});
  }
  if (node.attributes.has("axes")) {
    listed.clear();
    TRY(SmallVector<int64_t> values, node.attributes.integers("axes"));
    for (int64_t value : values) {
      TRY(int64_t axis, axisOf(node.b, value, x->rank()));
      listed.push_back(axis);
    }
  }
  bool hasSizes = sizesInput >= 0 && node.hasInput(sizesInput);
  if (failed(hasSizes ? setSizes(node, listed, sizesInput, axes)
                      : setScales(node, listed, scalesInput, axes)))
    return failure();
  if (mode.coordinate == "tf_crop_and_resize" &&
      failed(setRegions(node, listed, roiInput, axes)))
    return failure();
  if (failed(checkAxes(node, mode, axes)))
    return failure();
  return node.done(Resizer(b, x, mode, axes).run());
}

LogicalResult importResize(Node &node) {
  return node.opset < 11 ? resize(node, -1, 1, -1) : resize(node, 1, 2, 3);
}

LogicalResult importUpsample(Node &node) {
  return resize(node, -1, node.opset >= 9 ? 1 : -1, -1);
}

} // namespace

void addResizeOps(OpTable &t) {
  t.add("Resize", 10, importResize,
        "scales and roi constant, sizes known at import");
  t.add("Upsample", 1, importUpsample, "scales constant");
}

} // namespace tilewright::onnx
