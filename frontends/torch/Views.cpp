#include "frontends/torch/Views.h"

#include "graph/analysis/SizeBounds.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/TensorValues.h"

#include <algorithm>

using namespace mlir;

namespace tilewright::torch {

using llvm::Twine;

View reshapedView(GraphBuilder &b, ArrayRef<Expr> from, ArrayRef<Expr> to) {
  Dims before(from), after(to);
  return {[&b, after](const Tensor &base) { return reshape(b, base, after); },
          [&b, before](const Tensor &, const Tensor &value) {
            return reshape(b, value, before);
          }};
}

View permutedView(GraphBuilder &b, ArrayRef<int64_t> order) {
  SmallVector<int64_t> forward(order), back(order.size());
  for (auto [i, axis] : llvm::enumerate(order))
    back[axis] = i;
  return {
      [&b, forward](const Tensor &base) { return transpose(b, base, forward); },
      [&b, back](const Tensor &, const Tensor &value) {
        return transpose(b, value, back);
      }};
}

FailureOr<Tensor> readStrip(GraphBuilder &b, const Tensor &base,
                            const Strip &strip) {
  // Known integers stay known.
  auto start = constantOf(strip.start), length = constantOf(strip.length);
  if (base->content && base->rank() == 1 && start && length) {
    SmallVector<Expr> values;
    for (int64_t i = 0; i < *length; ++i) {
      size_t at = *start + i * strip.step;
      if (at >= base->content->size())
        return b.fail("reads beyond the end of " + b.sizes.str(base->dims));
      values.push_back((*base->content)[at]);
    }
    return integerTensor(b, values, {strip.length}, base->element);
  }
  SmallVector<Expr> offsets(base->rank(), b.zero()), lengths(base->dims);
  SmallVector<int64_t> steps(base->rank(), 1);
  offsets[strip.axis] = strip.start;
  lengths[strip.axis] = strip.length;
  steps[strip.axis] = strip.step;
  return slice(b, base, offsets, lengths, steps);
}

/// The base where the strip has no element, else that of the value.
static FailureOr<Tensor> overwriteSteps(GraphBuilder &b, const Tensor &base,
                                        const Tensor &value,
                                        const Strip &strip) {
  Operand own{base, {}};
  for (int64_t i = 0; i < base->rank(); ++i)
    own.at.push_back(b.loop(i));
  denseValue(b, value);
  return gather(b, {own}, base->dims, base->element, [&](Scalar &s, Values v) {
    Scalar t(s.builder, s.loc);
    Value step = s.index(strip.step), zero = s.index(0);
    Value at = s.sub(s.loop(strip.axis), b.index(strip.start));
    Value number = s.make<arith::DivSIOp>(at, step);
    Value isOn = s.eq(s.make<arith::RemSIOp>(at, step), zero);
    isOn = s.logicalAnd(isOn, t.ge(at, zero));
    isOn = s.logicalAnd(isOn, t.lt(number, b.index(strip.length)));
    SmallVector<Value> indices;
    for (int64_t i = 0; i < base->rank(); ++i)
      indices.push_back(i == strip.axis
                            ? boundedIndex(b, s, number, strip.length,
                                           /*wrapNegative=*/false)
                            : s.loop(i));
    return s.select(isOn, extractElement(b, s, value, indices), v[0]);
  });
}

FailureOr<Tensor> overwriteStrip(GraphBuilder &b, const Tensor &base,
                                 const Tensor &value, const Strip &strip) {
  Expr size = base->dims[strip.axis];
  if (isConst(strip.length, 0))
    return base;
  if (strip.step != 1)
    return overwriteSteps(b, base, value, strip);
  if (strip.length == size)
    return value;
  SmallVector<Tensor> parts;
  Expr end = b.sizes.add(strip.start, strip.length);
  if (!isConst(strip.start, 0)) {
    TRY(Tensor before,
        readStrip(b, base, {strip.axis, b.zero(), strip.start, 1}));
    parts.push_back(before);
  }
  parts.push_back(value);
  if (end != size) {
    TRY(Tensor after,
        readStrip(b, base, {strip.axis, end, b.sizes.sub(size, end), 1}));
    parts.push_back(after);
  }
  return concat(b, parts, strip.axis);
}

View stripView(GraphBuilder &b, const Strip &strip) {
  return {[&b, strip](const Tensor &base) { return readStrip(b, base, strip); },
          [&b, strip](const Tensor &base, const Tensor &value) {
            return overwriteStrip(b, base, value, strip);
          }};
}

View selectedView(GraphBuilder &b, const Tensor &base, int64_t axis, Expr at) {
  Strip strip{axis, at, b.sizes.constant(1), 1};
  SmallVector<int64_t> dropped, added;
  for (int64_t i = 0; i < base->rank(); ++i) {
    added.push_back(i == axis ? -1 : i < axis ? i : i - 1);
    if (i != axis)
      dropped.push_back(i);
  }
  return {[&b, strip, dropped](const Tensor &whole) -> FailureOr<Tensor> {
            TRY(Tensor part, readStrip(b, whole, strip));
            return rearrange(b, part, dropped);
          },
          [&b, strip, added](const Tensor &whole, const Tensor &value) {
            return overwriteStrip(b, whole, rearrange(b, value, added), strip);
          }};
}

/// A bound made absolute: between 0 and the size.
static Expr boundOf(GraphBuilder &b, Expr bound, Expr size) {
  Sizes &z = b.sizes;
  auto constant = constantOf(bound);
  if (constant && *constant >= int64_t(1) << 40)
    return size;
  auto least = graph::lowerBoundUnlessEmpty(z, bound);
  if (least && *least >= 0)
    return z.min(bound, size);
  auto most = graph::upperBound(z, bound);
  if (most && *most < 0)
    return z.positivePart(z.add(size, bound));
  // It counts from the end where it is negative.
  Expr isNegative = z.min(z.positivePart(z.mul(bound, -1)), z.constant(1));
  bound = z.add(bound, z.mul(size, isNegative));
  return z.min(z.positivePart(bound), size);
}

FailureOr<Strip> stripOf(Call &c, const Tensor &base) {
  GraphBuilder &b = c.b;
  Sizes &z = b.sizes;
  if (base->rank() == 0)
    return c.fail("slices a tensor without dimensions");
  Strip strip;
  TRY(strip.axis, c.axis("dim", base->rank()));
  Expr size = base->dims[strip.axis], start = b.zero(), end = size;
  if (!c.isNone("start")) {
    TRY(start, c.size("start"));
  }
  if (!c.isNone("end")) {
    TRY(end, c.size("end"));
  }
  if (c.find("step")) {
    TRY(strip.step, c.integer("step"));
  }
  if (strip.step < 1)
    return c.fail("argument 'step' is " + Twine(strip.step) +
                  ", expected at least 1");
  strip.start = boundOf(b, start, size);
  Expr length = z.sub(boundOf(b, end, size), strip.start);
  strip.length = z.positivePart(z.ceilDiv(length, strip.step));
  return strip;
}

bool isRowMajor(const TensorMeta &meta) {
  int64_t expected = 1;
  for (size_t i = meta.sizes.size(); i-- > 0;) {
    const Expression &size = meta.sizes[i], &stride = meta.strides[i];
    bool isNumber = size.kind == Expression::Kind::Integer;
    if (isNumber && size.integer == 1)
      continue;
    if (stride.kind != Expression::Kind::Integer || stride.integer != expected)
      return false;
    // What lies outside of a symbolic size has a symbolic stride.
    if (!isNumber)
      return std::all_of(meta.strides.begin(), meta.strides.begin() + i,
                         [](const Expression &outer) {
                           return outer.kind != Expression::Kind::Integer;
                         }) ||
             i == 0;
    expected *= size.integer;
  }
  return true;
}

} // namespace tilewright::torch
