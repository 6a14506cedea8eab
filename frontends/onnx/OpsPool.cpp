// Poolings and other sums over windows.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

#include <cmath>

using namespace mlir;

namespace tilewright::onnx {
namespace {

using Values = ArrayRef<Value>;

FailureOr<Window> readPool(Node &node, const Tensor &x) {
  if (!node.attributes.has("kernel_shape"))
    return node.fail("attribute 'kernel_shape' is missing");
  TRY(SmallVector<int64_t> kernel, node.attributes.integers("kernel_shape"));
  return readWindow(node, x, exprsOf(node.b.sizes, kernel));
}

Element wideOf(GraphBuilder &b, const Tensor &x) {
  return x->element.isNarrowFloat() ? f32(b) : x->element;
}

/// Loops (n, c, out..., k...).
FailureOr<Tensor> pool(GraphBuilder &b, const Tensor &x, const Window &w,
                       TypedAttr padding, TypedAttr init, BodyFn combine) {
  SmallVector<Expr> low(2, b.zero()), high(2, b.zero());
  low.append(w.padLow.begin(), w.padLow.end());
  high.append(w.padHigh.begin(), w.padHigh.end());
  TRY(Tensor padded, pad(b, x, low, high, padding));
  SmallVector<Expr> loops = {x->dims[0], x->dims[1]};
  loops.append(w.out.begin(), w.out.end());
  Operand operand{padded, {b.loop(0), b.loop(1)}};
  GenericOptions options;
  options.parallelLoops = loops.size();
  options.init = init;
  for (size_t i = 0; i < w.kernel.size(); ++i) {
    Expr tap = b.loop(loops.size());
    loops.push_back(w.kernel[i]);
    operand.at.push_back(b.loop(i + 2) * w.strides[i] + tap * w.dilations[i]);
  }
  return generic(b, {operand}, loops, wideOf(b, x), combine, options);
}

/// The position of the maximum in the input as a flat index.
FailureOr<Tensor> maxPositions(Node &node, const Tensor &x, const Tensor &top,
                               const Window &w, bool columnMajor) {
  GraphBuilder &b = node.b;
  TypedAttr lowest = constantAttr(b, x->element, -INFINITY);
  SmallVector<Expr> low(2, b.zero()), high(2, b.zero());
  low.append(w.padLow.begin(), w.padLow.end());
  high.append(w.padHigh.begin(), w.padHigh.end());
  TRY(Tensor padded, pad(b, x, low, high, lowest));
  SmallVector<Expr> loops(top->dims);
  int64_t rank = x->rank(), spatial = w.kernel.size();
  Operand values{padded, {b.loop(0), b.loop(1)}}, best{top, {}};
  for (int64_t i = 0; i < rank; ++i)
    best.at.push_back(b.loop(i));
  for (int64_t i = 0; i < spatial; ++i) {
    values.at.push_back(b.loop(i + 2) * w.strides[i] +
                        b.loop(loops.size()) * w.dilations[i]);
    loops.push_back(w.kernel[i]);
  }
  GenericOptions options;
  options.parallelLoops = rank;
  options.init = b.builder.getI64IntegerAttr(INT64_MAX);
  return generic(
      b, {values, best}, loops, i64(b),
      [&](Scalar &s, Values v) {
        Scalar t(s.builder, s.loc);
        Value inside = s.truth(true);
        SmallVector<Value> at = {s.loop(0), s.loop(1)};
        for (int64_t i = 0; i < spatial; ++i) {
          Value start = s.mul(s.loop(i + 2), s.index(w.strides[i]));
          Value tap = s.mul(s.loop(rank + i), s.index(w.dilations[i]));
          Value position = s.sub(s.add(start, tap), b.index(w.padLow[i]));
          inside = s.logicalAnd(inside, t.ge(position, s.index(0)));
          inside =
              s.logicalAnd(inside, t.lt(position, b.index(x->dims[i + 2])));
          at.push_back(position);
        }
        Value flat = s.add(s.mul(at[0], b.index(x->dims[1])), at[1]);
        for (int64_t i = 0; i < spatial; ++i) {
          int64_t d = columnMajor ? spatial - 1 - i : i;
          flat = s.add(s.mul(flat, b.index(x->dims[d + 2])), at[d + 2]);
        }
        Value number = s.make<arith::IndexCastOp>(s.builder.getI64Type(), flat);
        Value hit = s.logicalAnd(inside, s.eq(v[0], v[1]));
        return s.select(hit, t.min(v[2], number), v[2]);
      },
      options);
}

LogicalResult importMaxPool(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Window w, readPool(node, x));
  Element wide = wideOf(b, x);
  TRY(Tensor top, pool(b, x, w, constantAttr(b, x->element, -INFINITY),
                       constantAttr(b, wide, -INFINITY),
                       [](Scalar &s, Values v) { return s.max(v[1], v[0]); }));
  if (node.hasOutput(1)) {
    TRY(bool columnMajor, node.attributes.flag("storage_order", false));
    TRY(Tensor positions, maxPositions(node, x, top, w, columnMajor));
    if (failed(node.set(1, positions)))
      return failure();
  }
  return node.done(convert(b, top, x->element));
}

/// How many taps of the window at `out` read the input (or its padding, if
/// that counts; what ceil mode adds never does).
Value tapCount(GraphBuilder &b, Scalar &s, const Window &w, int64_t i, Expr in,
               bool padsCount, Expr declaredHigh) {
  Scalar t(s.builder, s.loc);
  Value start =
      s.sub(s.mul(s.loop(i + 2), s.index(w.strides[i])), b.index(w.padLow[i]));
  Value low = padsCount ? t.neg(b.index(w.padLow[i])) : s.index(0);
  Value high = padsCount ? b.index(b.sizes.add(in, declaredHigh)) : b.index(in);
  Value dilation = s.index(w.dilations[i]);
  Value first = t.max(s.index(0),
                      s.make<arith::CeilDivSIOp>(s.sub(low, start), dilation));
  Value end = t.min(s.index(w.taps(i)),
                    s.make<arith::CeilDivSIOp>(s.sub(high, start), dilation));
  return s.sub(end, first);
}

LogicalResult importAveragePool(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Window w, readPool(node, x));
  TRY(bool padsCount, node.attributes.flag("count_include_pad", false));
  TRY(SmallVector<int64_t> pads, node.attributes.integers("pads"));
  Element wide = wideOf(b, x);
  auto zero = llvm::cast<TypedAttr>(b.builder.getZeroAttr(wide.type));
  TRY(Tensor sum,
      pool(b, x, w,
           llvm::cast<TypedAttr>(b.builder.getZeroAttr(x->element.type)), zero,
           [](Scalar &s, Values v) { return s.add(v[1], v[0]); }));
  auto none = [](Expr e) { return isConst(e, 0); };
  bool padded = !llvm::all_of(w.padLow, none) || !llvm::all_of(w.padHigh, none);
  double taps = 1;
  for (size_t i = 0; i < w.kernel.size(); ++i)
    taps *= double(w.taps(i));
  return node.done(elementwise(b, {sum}, x->element, [&](Scalar &s, Values v) {
    if (!padded || (padsCount && !w.ceilMode))
      return s.div(v[0], s.like(v[0], taps));
    Value count = s.index(1);
    for (size_t i = 0; i < w.kernel.size(); ++i) {
      Expr declared = i + w.kernel.size() < pads.size()
                          ? b.sizes.constant(pads[i + w.kernel.size()])
                          : b.zero();
      count = s.mul(count,
                    tapCount(b, s, w, i, x->dims[i + 2], padsCount, declared));
    }
    return s.div(v[0], s.fromIndex(count, v[0].getType()));
  }));
}

Value powered(Scalar &s, Value v, double p) {
  Value a = s.abs(v);
  if (p == 1)
    return a;
  if (p == 2)
    return s.mul(v, v);
  return s.make<math::PowFOp>(a, s.like(a, p));
}

Value rooted(Scalar &s, Value v, double p) {
  if (p == 1)
    return v;
  if (p == 2)
    return s.sqrt(v);
  return s.make<math::PowFOp>(v, s.like(v, 1 / p));
}

/// Attribute `p`, a float before opset 2.
FailureOr<double> normOrder(Node &node) {
  if (node.opset < 2)
    return node.attributes.number("p", 2);
  TRY(int64_t p, node.attributes.integer("p", 2));
  return double(p);
}

LogicalResult importLpPool(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Window w, readPool(node, x));
  TRY(double p, normOrder(node));
  Element wide = wideOf(b, x);
  TRY(Tensor sum,
      pool(b, x, w,
           llvm::cast<TypedAttr>(b.builder.getZeroAttr(x->element.type)),
           llvm::cast<TypedAttr>(b.builder.getZeroAttr(wide.type)),
           [&](Scalar &s, Values v) {
             return s.add(v[1], powered(s, v[0], p));
           }));
  return node.done(elementwise(b, {sum}, x->element, [&](Scalar &s, Values v) {
    return rooted(s, v[0], p);
  }));
}

FailureOr<SmallVector<int64_t>> spatialAxes(Node &node, const Tensor &x) {
  if (failed(expectRank(node, x, 3, "the input")))
    return failure();
  SmallVector<int64_t> axes;
  for (int64_t i = 2; i < x->rank(); ++i)
    axes.push_back(i);
  return axes;
}

LogicalResult importGlobalAveragePool(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(auto axes, spatialAxes(node, x));
  TRY(Tensor average, mean(node.b, x, axes));
  return node.done(convert(node.b, average, x->element));
}

LogicalResult importGlobalMaxPool(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(auto axes, spatialAxes(node, x));
  TRY(Tensor top, reduceMax(node.b, x, axes, true));
  return node.done(convert(node.b, top, x->element));
}

LogicalResult importGlobalLpPool(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(auto axes, spatialAxes(node, x));
  TRY(double p, normOrder(node));
  Element wide = wideOf(b, x);
  TRY(Tensor sum,
      reduce(b, x, axes, true, wide,
             llvm::cast<TypedAttr>(b.builder.getZeroAttr(wide.type)),
             [&](Scalar &s, Values v) {
               return s.add(v[1], powered(s, v[0], p));
             }));
  return node.done(elementwise(b, {sum}, x->element, [&](Scalar &s, Values v) {
    return rooted(s, v[0], p);
  }));
}

/// x / (bias + alpha / size * sum of squares over neighbouring channels)^beta.
LogicalResult importLRN(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node, x, 3, "the input")))
    return failure();
  TRY(int64_t size, node.attributes.integer("size", 0));
  TRY(double alpha, node.attributes.number("alpha", 1e-4f));
  TRY(double beta, node.attributes.number("beta", 0.75));
  TRY(double bias, node.attributes.number("bias", 1));
  if (size < 1 || size > INT32_MAX)
    return node.fail("attribute 'size' is " + Twine(size) +
                     ", expected a positive number");
  SmallVector<Expr> low(x->rank(), b.zero()), high = low;
  low[1] = b.sizes.constant((size - 1) / 2);
  high[1] = b.sizes.constant(size / 2);
  TRY(Tensor padded,
      pad(b, x, low, high,
          llvm::cast<TypedAttr>(b.builder.getZeroAttr(x->element.type))));
  SmallVector<Expr> loops(x->dims);
  Operand operand{padded, {}};
  for (int64_t i = 0; i < x->rank(); ++i)
    operand.at.push_back(i == 1 ? b.loop(1) + b.loop(x->rank()) : b.loop(i));
  loops.push_back(b.sizes.constant(size));
  Element wide = wideOf(b, x);
  GenericOptions options;
  options.parallelLoops = x->rank();
  options.init = llvm::cast<TypedAttr>(b.builder.getZeroAttr(wide.type));
  auto body = [](Scalar &s, Values v) {
    return s.add(v[1], s.mul(v[0], v[0]));
  };
  TRY(Tensor sum, generic(b, {operand}, loops, wide, body, options));
  return node.done(
      elementwise(b, {x, sum}, x->element, [&](Scalar &s, Values v) {
        Value base = s.add(s.mul(v[1], s.like(v[1], alpha / double(size))),
                           s.like(v[1], bias));
        return s.div(v[0], s.make<math::PowFOp>(base, s.like(base, beta)));
      }));
}

} // namespace

void addPoolOps(OpTable &t) {
  t.add("MaxPool", 1, importMaxPool);
  t.add("AveragePool", 1, importAveragePool);
  t.add("LpPool", 1, importLpPool);
  t.add("GlobalAveragePool", 1, importGlobalAveragePool);
  t.add("GlobalMaxPool", 1, importGlobalMaxPool);
  t.add("GlobalLpPool", 1, importGlobalLpPool);
  t.add("LRN", 1, importLRN);
}

} // namespace tilewright::onnx
