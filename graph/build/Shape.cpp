#include "graph/build/Shape.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/KnownTensor.h"
#include "graph/build/Movement.h"
#include "graph/build/Regions.h"
#include "graph/build/Remedy.h"
#include "graph/build/TensorValues.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {

Tensor countTensor(GraphBuilder &b, const Tensor &x) {
  return integerTensor(b, {b.sizes.product(x->dims)}, {}, i64(b));
}

FailureOr<Tensor> filled(GraphBuilder &b, ArrayRef<Expr> dims, TypedAttr value,
                         Element element) {
  TRY(Tensor checked, wrap(b, nullptr, dims, element));
  if (constantsOf(dims))
    return splat(b, value, dims, element);
  return broadcastTo(b, splat(b, value, {}, element), dims);
}

FailureOr<Tensor> reshapeTo(GraphBuilder &b, const Tensor &x,
                            ArrayRef<Expr> shape, bool keepsZeros) {
  SmallVector<Expr> dims(shape);
  int64_t unknown = -1;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (isConst(dim, 0) && !keepsZeros) {
      if (int64_t(i) >= x->rank())
        return b.fail("the shape " + b.sizes.str(dims) + " copies dimension " +
                      Twine(i) + " of an input of shape " +
                      b.sizes.str(x->dims));
      dim = x->dims[i];
    } else if (isConst(dim, -1)) {
      if (unknown >= 0)
        return b.fail("the shape " + b.sizes.str(dims) +
                      " has two sizes of -1");
      unknown = i;
    } else if (constantOf(dim).value_or(0) < 0) {
      return b.fail("the shape " + b.sizes.str(dims) + " has a negative size");
    }
  }
  if (unknown >= 0) {
    // Sizes in common cancel, then what is left is divided.
    SmallVector<Expr> from(x->dims), known;
    for (auto [i, dim] : llvm::enumerate(dims)) {
      if (int64_t(i) == unknown)
        continue;
      auto same = llvm::find(from, dim);
      if (same != from.end() && !isConst(dim, 0))
        from.erase(same);
      else
        known.push_back(dim);
    }
    Expr total = b.sizes.product(from), divisor = b.sizes.product(known);
    if (isConst(divisor, 0) || (constantOf(total) && constantOf(divisor) &&
                                *constantOf(total) % *constantOf(divisor) != 0))
      return b.fail("cannot reshape " + b.sizes.str(x->dims) + " to " +
                    b.sizes.str(dims));
    dims[unknown] = b.sizes.floorDiv(total, divisor);
  }
  return reshape(b, x, dims);
}

/// A shape with what -1 and 0 stand for. A size that cannot be is 0: reshapes
/// check that they keep the number of elements.
static FailureOr<Tensor> resolveShape(GraphBuilder &b, const Tensor &x,
                                      const Tensor &shape, bool keepsZeros) {
  SmallVector<Operand> operands;
  for (int64_t i = 0, count = *countOf(*shape); i < count; ++i)
    operands.push_back({shape, {b.sizes.constant(i)}});
  const Expr total = b.sizes.product(x->dims);
  return gather(b, operands, shape->dims, i64(b), [&](Scalar &s, Values v) {
    Scalar t(s.builder, s.loc);
    Value zero = t.index(0), one = t.index(1), known = one;
    SmallVector<Value> sizes;
    for (auto [i, size] : llvm::enumerate(v)) {
      Value at = t.toIndex(size);
      if (!keepsZeros && int64_t(i) < x->rank())
        at = t.select(t.eq(at, zero), b.index(x->dims[i]), at);
      known = t.mul(known, t.select(t.eq(at, t.index(-1)), one, at));
      sizes.push_back(at);
    }
    Value isPossible = t.ne(known, zero);
    Value rest = t.select(isPossible,
                          t.make<arith::DivSIOp>(
                              b.index(total), t.select(isPossible, known, one)),
                          zero);
    Value result = zero;
    for (auto [i, size] : llvm::enumerate(sizes)) {
      Value here = t.select(t.eq(size, t.index(-1)), rest, size);
      result = t.select(t.eq(s.loop(0), t.index(int64_t(i))), here, result);
    }
    return t.fromIndex(result, t.builder.getI64Type());
  });
}

FailureOr<SmallVector<Expr>> readShape(GraphBuilder &b, const Tensor &x,
                                       const Tensor &shape, bool keepsZeros) {
  if (shape->content)
    return SmallVector<Expr>(*shape->content);
  const SmallVector<Expr> one{b.sizes.constant(1)};
  TRY(Tensor resolved, resolveShape(b, x, shape, keepsZeros));
  SmallVector<Expr> dims;
  for (int64_t i = 0, count = *countOf(*shape); i < count; ++i) {
    const Expr at = b.sizes.constant(i);
    TRY(Tensor given, slice(b, shape, {at}, one, {1}));
    Tensor known = evaluate(b, given);
    if (known && known->content && !isConst(known->content->front(), -1)) {
      dims.push_back(known->content->front());
      continue;
    }
    TRY(Tensor size, slice(b, resolved, {at}, one, {1}));
    TRY(Expr read, readSize(b, size, 0));
    dims.push_back(read);
  }
  return dims;
}

FailureOr<Tensor> flatten(GraphBuilder &b, const Tensor &x, int64_t axis) {
  ArrayRef<Expr> dims = x->dims;
  return reshape(b, x,
                 {b.sizes.product(dims.take_front(axis)),
                  b.sizes.product(dims.drop_front(axis))});
}

FailureOr<Tensor> squeeze(GraphBuilder &b, const Tensor &x,
                          ArrayRef<int64_t> axes) {
  SmallVector<Expr> dims;
  for (auto [i, dim] : llvm::enumerate(x->dims)) {
    if (!llvm::is_contained(axes, int64_t(i))) {
      dims.push_back(dim);
      continue;
    }
    if (!compatible(dim, b.sizes.constant(1)))
      return b.fail("dimension " + Twine(i) + " of " + b.sizes.str(x->dims) +
                    " is not 1");
    checkEqual(b, dim, b.sizes.constant(1),
               "Squeeze of " + b.sizes.str(x->dims) + " needs a size of 1");
  }
  if (llvm::all_of(axes, [&](int64_t a) { return isConst(x->dims[a], 1); })) {
    SmallVector<int64_t> kept;
    for (int64_t i = 0; i < x->rank(); ++i)
      if (!llvm::is_contained(axes, i))
        kept.push_back(i);
    return rearrange(b, x, kept);
  }
  return reshape(b, x, dims);
}

SmallVector<int64_t> unitAxes(GraphBuilder &b, const Tensor &x) {
  SmallVector<int64_t> axes;
  for (auto [i, dim] : llvm::enumerate(x->dims)) {
    if (isConst(dim, 1))
      axes.push_back(i);
    if (constantOf(dim))
      continue;
    // A square is 0 for the size 1 alone.
    Expr rest = b.sizes.add(dim, -1);
    std::string options = sizeOptions(b, dim, /*value=*/1);
    checkAtMost(b, b.sizes.constant(1), b.sizes.mul(rest, rest),
                "a Squeeze without axes drops dimension " + Twine(i) + " of " +
                    b.sizes.str(x->dims) +
                    " if its size is 1, so the model must be compiled for "
                    "that size" +
                    (options.empty() ? "" : ", as with " + options));
  }
  return axes;
}

Tensor unsqueeze(GraphBuilder &b, const Tensor &x, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> kept;
  int64_t next = 0;
  for (int64_t i = 0, rank = x->rank() + axes.size(); i < rank; ++i)
    kept.push_back(llvm::is_contained(axes, i) ? -1 : next++);
  return rearrange(b, x, kept);
}

FailureOr<Tensor> expand(GraphBuilder &b, const Tensor &x,
                         ArrayRef<Expr> dims) {
  auto shape = std::make_shared<TensorInfo>();
  shape->dims.assign(dims.begin(), dims.end());
  TRY(Dims both, broadcastDims(b, ArrayRef<Tensor>{x, shape}));
  if (x->content && !x->constant && x->content->size() == 1)
    if (auto sizes = constantsOf(both)) {
      TRY(Tensor shaped, wrap(b, nullptr, both, x->element));
      if (auto count = countOf(*shaped); count && *count <= 1024)
        return integerTensor(b, SmallVector<Expr>(*count, (*x->content)[0]),
                             both, x->element);
    }
  return broadcastTo(b, x, both);
}

namespace {

/// The number of elements of a range of constants: as unsigned numbers, since
/// its ends may be further apart than 2^63.
int64_t rangeLength(int64_t from, int64_t to, int64_t step) {
  if (step > 0 ? from >= to : from <= to)
    return 0;
  uint64_t low = step > 0 ? from : to, high = step > 0 ? to : from;
  uint64_t width = step > 0 ? step : -uint64_t(step), span = high - low;
  uint64_t count = span / width + (span % width != 0);
  return int64_t(std::min<uint64_t>(count, INT64_MAX));
}

/// ceil((to - from) / step), at least 0.
Expr rangeLength(Sizes &z, Expr from, Expr to, int64_t step) {
  auto first = constantOf(from), end = constantOf(to);
  if (first && end)
    return z.constant(rangeLength(*first, *end, step));
  Expr span = step > 0 ? z.sub(to, from) : z.sub(from, to);
  if (std::abs(step) < int64_t(1) << 62)
    return z.positivePart(z.ceilDiv(span, std::abs(step)));
  // One where the span is positive, another where it is more than the step:
  // nothing is added to a step near the end of 64 bits.
  auto isPositive = [&](Expr e) {
    return z.min(z.positivePart(e), z.constant(1));
  };
  return z.add(isPositive(span), isPositive(z.add(span, -std::abs(step))));
}

} // namespace

FailureOr<Tensor> integerRange(GraphBuilder &b, Expr from, Expr to, Expr step,
                               Element element) {
  auto stepValue = constantOf(step);
  bool isKnown = constantOf(from) && constantOf(to);
  if (!stepValue || *stepValue == 0 || (*stepValue == INT64_MIN && !isKnown))
    return b.fail("delta must be a constant other than 0 and -2^63, found " +
                  b.sizes.str(step) + sizeRemedy(b, step));
  Expr count = rangeLength(b.sizes, from, to, *stepValue);
  if (auto known = constantOf(count); known && *known <= 1024) {
    SmallVector<Expr> values;
    for (int64_t i = 0; i < *known; ++i) {
      // No element lies beyond the ends, though a multiple of the step may.
      uint64_t moved = uint64_t(i) * uint64_t(*stepValue);
      auto first = constantOf(from);
      values.push_back(first ? b.sizes.constant(uint64_t(*first) + moved)
                             : b.sizes.add(from, int64_t(moved)));
    }
    return integerTensor(b, values, {count}, element);
  }
  return gather(b, {}, {count}, element, [&](Scalar &s, ArrayRef<Value>) {
    Value at = s.add(b.index(from), s.mul(s.loop(0), s.index(*stepValue)));
    return s.fromIndex(at, element.type);
  });
}

FailureOr<Tensor> floatRange(GraphBuilder &b, double from, double to,
                             double step, Element element) {
  double count = std::ceil((to - from) / step);
  if (!(count < 1e9) || step == 0)
    return b.fail("the range has no end");
  Expr length = b.sizes.constant(int64_t(std::max(0.0, count)));
  return gather(b, {}, {length}, element, [&](Scalar &s, Values) {
    Type type = element.isNarrowFloat() ? s.builder.getF32Type() : element.type;
    Value i = s.fromIndex(s.loop(0), type);
    return s.add(s.constant(type, from), s.mul(i, s.constant(type, step)));
  });
}

FailureOr<Tensor> computedRange(GraphBuilder &b, const Tensor &from,
                                const Tensor &to, const Tensor &step) {
  SmallVector<Tensor> bounds;
  for (const Tensor &bound : {from, to, step}) {
    if (countOf(*bound) != 1 || bound->element != from->element ||
        bound->element.isBool())
      return b.fail("a bound of a range has type " + dtypeName(bound->element) +
                    " and shape " + b.sizes.str(bound->dims) +
                    ", expected one number of type " +
                    dtypeName(from->element));
    bounds.push_back(rearrange(b, bound, {}));
  }
  TRY(Tensor length, elementwise(b, bounds, i64(b), [](Scalar &s, Values v) {
        Type wide = s.builder.getF64Type();
        Value span = s.convert(s.sub(v[1], v[0]), wide);
        Value count = s.ceil(s.div(span, s.convert(v[2], wide)));
        return s.convert(s.max(count, s.like(count, 0)),
                         s.builder.getI64Type());
      }));
  TRY(Expr count, readSize(b, length, 0, b.sizes.constant(maximumBytes)));
  return gather(b, {{bounds[0], {}}, {bounds[2], {}}}, {count}, from->element,
                [](Scalar &s, Values v) {
                  Type type = v[0].getType();
                  Value i = s.loop(0);
                  i = isa<FloatType>(type)
                          ? s.convert(s.fromIndex(i, s.builder.getI64Type()),
                                      type)
                          : s.fromIndex(i, type);
                  return s.add(v[0], s.mul(i, v[1]));
                });
}

FailureOr<Tensor> diagonal(GraphBuilder &b, ArrayRef<Expr> dims, int64_t k,
                           Element element) {
  return gather(b, {}, dims, element, [&](Scalar &s, ArrayRef<Value>) {
    Value hit = s.eq(s.add(s.loop(0), s.index(k)), s.loop(1));
    return s.select(hit, s.constant(element.type, 1),
                    s.constant(element.type, 0));
  });
}

} // namespace tilewright::build
