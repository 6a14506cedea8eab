#include "graph/build/Arrange.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Conv.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::build {

FailureOr<Tensor> cropOrPad(GraphBuilder &b, const Tensor &x,
                            ArrayRef<int64_t> axes, ArrayRef<Expr> shape) {
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
  return pad(b, cropped, low, high, zeroOf(b, x->element));
}

FailureOr<Tensor> reverseSequences(GraphBuilder &b, const Tensor &x,
                                   const Tensor &lengths, int64_t batch) {
  int64_t time = 1 - batch;
  denseValue(b, x);
  Operand operand{lengths, {b.loop(batch)}};
  return gather(b, {operand}, x->dims, x->element, [&](Scalar &s, Values v) {
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
  });
}

FailureOr<Tensor> bitCast(GraphBuilder &b, const Tensor &x, Element to) {
  if (to.bits() != x->element.bits())
    return b.fail("cannot reinterpret " + dtypeName(x->element) + " as " +
                  dtypeName(to) + ", the widths differ");
  return elementwise(
      b, {x}, to,
      [&](Scalar &s, Values v) {
        if (v[0].getType() == to.type)
          return v[0];
        return s.make<arith::BitcastOp>(to.type, v[0]);
      },
      /*widen=*/false);
}

/// A sum over the taps whose window starts at a valid position.
FailureOr<Tensor> columnsToImage(GraphBuilder &b, const Tensor &x,
                                 const ColumnsToImageOptions &o) {
  Sizes &z = b.sizes;
  ArrayRef<Expr> image = o.image;
  ArrayRef<int64_t> block = o.block, strides = o.strides,
                    dilations = o.dilations;
  int64_t spatial = image.size();
  int64_t taps = 1;
  for (int64_t size : block)
    taps = size < 1 || size > 65536 ? 0 : taps * size;
  if (x->rank() != 3 || taps < 1 || int64_t(block.size()) != spatial)
    return b.fail("the columns have shape " + z.str(x->dims) +
                  " and the image " + z.str(image));
  SmallVector<Expr> windows;
  for (int64_t i = 0; i < spatial; ++i) {
    if (strides[i] < 1 || dilations[i] < 1)
      return b.fail("strides and dilations must be positive");
    if (strides[i] > INT32_MAX || dilations[i] > INT32_MAX)
      return b.fail("stride is " + Twine(strides[i]) + " and dilation " +
                    Twine(dilations[i]) + ", expected at most " +
                    Twine(INT32_MAX));
    int64_t extent = (block[i] - 1) * dilations[i] + 1;
    Expr padded = z.add(
        image[i], z.add(z.constant(o.padLow[i]), z.constant(o.padHigh[i])));
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
  Element wide = accumulatorOf(b, x->element);
  options.init = zeroOf(b, wide);
  auto body = [&](Scalar &s, Values v) {
    Scalar t(s.builder, s.loc);
    SmallVector<Value> at = {s.loop(0), s.loop(1)}, starts;
    Value valid = s.truth(true);
    for (int64_t i = 0; i < spatial; ++i) {
      Value tap = s.loop(2 + spatial + i);
      at.push_back(tap);
      Value offset = s.mul(tap, s.index(dilations[i]));
      Value p = s.sub(s.add(s.loop(2 + i), s.index(o.padLow[i])), offset);
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
  return convert(b, sum, x->element);
}

FailureOr<CausalConv> causalConvolve(GraphBuilder &b, const Tensor &x,
                                     const Tensor &w, const Tensor &bias,
                                     const Tensor &past, bool activates) {
  auto taps = constantOf(w->rank() == 3 ? w->dims[2] : b.zero());
  auto channels = constantOf(x->rank() == 3 ? x->dims[1] : b.zero());
  if (x->rank() != 3 || w->rank() != 3 || !taps || *taps < 1 || !channels ||
      w->dims[0] != x->dims[1] || !isConst(w->dims[1], 1))
    return b.fail("input and weights have shapes " + b.sizes.str(x->dims) +
                  " and " + b.sizes.str(w->dims));
  Expr reach = b.sizes.constant(*taps - 1);
  Tensor padded;
  if (past) {
    TRY(padded, concat(b, {past, x}, 2));
  } else {
    TRY(padded, pad(b, x, {b.zero(), b.zero(), reach},
                    {b.zero(), b.zero(), b.zero()}, zeroOf(b, x->element)));
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
  if (activates) {
    TRY(sum, elementwise(b, {sum}, x->element, [](Scalar &s, Values v) {
          return s.mul(v[0], s.sigmoid(v[0]));
        }));
  }
  CausalConv result = {sum, nullptr};
  TRY(result.state,
      slice(b, padded,
            {b.zero(), b.zero(), b.sizes.sub(padded->dims[2], reach)},
            {padded->dims[0], padded->dims[1], reach}, {1, 1, 1}));
  return result;
}

} // namespace tilewright::build
