// Rarer rearrangements: crops, reversals, columns to images, bit casts.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Conv.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

using Values = ArrayRef<Value>;

/// Crops and pads around the middle.
LogicalResult importCenterCropPad(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(SmallVector<Expr> shape, contentOf(node, 1, "the shape"));
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < x->rank(); ++i)
    axes.push_back(i);
  if (node.attributes.has("axes")) {
    axes.clear();
    TRY(SmallVector<int64_t> values, node.attributes.integers("axes"));
    for (int64_t value : values) {
      TRY(int64_t axis, axisOf(node.b, value, x->rank()));
      axes.push_back(axis);
    }
  }
  if (axes.size() != shape.size())
    return node.fail("the shape has " + Twine(shape.size()) +
                     " sizes, expected " + Twine(axes.size()));
  SmallVector<Expr> offsets(x->rank(), b.zero()), lengths(x->dims);
  SmallVector<Expr> low(x->rank(), b.zero()), high = low;
  for (auto [axis, size] : llvm::zip(axes, shape)) {
    Expr excess = b.sizes.sub(x->dims[axis], size);
    Expr crop = b.sizes.positivePart(excess);
    Expr grow = b.sizes.positivePart(b.sizes.mul(excess, -1));
    offsets[axis] = b.sizes.floorDiv(crop, 2);
    lengths[axis] = b.sizes.sub(x->dims[axis], crop);
    low[axis] = b.sizes.floorDiv(grow, 2);
    high[axis] = b.sizes.sub(grow, low[axis]);
  }
  TRY(Tensor cropped,
      slice(b, x, offsets, lengths, SmallVector<int64_t>(x->rank(), 1)));
  return node.done(
      pad(b, cropped, low, high,
          llvm::cast<TypedAttr>(b.builder.getZeroAttr(x->element.type))));
}

/// Reverses the first lengths[batch] elements of each sequence.
LogicalResult importReverseSequence(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor lengths, node.input(1));
  if (failed(expectRank(node.b, x, 2, "the input")))
    return failure();
  TRY(int64_t batch, node.attributes.integer("batch_axis", 1));
  TRY(int64_t time, node.attributes.integer("time_axis", 0));
  if (batch < 0 || batch > 1 || time != 1 - batch || lengths->rank() != 1)
    return node.fail("batch_axis is " + Twine(batch) + ", time_axis is " +
                     Twine(time) + ", lengths have shape " +
                     b.sizes.str(lengths->dims));
  if (!lengths->element.isInteger())
    return node.fail("lengths have type " + dtypeName(lengths->element));
  if (failed(expectLengths(node.b, lengths, x->dims[time], "sequence_lens")))
    return failure();
  denseValue(b, x);
  Operand operand{lengths, {b.loop(batch)}};
  return node.done(
      gather(b, {operand}, x->dims, x->element, [&](Scalar &s, Values v) {
        Scalar t(s.builder, s.loc);
        SmallVector<Value> at;
        for (int64_t i = 0; i < x->rank(); ++i)
          at.push_back(s.loop(i));
        // More than there are is all of them.
        Value length = t.min(t.toIndex(v[0]), b.index(x->dims[time]));
        Value mirrored = t.sub(t.sub(length, s.index(1)), at[time]);
        Value chosen = t.select(t.lt(at[time], length), mirrored, at[time]);
        at[time] = boundedIndex(b, s, chosen, x->dims[time], false);
        return extractElement(b, s, x, at);
      }));
}

LogicalResult importBitCast(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Element to, node.attributes.element("to", x->element));
  if (to.bits() != x->element.bits())
    return node.fail("cannot reinterpret " + dtypeName(x->element) + " as " +
                     dtypeName(to) + ", the widths differ");
  return node.done(elementwise(
      b, {x}, to,
      [&](Scalar &s, Values v) {
        if (v[0].getType() == to.type)
          return v[0];
        return s.make<arith::BitcastOp>(to.type, v[0]);
      },
      /*widen=*/false));
}

/// Adds up the columns [N, C * taps, L] that overlap at each pixel: a sum over
/// the taps whose window starts at a valid position.
LogicalResult importCol2Im(Node &node) {
  GraphBuilder &b = node.b;
  Sizes &z = b.sizes;
  TRY(Tensor x, node.input(0));
  TRY(SmallVector<Expr> image, contentOf(node, 1, "image_shape"));
  TRY(SmallVector<int64_t> block, integersOf(node, 2, "block_shape"));
  int64_t spatial = image.size();
  auto list = [&](StringRef name, int64_t size,
                  int64_t otherwise) -> FailureOr<SmallVector<int64_t>> {
    TRY(SmallVector<int64_t> values, node.attributes.integers(name));
    if (values.empty())
      values.assign(size, otherwise);
    if (int64_t(values.size()) != size)
      return node.fail("attribute '" + name + "' has " + Twine(values.size()) +
                       " values, expected " + Twine(size));
    return values;
  };
  TRY(auto strides, list("strides", spatial, 1));
  TRY(auto dilations, list("dilations", spatial, 1));
  TRY(auto pads, list("pads", 2 * spatial, 0));
  int64_t taps = 1;
  for (int64_t size : block)
    taps = size < 1 || size > 65536 ? 0 : taps * size;
  if (x->rank() != 3 || taps < 1 || int64_t(block.size()) != spatial)
    return node.fail("the columns have shape " + z.str(x->dims) +
                     " and the image " + z.str(image));
  SmallVector<Expr> windows;
  for (int64_t i = 0; i < spatial; ++i) {
    if (strides[i] < 1 || dilations[i] < 1)
      return node.fail("strides and dilations must be positive");
    if (strides[i] > INT32_MAX || dilations[i] > INT32_MAX)
      return node.fail("stride is " + Twine(strides[i]) + " and dilation " +
                       Twine(dilations[i]) + ", expected at most " +
                       Twine(INT32_MAX));
    int64_t extent = (block[i] - 1) * dilations[i] + 1;
    Expr padded = z.add(
        image[i], z.add(z.constant(pads[i]), z.constant(pads[i + spatial])));
    windows.push_back(
        z.add(z.floorDiv(z.sub(padded, z.constant(extent)), strides[i]), 1));
  }
  SmallVector<Expr> split = {x->dims[0], z.floorDiv(x->dims[1], taps)};
  for (int64_t size : block)
    split.push_back(z.constant(size));
  split.append(windows.begin(), windows.end());
  TRY(Tensor columns, reshape(b, x, split));
  denseValue(b, columns);
  SmallVector<Expr> loops = {split[0], split[1]};
  loops.append(image.begin(), image.end());
  GenericOptions options;
  options.parallelLoops = loops.size();
  for (int64_t size : block)
    loops.push_back(z.constant(size));
  Element wide = x->element.isNarrowFloat() ? f32(b) : x->element;
  options.init = llvm::cast<TypedAttr>(b.builder.getZeroAttr(wide.type));
  auto body = [&](Scalar &s, Values v) {
    Scalar t(s.builder, s.loc);
    SmallVector<Value> at = {s.loop(0), s.loop(1)}, starts;
    Value valid = s.truth(true);
    for (int64_t i = 0; i < spatial; ++i) {
      Value tap = s.loop(2 + spatial + i);
      at.push_back(tap);
      Value offset = s.mul(tap, s.index(dilations[i]));
      Value p = s.sub(s.add(s.loop(2 + i), s.index(pads[i])), offset);
      Value stride = s.index(strides[i]);
      Value q = s.make<arith::FloorDivSIOp>(p, stride);
      valid = s.logicalAnd(valid, s.eq(s.mul(q, stride), p));
      valid = s.logicalAnd(valid, t.ge(q, s.index(0)));
      valid = s.logicalAnd(valid, t.lt(q, b.index(windows[i])));
      starts.push_back(boundedIndex(b, s, q, windows[i], false));
    }
    at.append(starts.begin(), starts.end());
    Value element = s.convert(extractElement(b, s, columns, at), wide.type);
    return s.select(valid, s.add(v[0], element), v[0]);
  };
  TRY(Tensor sum, generic(b, {}, loops, wide, body, options));
  return node.done(convert(b, sum, x->element));
}

/// A depthwise convolution of one dimension over a cached past.
LogicalResult importCausalConvWithState(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor w, node.input(1));
  TRY(Tensor bias, node.optionalInput(2));
  TRY(Tensor past, node.optionalInput(3));
  TRY(std::string activation, node.attributes.string("activation", "none"));
  auto taps = constantOf(w->rank() == 3 ? w->dims[2] : b.zero());
  auto channels = constantOf(x->rank() == 3 ? x->dims[1] : b.zero());
  if (x->rank() != 3 || w->rank() != 3 || !taps || *taps < 1 || !channels ||
      w->dims[0] != x->dims[1] || !isConst(w->dims[1], 1))
    return node.fail("input and weights have shapes " + b.sizes.str(x->dims) +
                     " and " + b.sizes.str(w->dims));
  if (activation != "none" && activation != "silu" && activation != "swish")
    return node.fail("attribute 'activation' is '" + activation + "'");
  Expr reach = b.sizes.constant(*taps - 1);
  Tensor padded;
  if (past) {
    TRY(padded, concat(b, {past, x}, 2));
  } else {
    TRY(padded,
        pad(b, x, {b.zero(), b.zero(), reach}, {b.zero(), b.zero(), b.zero()},
            llvm::cast<TypedAttr>(b.builder.getZeroAttr(x->element.type))));
  }
  Window window;
  window.kernel = {b.sizes.constant(*taps)};
  window.strides = window.dilations = {1};
  window.padLow = window.padHigh = {b.zero()};
  window.out = {x->dims[2]};
  TRY(Tensor sum, convolve(b, padded, w, *channels, window, x->element));
  if (bias) {
    TRY(sum, addBias(b, sum, bias));
  }
  if (activation != "none") {
    TRY(sum, elementwise(b, {sum}, x->element, [](Scalar &s, Values v) {
          return s.mul(v[0], s.sigmoid(v[0]));
        }));
  }
  TRY(Tensor present,
      slice(b, padded,
            {b.zero(), b.zero(), b.sizes.sub(padded->dims[2], reach)},
            {padded->dims[0], padded->dims[1], reach}, {1, 1, 1}));
  if (failed(node.set(1, present)))
    return failure();
  return node.set(0, sum);
}

} // namespace

void addArrangeOps(OpTable &t) {
  t.add("CenterCropPad", 18, importCenterCropPad, "shape known at import");
  t.add("ReverseSequence", 10, importReverseSequence);
  t.add("BitCast", 26, importBitCast);
  t.add("Col2Im", 18, importCol2Im, "shapes known at import");
  t.add("CausalConvWithState", 27, importCausalConvWithState);
}

} // namespace tilewright::onnx
