#include "graph/build/Conv.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"
#include "graph/build/TensorValues.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {

LogicalResult expectWeights(GraphBuilder &b, const Tensor &x, const Tensor &w,
                            int64_t group) {
  Sizes &sizes = b.sizes;
  if (x->rank() < 3 || w->rank() != x->rank())
    return b.fail("input has shape " + sizes.str(x->dims) +
                  " and weights have shape " + sizes.str(w->dims) +
                  ", expected the same number of dimensions, at least 3");
  Expr expected = sizes.mul(w->dims[1], group);
  auto filters = constantOf(w->dims[0]);
  if (group < 1 || !compatible(expected, x->dims[1]) ||
      (filters && *filters % group != 0))
    return b.fail("input has shape " + sizes.str(x->dims) +
                  " and weights have shape " + sizes.str(w->dims) +
                  ", which do not go together with group = " + Twine(group));
  checkEqual(b, x->dims[1], expected, "channels of a convolution");
  return success();
}

/// Loops (n, [g,] m, out..., c, k...); with one channel per group on both
/// sides (n, c, out..., k...). Channels are split into groups before padding,
/// which is then a part of the loads.
FailureOr<Tensor> convolve(GraphBuilder &b, const Tensor &input,
                           const Tensor &w, int64_t group, const Window &window,
                           Element out, TypedAttr padding) {
  Sizes &sizes = b.sizes;
  int64_t spatial = window.kernel.size();
  Expr channels = input->dims[1], filters = w->dims[0], perGroup = w->dims[1];
  bool depthwise = group > 1 && isConst(perGroup, 1) && filters == channels;
  Expr groups = sizes.constant(group);
  Expr filtersPerGroup = sizes.floorDiv(filters, groups);
  Tensor x = input, weights = w;
  bool grouped = group > 1 && !depthwise;
  if (grouped) {
    SmallVector<Expr> xDims = {x->dims[0], groups, perGroup};
    SmallVector<Expr> wDims = {groups, filtersPerGroup};
    xDims.append(x->dims.begin() + 2, x->dims.end());
    wDims.append(w->dims.begin() + 1, w->dims.end());
    TRY(x, reshape(b, x, xDims));
    TRY(weights, reshape(b, w, wDims));
  }
  TRY(x, padSpatial(b, x, window, padding ? padding : zeroOf(b, x->element)));
  if (!x->constant) {
    TRY(x, wrap(b, denseValue(b, x), x->dims, x->element));
  }
  SmallVector<Expr> loops = {x->dims[0]};
  Operand lhs{x, {b.loop(0)}}, rhs{weights, {}};
  if (grouped) {
    lhs.at.push_back(b.loop(1));
    rhs.at.push_back(b.loop(1));
    loops.push_back(groups);
  }
  Expr filter = b.loop(loops.size());
  loops.push_back(grouped ? filtersPerGroup : filters);
  rhs.at.push_back(filter);
  unsigned first = loops.size();
  loops.append(window.out.begin(), window.out.end());
  unsigned parallel = loops.size();
  Expr channel = depthwise ? filter : b.loop(loops.size());
  lhs.at.push_back(channel);
  rhs.at.push_back(depthwise ? b.zero() : channel);
  if (!depthwise)
    loops.push_back(perGroup);
  for (int64_t i = 0; i < spatial; ++i) {
    Expr tap = b.loop(loops.size());
    loops.push_back(window.kernel[i]);
    lhs.at.push_back(b.loop(first + i) * window.strides[i] +
                     tap * window.dilations[i]);
    rhs.at.push_back(tap);
  }
  TRY(Tensor result, contract(b, lhs, rhs, loops, parallel, out));
  if (!grouped)
    return result;
  SmallVector<Expr> dims = {result->dims[0], filters};
  dims.append(window.out.begin(), window.out.end());
  return reshape(b, result, dims);
}

Window makeTransposedWindow(GraphBuilder &b, const Tensor &x,
                            const TransposedWindowOptions &o) {
  Sizes &sizes = b.sizes;
  Window w;
  w.kernel = exprsOf(sizes, o.kernel);
  w.strides = o.strides;
  w.dilations = o.dilations;
  bool isGiven = o.out.empty() && o.padding == WindowPadding::Given;
  for (size_t i = 0; i < o.kernel.size(); ++i) {
    Expr reach = sizes.mul(sizes.constant(o.kernel[i] - 1), w.dilations[i]);
    Expr full =
        sizes.add(sizes.mul(sizes.add(x->dims[i + 2], -1), w.strides[i]),
                  sizes.add(reach, o.extra[i] + 1));
    if (isGiven) {
      w.padLow.push_back(sizes.constant(o.padLow[i]));
      w.padHigh.push_back(sizes.constant(o.padHigh[i]));
      w.out.push_back(sizes.add(full, -(o.padLow[i] + o.padHigh[i])));
      continue;
    }
    Expr out = o.out.empty() ? sizes.mul(x->dims[i + 2], w.strides[i])
                             : sizes.constant(o.out[i]);
    Expr total = sizes.positivePart(sizes.sub(full, out));
    Expr half = sizes.floorDiv(total, 2), rest = sizes.sub(total, half);
    bool moreAfter = o.padding == WindowPadding::SameMoreAfter;
    w.padLow.push_back(moreAfter ? half : rest);
    w.padHigh.push_back(moreAfter ? rest : half);
    w.out.push_back(out);
  }
  w.padHighGiven = w.padHigh;
  return w;
}

namespace {

/// Windows that tile the result: a contraction and a reshape. Loops
/// (n, m, h, kh, w, kw, c) over x[n, c, h, w] and w[c, m, kh, kw].
FailureOr<Tensor> tiledTranspose(GraphBuilder &b, const Tensor &input,
                                 const Tensor &w, const Window &window,
                                 Element out) {
  Sizes &sizes = b.sizes;
  Tensor x = input;
  if (!input->constant) {
    TRY(x, wrap(b, denseValue(b, input), input->dims, input->element));
  }
  int64_t spatial = window.kernel.size();
  SmallVector<Expr> loops = {x->dims[0], w->dims[1]};
  SmallVector<Expr> dims = {x->dims[0], w->dims[1]};
  Expr channel = b.loop(2 + 2 * spatial);
  Operand lhs{x, {b.loop(0), channel}}, rhs{w, {channel, b.loop(1)}};
  for (int64_t i = 0; i < spatial; ++i) {
    lhs.at.push_back(b.loop(2 + 2 * i));
    rhs.at.push_back(b.loop(3 + 2 * i));
    loops.push_back(x->dims[i + 2]);
    loops.push_back(window.kernel[i]);
    dims.push_back(sizes.mul(x->dims[i + 2], window.kernel[i]));
  }
  unsigned parallel = loops.size();
  loops.push_back(x->dims[1]);
  TRY(Tensor result, contract(b, lhs, rhs, loops, parallel, out));
  return reshape(b, result, dims);
}

/// Zeros between the elements and around: element z of a dimension is x[p / s]
/// for p = z - shift where s divides p and p / s is in bounds, else 0.
FailureOr<Tensor> insertZeros(GraphBuilder &b, const Tensor &x,
                              const Window &w) {
  Sizes &sizes = b.sizes;
  SmallVector<Expr> dims = {x->dims[0], x->dims[1]};
  SmallVector<Expr> shifts;
  for (size_t i = 0; i < w.kernel.size(); ++i) {
    int64_t reach = (w.taps(i) - 1) * w.dilations[i];
    dims.push_back(sizes.add(w.out[i], reach));
    shifts.push_back(sizes.sub(sizes.constant(reach), w.padLow[i]));
  }
  denseValue(b, x);
  return gather(b, {}, dims, x->element, [&](Scalar &s, ArrayRef<Value>) {
    Value zero = s.index(0), valid = s.truth(true);
    SmallVector<Value> at = {s.loop(0), s.loop(1)};
    for (size_t i = 0; i < w.kernel.size(); ++i) {
      Value shift = constantOf(shifts[i]) ? s.index(*constantOf(shifts[i]))
                                          : b.index(shifts[i]);
      Value p = s.sub(s.loop(i + 2), shift);
      Value stride = s.index(w.strides[i]);
      Value q = s.make<arith::FloorDivSIOp>(p, stride);
      Value size = b.index(x->dims[i + 2]);
      valid = s.logicalAnd(valid, s.eq(s.mul(q, stride), p));
      Scalar t(s.builder, s.loc);
      valid = s.logicalAnd(valid, t.ge(q, zero));
      valid = s.logicalAnd(valid, t.lt(q, size));
      at.push_back(t.clamp(q, zero, s.sub(size, s.index(1))));
    }
    Value element = extractElement(b, s, x, at);
    return s.select(valid, element, s.like(element, 0));
  });
}

/// w[c, m / g, k...] as weights of a plain convolution: [m, c / g, k reversed].
FailureOr<Tensor> transposeWeights(GraphBuilder &b, const Tensor &w,
                                   int64_t group) {
  Sizes &sizes = b.sizes;
  Expr perGroup = sizes.floorDiv(w->dims[0], group);
  int64_t rank = w->rank();
  SmallVector<Expr> split = {sizes.constant(group), perGroup};
  split.append(w->dims.begin() + 1, w->dims.end());
  TRY(Tensor grouped, reshape(b, w, split));
  // Loops (g, m / g, c / g, k...).
  SmallVector<Expr> dims = {split[0], split[2], split[1]};
  Operand operand{grouped, {b.loop(0), b.loop(2), b.loop(1)}};
  for (int64_t i = 2; i < rank; ++i) {
    dims.push_back(w->dims[i]);
    Expr last = sizes.constant(*constantOf(w->dims[i]) - 1);
    operand.at.push_back(last - b.loop(i + 1));
  }
  TRY(Tensor reversed,
      gather(b, {operand}, dims, w->element,
             [](Scalar &, ArrayRef<Value> v) { return v[0]; }));
  SmallVector<Expr> result = {sizes.mul(split[0], split[2]), perGroup};
  result.append(w->dims.begin() + 2, w->dims.end());
  return reshape(b, reversed, result);
}

/// Whether no weight is infinite or NaN: those times an inserted zero would be
/// NaN.
bool areFinite(const Tensor &w) {
  auto count = countOf(*w);
  if (!w->constant || !count)
    return false;
  for (int64_t i = 0; i < (w->constant->splat ? 1 : *count); ++i)
    if (!std::isfinite(floatAt(*w, i)))
      return false;
  return true;
}

/// Each element of the result sums exactly the products that contribute to it.
/// Loops (n, m, out..., c / g, k...).
FailureOr<Tensor> transposedSum(GraphBuilder &b, const Tensor &x,
                                const Tensor &w, int64_t group,
                                const Window &window, Element out) {
  Sizes &sizes = b.sizes;
  int64_t spatial = window.kernel.size(), rank = spatial + 2;
  Expr perGroup = sizes.floorDiv(w->dims[0], group), filters = w->dims[1];
  SmallVector<Expr> loops = {x->dims[0], sizes.mul(filters, group)};
  loops.append(window.out.begin(), window.out.end());
  loops.push_back(perGroup);
  loops.append(window.kernel.begin(), window.kernel.end());
  Element sum = accumulatorOf(b, x->element);
  GenericOptions options;
  options.parallelLoops = rank;
  options.init = zeroOf(b, sum);
  denseValue(b, x);
  denseValue(b, w);
  auto body = [&](Scalar &s, ArrayRef<Value> v) {
    Value count = b.index(filters), valid = s.truth(true);
    Value channel = s.add(
        s.mul(s.make<arith::DivUIOp>(s.loop(1), count), b.index(perGroup)),
        s.loop(rank));
    SmallVector<Value> at = {s.loop(0), channel};
    SmallVector<Value> tap = {channel,
                              s.make<arith::RemUIOp>(s.loop(1), count)};
    for (int64_t i = 0; i < spatial; ++i) {
      // out = stride * position + dilation * tap - padding
      Value k = s.loop(rank + 1 + i), stride = s.index(window.strides[i]);
      Value p = s.sub(s.add(s.loop(i + 2), b.index(window.padLow[i])),
                      s.mul(k, s.index(window.dilations[i])));
      Value position = s.make<arith::FloorDivSIOp>(p, stride);
      Value size = b.index(x->dims[i + 2]), zero = s.index(0);
      valid = s.logicalAnd(valid, s.eq(s.mul(position, stride), p));
      valid = s.logicalAnd(valid, s.ge(position, zero));
      valid = s.logicalAnd(valid, s.lt(position, size));
      at.push_back(s.clamp(position, zero, s.sub(size, s.index(1))));
      tap.push_back(k);
    }
    Value product = s.mul(s.convert(extractElement(b, s, x, at), sum.type),
                          s.convert(extractElement(b, s, w, tap), sum.type));
    return s.select(valid, s.add(v[0], product), v[0]);
  };
  TRY(Tensor result, generic(b, {}, loops, sum, body, options));
  return convert(b, result, out);
}

} // namespace

FailureOr<Tensor> convolveTransposed(GraphBuilder &b, const Tensor &x,
                                     const Tensor &w, int64_t group,
                                     const Window &window, Element out) {
  bool tiles = group == 1;
  for (size_t i = 0; i < window.kernel.size(); ++i)
    tiles &= window.taps(i) == window.strides[i] && window.dilations[i] == 1 &&
             isConst(window.padLow[i], 0) &&
             window.out[i] == b.sizes.mul(x->dims[i + 2], window.taps(i));
  if (tiles)
    return tiledTranspose(b, x, w, window, out);
  if (!areFinite(w))
    return transposedSum(b, x, w, group, window, out);
  TRY(Tensor zeros, insertZeros(b, x, window));
  TRY(Tensor weights, transposeWeights(b, w, group));
  Window plain = window;
  size_t spatial = window.kernel.size();
  plain.strides.assign(spatial, 1);
  plain.padLow.assign(spatial, b.zero());
  plain.padHigh.assign(spatial, b.zero());
  return convolve(b, zeros, weights, group, plain, out);
}

} // namespace tilewright::build
