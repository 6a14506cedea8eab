// Reductions over axes.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

using Values = ArrayRef<Value>;

struct Axes {
  SmallVector<int64_t> list;
  bool keepDims;
  /// There are no axes, and for the operator this means no reduction.
  bool none = false;
};

FailureOr<Axes> readAxes(Node &node, const Tensor &x, int64_t sinceInput) {
  Axes axes;
  TRY(axes.keepDims, node.attributes.flag("keepdims", true));
  TRY(auto given, integersOrInput(node, "axes", 1, sinceInput));
  if (given && !given->empty()) {
    for (int64_t value : *given) {
      TRY(int64_t axis, axisOf(node.b, value, x->rank()));
      axes.list.push_back(axis);
    }
    // An axis that is named twice is reduced once, as in ONNX Runtime.
    llvm::sort(axes.list);
    axes.list.erase(llvm::unique(axes.list), axes.list.end());
    return axes;
  }
  TRY(axes.none, node.attributes.flag("noop_with_empty_axes", false));
  for (int64_t i = 0; i < x->rank(); ++i)
    axes.list.push_back(i);
  return axes;
}

using UnaryFn = Value (*)(Scalar &, Value);
Value itself(Scalar &, Value v) { return v; }

/// Reduces before(x) by a sum, then applies `after`.
template <UnaryFn before, UnaryFn after, int64_t sinceInput>
LogicalResult sumReduction(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Axes axes, readAxes(node, x, sinceInput));
  if (axes.none)
    return node.done(elementwise(b, {x}, x->element, [](Scalar &s, Values v) {
      return after(s, before(s, v[0]));
    }));
  Element wide = accumulatorOf(b, x->element);
  auto zero = llvm::cast<TypedAttr>(b.builder.getZeroAttr(wide.type));
  auto addNext = [](Scalar &s, Values v) {
    return s.add(v[1], before(s, v[0]));
  };
  TRY(Tensor sum, reduce(b, x, axes.list, axes.keepDims, wide, zero, addNext));
  if (after == itself)
    return node.done(convert(b, sum, x->element));
  return node.done(elementwise(b, {sum}, x->element, [&](Scalar &s, Values v) {
    return after(s, v[0]);
  }));
}

LogicalResult importReduceMean(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Axes axes, readAxes(node, x, 18));
  if (axes.none)
    return node.set(0, x);
  TRY(Tensor sum, reduceSum(b, x, axes.list, axes.keepDims));
  Expr count = b.sizes.constant(1);
  for (int64_t axis : axes.list)
    count = b.sizes.mul(count, x->dims[axis]);
  return node.done(elementwise(b, {sum}, x->element, [&](Scalar &s, Values v) {
    return s.div(v[0], countInBody(b, s, count, v[0].getType()));
  }));
}

LogicalResult importReduceProd(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Axes axes, readAxes(node, x, 18));
  if (axes.none)
    return node.set(0, x);
  if (axes.list.size() == size_t(x->rank()) && x->content && !x->constant) {
    Tensor product =
        integerTensor(b, {b.sizes.product(*x->content)}, {}, x->element);
    SmallVector<int64_t> kept(axes.keepDims ? x->rank() : 0, -1);
    return node.set(0, rearrange(b, product, kept));
  }
  Element wide = accumulatorOf(b, x->element);
  TRY(Tensor product,
      reduce(b, x, axes.list, axes.keepDims, wide, constantAttr(b, wide, 1),
             [](Scalar &s, Values v) { return s.mul(v[1], v[0]); }));
  return node.done(convert(b, product, x->element));
}

template <bool isMax> LogicalResult importReduceExtreme(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Axes axes, readAxes(node, x, 18));
  if (axes.none)
    return node.set(0, x);
  Element wide = accumulatorOf(b, x->element);
  auto combine = [](Scalar &s, Values v) {
    if (v[0].getType().isInteger(1))
      return isMax ? s.logicalOr(v[1], v[0]) : s.logicalAnd(v[1], v[0]);
    return isMax ? s.max(v[1], v[0]) : s.min(v[1], v[0]);
  };
  TypedAttr init = constantAttr(b, wide, isMax ? -INFINITY : INFINITY);
  if (wide.isBool())
    init = b.builder.getBoolAttr(!isMax);
  TRY(Tensor result,
      reduce(b, x, axes.list, axes.keepDims, wide, init, combine));
  return node.done(convert(b, result, x->element));
}

/// log(sum of exp(x)) of integers, rounded to zero as a cast does: the greatest
/// x, and the logarithm of the sum of exp(x - greatest), at least 0, in f64.
FailureOr<Tensor> integerLogSumExp(GraphBuilder &b, const Tensor &x,
                                   ArrayRef<int64_t> axes) {
  Element wide{b.builder.getF64Type()};
  TRY(Tensor top, reduceMax(b, x, axes, true));
  TRY(Tensor powers, elementwise(b, {x, top}, wide, [](Scalar &s, Values v) {
        // A distance may need the sign's bit.
        Scalar t(s.builder, s.loc, /*isUnsigned=*/true);
        Value below = t.convert(s.sub(v[1], v[0]), s.builder.getF64Type());
        return s.exp(s.neg(below));
      }));
  TRY(Tensor sum, reduceSum(b, powers, axes, true));
  return elementwise(b, {top, sum}, x->element, [&](Scalar &s, Values v) {
    Type type = v[0].getType();
    // Nothing has the least integer.
    Value more = s.max(s.log(v[1]), s.like(v[1], 0)), whole = s.floor(more);
    Value result = s.add(v[0], s.convert(whole, type));
    if (s.isUnsigned)
      return result;
    // Below 0, rounding to zero is rounding up.
    Value isBetween =
        s.logicalAnd(s.lt(result, s.integer(type, 0)), s.gt(more, whole));
    return s.select(isBetween, s.add(result, s.integer(type, 1)), result);
  });
}

FailureOr<Tensor> floatLogSumExp(GraphBuilder &b, const Tensor &x,
                                 ArrayRef<int64_t> axes) {
  TRY(Tensor top, reduceMax(b, x, axes, true));
  Element wide = top->element;
  // Infinite maxima would lead to infinity minus infinity.
  TRY(Tensor base, elementwise(b, {top}, wide, [](Scalar &s, Values v) {
        Value finite = s.lt(s.abs(v[0]), s.like(v[0], INFINITY));
        return s.select(finite, v[0], s.like(v[0], 0));
      }));
  TRY(Tensor powers, elementwise(b, {x, base}, wide, [](Scalar &s, Values v) {
        return s.exp(s.sub(v[0], v[1]));
      }));
  TRY(Tensor sum, reduceSum(b, powers, axes, true));
  return elementwise(b, {sum, base}, x->element, [](Scalar &s, Values v) {
    return s.add(s.log(v[0]), v[1]);
  });
}

LogicalResult importReduceLogSumExp(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Axes axes, readAxes(node, x, 18));
  if (x->element.isBool())
    return node.fail("expected numbers, found " + dtypeName(x->element));
  if (axes.none)
    return node.set(0, x);
  TRY(Tensor result, x->element.isFloat() ? floatLogSumExp(b, x, axes.list)
                                          : integerLogSumExp(b, x, axes.list));
  if (axes.keepDims)
    return node.set(0, result);
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < x->rank(); ++i)
    if (!llvm::is_contained(axes.list, i))
      kept.push_back(i);
  return node.set(0, rearrange(b, result, kept));
}

/// The index of the extreme element: first its value, then the least (or
/// greatest) index that has it.
template <bool isMax> LogicalResult importArgExtreme(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(int64_t axis, axisAttribute(node, 0, x->rank()));
  TRY(bool keepDims, node.attributes.flag("keepdims", true));
  TRY(bool last, node.attributes.flag("select_last_index", false));
  Element wide = accumulatorOf(b, x->element);
  auto better = [](Scalar &s, Values v) {
    return isMax ? s.max(v[1], v[0]) : s.min(v[1], v[0]);
  };
  TRY(Tensor best,
      reduce(b, x, {axis}, true, wide,
             constantAttr(b, wide, isMax ? -INFINITY : INFINITY), better));
  Operand values{x, {}}, extremes{best, {}};
  SmallVector<Expr> loops;
  SmallVector<int64_t> kept;
  unsigned reduced = x->rank() - 1;
  for (int64_t i = 0; i < x->rank(); ++i) {
    Expr at = i == axis ? b.loop(reduced) : b.loop(loops.size());
    values.at.push_back(at);
    extremes.at.push_back(i == axis ? b.zero() : at);
    kept.push_back(i == axis ? -1 : int64_t(loops.size()));
    if (i != axis)
      loops.push_back(x->dims[i]);
  }
  loops.push_back(x->dims[axis]);
  GenericOptions options;
  options.parallelLoops = reduced;
  // Indices of 32 bits where those suffice.
  std::optional<int64_t> extent = constantOf(x->dims[axis]);
  const bool isShort = extent && *extent < INT32_MAX;
  Element index = {isShort ? b.builder.getI32Type() : b.builder.getI64Type()};
  const int64_t none = last ? -1 : isShort ? INT32_MAX : INT64_MAX;
  options.init = b.builder.getIntegerAttr(index.type, none);
  auto body = [&](Scalar &s, Values v) {
    Value at = s.make<arith::IndexCastOp>(index.type, s.loop(reduced));
    // NaN is its own extreme.
    Value hit = s.eq(v[0], v[1]);
    if (isa<FloatType>(v[0].getType()))
      hit = s.logicalOr(hit, s.ne(v[0], v[0]));
    Value candidate =
        s.select(hit, at,
                 s.make<arith::ConstantOp>(cast<TypedAttr>(
                     s.builder.getIntegerAttr(index.type, none))));
    return last ? s.make<arith::MaxSIOp>(v[2], candidate)
                : s.make<arith::MinSIOp>(v[2], candidate);
  };
  TRY(Tensor result,
      generic(b, {values, extremes}, loops, index, body, options));
  if (isShort) {
    TRY(result, elementwise(b, {result}, i64(b), [&](Scalar &s, Values v) {
          return s.convert(v[0], s.builder.getI64Type());
        }));
  }
  return node.set(0, keepDims ? rearrange(b, result, kept) : result);
}

Value square(Scalar &s, Value v) { return s.mul(v, v); }
Value absolute(Scalar &s, Value v) { return s.abs(v); }
Value root(Scalar &s, Value v) {
  if (isa<FloatType>(v.getType()))
    return s.sqrt(v);
  return s.convert(s.sqrt(s.convert(v, s.builder.getF64Type())), v.getType());
}
Value logarithm(Scalar &s, Value v) {
  if (isa<FloatType>(v.getType()))
    return s.log(v);
  return s.convert(s.log(s.convert(v, s.builder.getF64Type())), v.getType());
}

} // namespace

void addReduceOps(OpTable &t) {
  StringRef limit = "axes constant";
  t.add("ReduceSum", 1, sumReduction<itself, itself, 13>, limit);
  t.add("ReduceMean", 1, importReduceMean, limit);
  t.add("ReduceProd", 1, importReduceProd, limit);
  t.add("ReduceMax", 1, importReduceExtreme<true>, limit);
  t.add("ReduceMin", 1, importReduceExtreme<false>, limit);
  t.add("ReduceL1", 1, sumReduction<absolute, itself, 18>, limit);
  t.add("ReduceL2", 1, sumReduction<square, root, 18>, limit);
  t.add("ReduceLogSum", 1, sumReduction<itself, logarithm, 18>, limit);
  t.add("ReduceLogSumExp", 1, importReduceLogSumExp, limit);
  t.add("ReduceSumSquare", 1, sumReduction<square, itself, 18>, limit);
  t.add("ArgMax", 1, importArgExtreme<true>);
  t.add("ArgMin", 1, importArgExtreme<false>);
}

} // namespace tilewright::onnx
