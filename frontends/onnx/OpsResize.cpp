// Resize and other interpolating reads.
#include "frontends/onnx/Generic.h"
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "frontends/onnx/TensorValues.h"

#include <cmath>

using namespace mlir;

namespace tilewright::onnx {
namespace {

/// One resized dimension.
struct Axis {
  Expr in, out;
  /// The scale if it is known, else it is out / in.
  std::optional<double> scale;
  /// The static size times the scale attribute.
  std::optional<double> fromScale = std::nullopt;
  double roiStart = 0, roiEnd = 1;
  bool active = false;
};

struct ResizeMode {
  std::string mode, coordinate, nearest;
  double cubic = -0.75, outside = 0;
  bool antialias = false, excludeOutside = false;
};

/// The scale of a dimension as a float scalar.
Value scaleOf(GraphBuilder &b, Scalar &s, const Axis &axis, Type type) {
  if (axis.scale)
    return s.constant(type, *axis.scale);
  return s.div(s.fromIndex(b.index(axis.out), type),
               s.fromIndex(b.index(axis.in), type));
}

/// The position in the input of output element `i` (ONNX Resize,
/// coordinate_transformation_mode).
Value inputPosition(GraphBuilder &b, Scalar &s, const ResizeMode &m,
                    const Axis &axis, Value i) {
  Type type = s.builder.getF32Type();
  auto number = [&](double v) { return s.constant(type, v); };
  auto size = [&](Expr e) {
    return constantOf(e) ? number(double(*constantOf(e)))
                         : s.fromIndex(b.index(e), type);
  };
  Value x = s.fromIndex(i, type), scale = scaleOf(b, s, axis, type);
  Value half = number(0.5), one = number(1);
  if (m.coordinate == "asymmetric")
    return s.div(x, scale);
  if (m.coordinate == "tf_half_pixel_for_nn")
    return s.div(s.add(x, half), scale);
  if (m.coordinate == "align_corners" || m.coordinate == "tf_crop_and_resize") {
    Value last = s.sub(size(axis.in), one);
    // The resized length is in * scale, not rounded, where a scale was given.
    Value length = axis.fromScale ? number(*axis.fromScale) : size(axis.out);
    Value outLast = s.sub(length, one);
    Value isOne = s.eq(outLast, number(0));
    Value safe = s.select(isOne, one, outLast);
    if (m.coordinate == "align_corners")
      return s.select(isOne, number(0), s.div(s.mul(x, last), safe));
    Value start = s.mul(number(axis.roiStart), last);
    Value span = s.mul(number(axis.roiEnd - axis.roiStart), last);
    Value middle = s.mul(number(0.5 * (axis.roiStart + axis.roiEnd)), last);
    return s.select(isOne, middle, s.add(start, s.div(s.mul(x, span), safe)));
  }
  Value halfPixel = s.sub(s.div(s.add(x, half), scale), half);
  if (m.coordinate == "pytorch_half_pixel")
    return s.select(s.gt(size(axis.out), one), halfPixel, number(0));
  if (m.coordinate == "half_pixel_symmetric") {
    // Centers the result when out differs from scale * in.
    Value exact = s.mul(scale, size(axis.in));
    Value adjustment = s.div(size(axis.out), exact);
    Value center = s.div(size(axis.in), number(2));
    Value offset = s.mul(center, s.sub(one, adjustment));
    return s.add(offset, halfPixel);
  }
  return halfPixel;
}

Value floatToIndex(Scalar &s, Value v) {
  return s.make<arith::IndexCastOp>(
      s.builder.getIndexType(),
      s.make<arith::FPToSIOp>(s.builder.getI64Type(), v));
}

Value roundNearest(GraphBuilder &b, Scalar &s, const ResizeMode &m,
                   const Axis &axis, Value x) {
  Value half = s.like(x, 0.5);
  if (m.nearest == "floor")
    return s.floor(x);
  // Before opset 11, which does not say it: up where elements are left out.
  if (m.nearest == "simple") {
    Value scale = scaleOf(b, s, axis, x.getType());
    return s.select(s.lt(scale, s.like(x, 1)), s.ceil(x), s.floor(x));
  }
  if (m.nearest == "ceil")
    return s.ceil(x);
  if (m.nearest == "round_prefer_ceil")
    return s.floor(s.add(x, half));
  return s.ceil(s.sub(x, half));
}

/// Taps of an interpolating filter around a position: positions and weights.
struct Taps {
  SmallVector<Value> positions, weights;
};

/// Whole multiples: nearest reads i / scale exactly.
std::optional<int64_t> wholeScale(const ResizeMode &m, const Axis &axis) {
  if (m.mode != "nearest" || !axis.scale || *axis.scale < 1 ||
      *axis.scale != std::floor(*axis.scale) || *axis.scale > 1e6)
    return std::nullopt;
  bool asymmetric = m.coordinate == "asymmetric" &&
                    (m.nearest == "floor" || m.nearest == "simple");
  bool halfPixel =
      m.coordinate.starts_with("half_pixel") && m.nearest.starts_with("round");
  if (!asymmetric && !halfPixel)
    return std::nullopt;
  return int64_t(*axis.scale);
}

Value cubicWeight(Scalar &s, Value distance, double a) {
  auto number = [&](double v) { return s.like(distance, v); };
  Value d = s.abs(distance);
  Value d2 = s.mul(d, d), d3 = s.mul(d2, d);
  Value near = s.add(s.sub(s.mul(number(a + 2), d3), s.mul(number(a + 3), d2)),
                     number(1));
  Value far = s.sub(s.add(s.sub(s.mul(number(a), d3), s.mul(number(5 * a), d2)),
                          s.mul(number(8 * a), d)),
                    number(4 * a));
  Value outer = s.select(s.lt(d, number(2)), far, number(0));
  return s.select(s.le(d, number(1)), near, outer);
}

/// Taps at whole positions around `x`, unnormalized.
Taps filterTaps(Scalar &s, const ResizeMode &m, Value x, const Axis &axis) {
  auto number = [&](double v) { return s.like(x, v); };
  bool linear = m.mode == "linear";
  // Downscaling with antialiasing stretches the filter.
  double stretch =
      m.antialias && axis.scale ? std::max(1.0, 1 / *axis.scale) : 1.0;
  int64_t reach = int64_t(std::ceil((linear ? 1 : 2) * stretch));
  Value base = s.floor(x), total;
  Taps taps;
  for (int64_t k = 1 - reach; k <= reach; ++k) {
    Value position = s.add(base, number(double(k)));
    Value distance = s.div(s.sub(x, position), number(stretch));
    Value weight = linear ? s.max(s.sub(number(1), s.abs(distance)), number(0))
                          : cubicWeight(s, distance, m.cubic);
    if (m.excludeOutside) {
      Value inside = s.logicalAnd(
          s.ge(position, number(0)),
          s.lt(position, number(double(constantOf(axis.in).value_or(0)))));
      weight = s.select(inside, weight, number(0));
    }
    total = total ? s.add(total, weight) : weight;
    taps.positions.push_back(position);
    taps.weights.push_back(weight);
  }
  if (m.excludeOutside || stretch != 1)
    for (Value &weight : taps.weights)
      weight = s.div(weight, total);
  return taps;
}

class Resizer {
public:
  Resizer(GraphBuilder &b, const Tensor &x, const ResizeMode &mode,
          ArrayRef<Axis> axes)
      : b(b), x(x), mode(mode), axes(axes) {}

  FailureOr<Tensor> run() {
    SmallVector<Expr> dims;
    for (const Axis &axis : axes)
      dims.push_back(axis.out);
    denseValue(b, x);
    return gather(b, {}, dims, x->element,
                  [&](Scalar &s, ArrayRef<Value>) { return element(s); });
  }

private:
  GraphBuilder &b;
  const Tensor &x;
  const ResizeMode &mode;
  ArrayRef<Axis> axes;

  /// Reads along dimension `d` on, with the positions before it fixed.
  Value sum(Scalar &s, ArrayRef<Taps> taps, SmallVectorImpl<Value> &at,
            size_t d) {
    if (d == axes.size())
      return widen(s, extractElement(b, s, x, at));
    if (!axes[d].active) {
      at.push_back(s.loop(d));
      Value result = sum(s, taps, at, d + 1);
      at.pop_back();
      return result;
    }
    Value total;
    for (auto [position, weight] :
         llvm::zip(taps[d].positions, taps[d].weights)) {
      at.push_back(position);
      Value term = s.mul(sum(s, taps, at, d + 1), weight);
      at.pop_back();
      total = total ? s.add(total, term) : term;
    }
    return total;
  }

  Value widen(Scalar &s, Value v) {
    if (mode.mode == "nearest")
      return v;
    return s.convert(v, x->element.type.isF64() ? x->element.type
                                                : s.builder.getF32Type());
  }

  Value clampedIndex(Scalar &s, Value position, const Axis &axis) {
    return boundedIndex(b, s, floatToIndex(s, position), axis.in,
                        /*wrapNegative=*/false);
  }

  Value element(Scalar &s) {
    SmallVector<Taps> taps(axes.size());
    SmallVector<Value> at;
    Value outside;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      if (!axis.active) {
        at.push_back(s.loop(i));
        continue;
      }
      if (auto scale = wholeScale(mode, axis)) {
        at.push_back(s.make<arith::DivUIOp>(s.loop(i), s.index(*scale)));
        continue;
      }
      Value position = inputPosition(b, s, mode, axis, s.loop(i));
      if (mode.coordinate == "tf_crop_and_resize") {
        Value zero = s.like(position, 0);
        Value last =
            s.fromIndex(b.index(b.sizes.add(axis.in, -1)), position.getType());
        Value out = s.logicalOr(s.lt(position, zero), s.gt(position, last));
        outside = outside ? s.logicalOr(outside, out) : out;
      }
      if (mode.mode == "nearest") {
        at.push_back(
            clampedIndex(s, roundNearest(b, s, mode, axis, position), axis));
        continue;
      }
      taps[i] = filterTaps(s, mode, position, axis);
      for (Value &tap : taps[i].positions)
        tap = clampedIndex(s, tap, axis);
      if (x->element.type.isF64())
        for (Value &weight : taps[i].weights)
          weight = s.convert(weight, x->element.type);
    }
    Value result;
    if (mode.mode == "nearest") {
      result = extractElement(b, s, x, at);
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

  Value integerResult(Scalar &s, Value v) {
    return s.convert(v, x->element.type, x->element.isUnsigned);
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

/// floor(size * scale) of a dynamic size for a scale that is a small ratio.
FailureOr<Expr> scaledSize(Node &node, Expr size, double scale) {
  Sizes &sizes = node.b.sizes;
  if (auto constant = constantOf(size)) {
    double out = std::floor(double(*constant) * scale);
    if (!(out >= 0 && out < 1e15))
      return node.fail("a scale is " + Twine(std::to_string(scale)));
    return sizes.constant(int64_t(out));
  }
  for (int64_t divisor = 1; divisor <= 64; ++divisor) {
    double whole = std::round(scale * double(divisor));
    if (whole >= 1 && whole < 1e6 &&
        std::abs(scale - whole / double(divisor)) < 1e-7 * scale)
      return sizes.floorDiv(sizes.mul(size, int64_t(whole)), divisor);
  }
  return node.fail("a dynamic size cannot be scaled by " +
                   Twine(std::to_string(scale)));
}

/// keep_aspect_ratio_policy: one scale for all the resized dimensions.
LogicalResult keepAspectRatio(Node &node, StringRef policy,
                              MutableArrayRef<Axis> axes) {
  std::optional<double> common;
  for (const Axis &axis : axes) {
    if (!axis.active)
      continue;
    auto in = constantOf(axis.in), out = constantOf(axis.out);
    if (!in || !out || *in < 1 || *out < 1 || *out > INT32_MAX)
      return node.fail("keep_aspect_ratio_policy needs static sizes");
    double scale = double(*out) / double(*in);
    if (!common)
      common = scale;
    common = policy == "not_larger" ? std::min(*common, scale)
                                    : std::max(*common, scale);
  }
  for (Axis &axis : axes)
    if (axis.active) {
      double out = std::floor(*common * double(*constantOf(axis.in)) + 0.5);
      axis.out = node.b.sizes.constant(int64_t(out));
      axis.scale = common;
    }
  return success();
}

LogicalResult setSizes(Node &node, ArrayRef<int64_t> listed, int64_t input,
                       MutableArrayRef<Axis> axes) {
  TRY(SmallVector<Expr> sizes, contentOf(node, input, "sizes"));
  if (sizes.size() != listed.size())
    return node.fail("sizes has " + Twine(sizes.size()) + " values, expected " +
                     Twine(listed.size()));
  for (auto [size, i] : llvm::zip(sizes, listed)) {
    Axis &axis = axes[i];
    axis.out = size;
    axis.active = size != axis.in;
    axis.scale = axis.active ? std::nullopt : std::optional(1.0);
    auto in = constantOf(axis.in), out = constantOf(size);
    if (in && out && *in > 0)
      axis.scale = double(*out) / double(*in);
    else if (auto ratio = node.b.sizes.exactDiv(size, axis.in))
      if (auto whole = constantOf(*ratio))
        axis.scale = double(*whole);
  }
  TRY(std::string policy,
      node.attributes.string("keep_aspect_ratio_policy", "stretch"));
  return policy == "stretch" ? success() : keepAspectRatio(node, policy, axes);
}

LogicalResult resize(Node &node, int64_t roiInput, int64_t scalesInput,
                     int64_t sizesInput) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  ResizeMode mode;
  if (failed(readMode(node, mode)))
    return failure();
  SmallVector<Axis> axes;
  SmallVector<int64_t> listed;
  for (Expr size : x->dims) {
    listed.push_back(axes.size());
    axes.push_back({size, size, 1.0});
  }
  if (node.attributes.has("axes")) {
    listed.clear();
    TRY(SmallVector<int64_t> values, node.attributes.integers("axes"));
    for (int64_t value : values) {
      TRY(int64_t axis, axisOf(node, value, x->rank()));
      listed.push_back(axis);
    }
  }
  bool hasSizes = sizesInput >= 0 && node.hasInput(sizesInput);
  if (hasSizes) {
    if (failed(setSizes(node, listed, sizesInput, axes)))
      return failure();
  } else {
    SmallVector<double> scales;
    if (scalesInput < 0) {
      TRY(scales, node.attributes.numbers("scales"));
    } else {
      TRY(scales, numbersOf(node, scalesInput, "scales", 16));
    }
    if (scales.size() != listed.size())
      return node.fail("scales has " + Twine(scales.size()) +
                       " values, expected " + Twine(listed.size()));
    for (auto [scale, i] : llvm::zip(scales, listed)) {
      axes[i].scale = scale;
      TRY(axes[i].out, scaledSize(node, axes[i].in, scale));
      axes[i].active = scale != 1;
      if (auto in = constantOf(axes[i].in);
          in && mode.coordinate == "align_corners")
        axes[i].fromScale = double(*in) * scale;
    }
  }
  if (mode.coordinate == "tf_crop_and_resize") {
    TRY(SmallVector<double> roi, numbersOf(node, roiInput, "roi", 16));
    if (roi.size() != 2 * listed.size())
      return node.fail("roi has " + Twine(roi.size()) + " values, expected " +
                       Twine(2 * listed.size()));
    for (auto [i, axis] : llvm::enumerate(listed)) {
      axes[axis].roiStart = roi[i];
      axes[axis].roiEnd = roi[i + listed.size()];
      axes[axis].active |= roi[i] != 0 || roi[i + listed.size()] != 1;
    }
  }
  for (const Axis &axis : axes)
    if (axis.active && mode.antialias && axis.scale &&
        !(*axis.scale >= 1.0 / 256))
      return node.fail("antialias of scales under 1/256 is not supported");
  for (const Axis &axis : axes)
    if (axis.active && ((mode.antialias && !axis.scale) ||
                        (mode.excludeOutside && !constantOf(axis.in))))
      return node.fail("antialias and exclude_outside need static sizes");
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
