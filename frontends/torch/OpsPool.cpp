// Poolings.
#include "frontends/torch/Call.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Movement.h"
#include "graph/build/Pool.h"
#include "graph/build/Reduce.h"
#include "graph/build/Reduction.h"
#include "graph/build/TensorValues.h"

#include <cmath>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// How many spatial dimensions the operator's name says.
int64_t spatialOf(Call &c) {
  StringRef name = c.target;
  return name.contains("1d") ? 1 : name.contains("3d") ? 3 : 2;
}

/// x as [N, C, spatial...].
FailureOr<Tensor> batched(Call &c, const Tensor &x, int64_t spatial) {
  if (x->rank() == spatial + 2)
    return x;
  if (x->rank() != spatial + 1)
    return c.fail("the input has shape " + c.b.sizes.str(x->dims) +
                  ", expected " + llvm::Twine(spatial + 2) + " dimensions");
  SmallVector<int64_t> kept = {-1};
  for (int64_t i = 0; i < x->rank(); ++i)
    kept.push_back(i);
  return rearrange(c.b, x, kept);
}

/// The result with as many dimensions as the program expects.
FailureOr<Tensor> unbatched(Call &c, const Tensor &result, size_t i) {
  TRY(Dims dims, c.dims(i));
  if (int64_t(dims.size()) == result->rank())
    return result;
  SmallVector<int64_t> kept;
  for (int64_t d = 1; d < result->rank(); ++d)
    kept.push_back(d);
  return rearrange(c.b, result, kept);
}

FailureOr<Window> readWindow(Call &c, const Tensor &x, int64_t spatial) {
  WindowOptions options;
  TRY(SmallVector<int64_t> kernel, c.perDimension("kernel_size", spatial));
  options.kernel = exprsOf(c.b.sizes, kernel);
  TRY(SmallVector<int64_t> strides, c.integers("stride"));
  options.strides = kernel;
  if (!strides.empty()) {
    TRY(options.strides, c.perDimension("stride", spatial));
  }
  options.dilations.assign(spatial, 1);
  if (c.find("dilation")) {
    TRY(options.dilations, c.perDimension("dilation", spatial));
  }
  TRY(options.padLow, c.perDimension("padding", spatial));
  options.padHigh = options.padLow;
  TRY(bool roundsUp, c.flag("ceil_mode"));
  if (roundsUp)
    options.rounding = WindowRounding::Up;
  return makeWindow(c.b, x, options);
}

LogicalResult importMaxPool(Call &c) {
  int64_t spatial = spatialOf(c);
  TRY(Tensor x, c.tensor("self"));
  TRY(x, batched(c, x, spatial));
  TRY(Window window, readWindow(c, x, spatial));
  MaxPoolOptions options;
  options.wantsPositions = c.isRead(1);
  TRY(MaxPool result, maxPool(c.b, x, window, options));
  if (options.wantsPositions) {
    // Positions within one plane.
    Expr plane = c.b.sizes.product(ArrayRef<Expr>(x->dims).drop_front(2));
    TRY(Tensor positions, elementwise(c.b, {result.positions}, i64(c.b),
                                      [&](Scalar &s, Values v) {
                                        Value size =
                                            s.fromIndex(c.b.index(plane),
                                                        s.builder.getI64Type());
                                        return s.rem(v[0], size);
                                      }));
    TRY(positions, unbatched(c, positions, 1));
    if (failed(c.set(1, positions)))
      return failure();
  }
  return c.done(unbatched(c, result.values, 0));
}

LogicalResult importAveragePool(Call &c) {
  int64_t spatial = spatialOf(c);
  TRY(Tensor x, c.tensor("self"));
  TRY(x, batched(c, x, spatial));
  TRY(Window window, readWindow(c, x, spatial));
  TRY(bool countsPadding, c.flag("count_include_pad"));
  if (!c.isNone("divisor_override"))
    return c.fail("argument 'divisor_override' is not supported");
  TRY(Tensor result, averagePool(c.b, x, window, countsPadding));
  return c.done(unbatched(c, result, 0));
}

/// One dimension of x, pooled to `out` windows from floor(i * in / out) to
/// ceil((i + 1) * in / out). Means are in f32 at least.
FailureOr<Tensor> poolAlong(GraphBuilder &b, const Tensor &x, int64_t axis,
                            int64_t in, int64_t out, bool isMax) {
  int64_t longest = 0;
  for (int64_t i = 0; i < out; ++i)
    longest = std::max(longest, ((i + 1) * in + out - 1) / out - i * in / out);
  Dims dims = x->dims;
  dims[axis] = b.sizes.constant(out);
  dims.insert(dims.begin() + axis + 1, b.sizes.constant(longest));
  Element wide = isMax ? x->element : accumulatorOf(b, x->element);
  auto edge = [&](Scalar &s, int64_t offset, int64_t rounding) {
    Scalar t(s.builder, s.loc);
    Value at = s.mul(s.add(s.loop(axis), s.index(offset)), s.index(in));
    return t.div(s.add(at, s.index(rounding)), s.index(out));
  };
  denseValue(b, x);
  TRY(Tensor windows, gather(b, {}, dims, wide, [&](Scalar &s, Values) {
        Scalar t(s.builder, s.loc);
        Value index = s.add(edge(s, 0, 0), s.loop(axis + 1));
        Value isInside = t.lt(index, edge(s, 1, out - 1));
        SmallVector<Value> at;
        for (int64_t i = 0; i < x->rank(); ++i)
          at.push_back(s.loop(i > axis ? i + 1 : i));
        at[axis] = t.min(index, s.index(in - 1));
        Value element = extractElement(b, s, x, at, /*isPart=*/true);
        element = s.convert(element, wide.type);
        return s.select(isInside, element,
                        s.like(element, isMax ? -INFINITY : 0));
      }));
  if (isMax)
    return extremeAlong(b, windows, {axis + 1}, false, true);
  TRY(Tensor sum, reduceSum(b, windows, {axis + 1}, false));
  return elementwise(b, {sum}, wide, [&](Scalar &s, Values v) {
    Value count = s.sub(edge(s, 1, out - 1), edge(s, 0, 0));
    return s.div(v[0], s.fromIndex(count, v[0].getType()));
  });
}

/// The same of several dimensions, one after the other: windows are products.
LogicalResult poolUnevenly(Call &c, const Tensor &x, ArrayRef<int64_t> in,
                           ArrayRef<int64_t> out, bool isMax) {
  Tensor result = x;
  for (size_t i = 0; i < out.size(); ++i) {
    TRY(result, poolAlong(c.b, result, i + 2, in[i], out[i], isMax));
  }
  TRY(result, convert(c.b, result, x->element));
  return c.done(unbatched(c, result, 0));
}

/// Windows that divide the input evenly are a pooling.
LogicalResult poolEvenly(Call &c, const Tensor &x, ArrayRef<int64_t> out,
                         bool isMax) {
  auto in = constantsOf(ArrayRef<Expr>(x->dims).take_back(out.size()));
  WindowOptions options;
  for (size_t i = 0; i < out.size(); ++i) {
    if (!in || out[i] < 1 || (*in)[i] < 1)
      return c.fail("the input has shape " + c.b.sizes.str(x->dims) +
                    ", expected static sizes of at least 1");
    if ((*in)[i] % out[i] != 0)
      return poolUnevenly(c, x, *in, out, isMax);
    int64_t window = (*in)[i] / out[i];
    options.kernel.push_back(c.b.sizes.constant(window));
    options.strides.push_back(window);
  }
  options.dilations.assign(out.size(), 1);
  options.padLow.assign(out.size(), 0);
  options.padHigh.assign(out.size(), 0);
  TRY(Window window, makeWindow(c.b, x, options));
  if (!isMax) {
    TRY(Tensor result, averagePool(c.b, x, window, false));
    return c.done(unbatched(c, result, 0));
  }
  TRY(MaxPool result, maxPool(c.b, x, window));
  return c.done(unbatched(c, result.values, 0));
}

template <bool isMax> LogicalResult importAdaptivePool(Call &c) {
  int64_t spatial = spatialOf(c);
  TRY(Tensor x, c.tensor("self"));
  TRY(x, batched(c, x, spatial));
  TRY(SmallVector<int64_t> out, c.perDimension("output_size", spatial));
  if (isMax && c.isRead(1))
    return c.fail("positions of the greatest elements are not supported");
  if (llvm::any_of(out, [](int64_t size) { return size != 1; }))
    return poolEvenly(c, x, out, isMax);
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < spatial; ++i)
    axes.push_back(i + 2);
  TRY(Tensor result, isMax ? extremeAlong(c.b, x, axes, true, true)
                           : meanAlong(c.b, x, axes, true));
  return c.done(unbatched(c, result, 0));
}

} // namespace

void addPoolOps(OpTable &t) {
  t.add({"aten.max_pool1d.default", "aten.max_pool2d.default",
         "aten.max_pool3d.default", "aten.max_pool1d_with_indices.default",
         "aten.max_pool2d_with_indices.default",
         "aten.max_pool3d_with_indices.default"},
        importMaxPool);
  t.add({"aten.avg_pool1d.default", "aten.avg_pool2d.default",
         "aten.avg_pool3d.default"},
        importAveragePool);
  t.add({"aten.adaptive_avg_pool1d.default", "aten.adaptive_avg_pool2d.default",
         "aten.adaptive_avg_pool3d.default",
         "aten._adaptive_avg_pool2d.default",
         "aten._adaptive_avg_pool3d.default"},
        importAdaptivePool<false>);
  t.add({"aten.adaptive_max_pool1d.default", "aten.adaptive_max_pool2d.default",
         "aten.adaptive_max_pool3d.default"},
        importAdaptivePool<true>);
}

} // namespace tilewright::torch
