#include "graph/build/Gather.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::build {

/// Gather of known integers by known positions; null if not known.
static Tensor gatherKnown(GraphBuilder &b, const Tensor &x,
                          const Tensor &indices) {
  if (!x->content || x->rank() != 1 || !indices->content)
    return nullptr;
  auto positions = constantsOf(*indices->content);
  if (!positions)
    return nullptr;
  SmallVector<Expr> values;
  int64_t size = x->content->size();
  for (int64_t at : *positions) {
    at = at < 0 ? at + size : at;
    if (at < 0 || at >= size)
      return nullptr;
    values.push_back((*x->content)[at]);
  }
  return integerTensor(b, values, indices->dims, x->element);
}

/// One constant position: a slice.
static FailureOr<Tensor> gatherOne(GraphBuilder &b, const Tensor &x,
                                   int64_t axis, int64_t at,
                                   const Tensor &indices) {
  Expr size = x->dims[axis];
  Expr start = at < 0 ? b.sizes.add(size, at) : b.sizes.constant(at);
  checkAtMost(b, b.sizes.constant(at < 0 ? -at : at + 1), size,
              "index " + Twine(at) + " of Gather is outside of a dimension");
  SmallVector<Expr> offsets(x->rank(), b.zero()), lengths(x->dims);
  offsets[axis] = start;
  lengths[axis] = b.sizes.constant(1);
  TRY(Tensor part,
      slice(b, x, offsets, lengths, SmallVector<int64_t>(x->rank(), 1)));
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < x->rank(); ++i) {
    if (i != axis)
      kept.push_back(i);
    else
      kept.append(indices->rank(), -1);
  }
  return rearrange(b, part, kept);
}

FailureOr<Tensor> gatherAlong(GraphBuilder &b, const Tensor &x,
                              const Tensor &indices, int64_t axis) {
  if (!indices->element.isInteger())
    return b.fail("indices have type " + dtypeName(indices->element));
  if (Tensor known = gatherKnown(b, x, indices))
    return known;
  auto size = constantOf(x->dims[axis]);
  const int64_t most = size.value_or(maximumBytes);
  if (indices->content)
    for (Expr e : *indices->content)
      if (auto at = constantOf(e); at && (*at < -most || *at >= most))
        return b.fail("index " + Twine(*at) + " is outside of dimension " +
                      Twine(axis) + " of " + b.sizes.str(x->dims));
  if (indices->content && indices->content->size() == 1)
    if (auto at = constantOf((*indices->content)[0]))
      return gatherOne(b, x, axis, *at, indices);
  if (failed(requireIndices(b, indices, x, axis)))
    return failure();
  SmallVector<Expr> dims;
  Operand operand{indices, {}};
  dims.append(x->dims.begin(), x->dims.begin() + axis);
  for (Expr dim : indices->dims) {
    operand.at.push_back(isConst(dim, 1) ? b.zero() : b.loop(dims.size()));
    dims.push_back(dim);
  }
  dims.append(x->dims.begin() + axis + 1, x->dims.end());
  denseValue(b, x);
  return gather(
      b, {operand}, dims, x->element, [&](Scalar &s, ArrayRef<Value> v) {
        SmallVector<Value> at;
        for (int64_t i = 0; i < x->rank(); ++i) {
          if (i == axis)
            at.push_back(boundedIndex(b, s, s.toIndex(v[0]), x->dims[i]));
          else
            at.push_back(s.loop(i < axis ? i : i - 1 + indices->rank()));
        }
        return extractElement(b, s, x, at);
      });
}

FailureOr<Tensor> gatherElements(GraphBuilder &b, const Tensor &x,
                                 const Tensor &indices, int64_t axis) {
  if (indices->rank() != x->rank() || !indices->element.isInteger())
    return b.fail("data has shape " + b.sizes.str(x->dims) +
                  " and indices have shape " + b.sizes.str(indices->dims) +
                  " and type " + dtypeName(indices->element));
  if (failed(requireIndices(b, indices, x, axis)))
    return failure();
  Operand operand{indices, {}};
  for (int64_t i = 0; i < x->rank(); ++i) {
    operand.at.push_back(b.loop(i));
    // Indices may be shorter than the data.
    if (i != axis)
      checkAtMost(b, indices->dims[i], x->dims[i],
                  "indices of shape " + b.sizes.str(indices->dims) +
                      " reach beyond data of shape " + b.sizes.str(x->dims));
  }
  denseValue(b, x);
  return gather(
      b, {operand}, indices->dims, x->element,
      [&](Scalar &s, ArrayRef<Value> v) {
        SmallVector<Value> at;
        for (int64_t i = 0; i < x->rank(); ++i)
          if (i == axis)
            at.push_back(boundedIndex(b, s, s.toIndex(v[0]), x->dims[i]));
          else if (indices->dims[i] == x->dims[i])
            at.push_back(s.loop(i));
          else
            at.push_back(boundedIndex(b, s, s.loop(i), x->dims[i], false));
        return extractElement(b, s, x, at);
      });
}

FailureOr<Tensor> gatherSlices(GraphBuilder &b, const Tensor &x,
                               const Tensor &indices, int64_t batch) {
  int64_t depth = *constantOf(indices->dims.back());
  int64_t outer = indices->rank() - 1;
  if (failed(requireCoordinates(b, indices, x, batch)))
    return failure();
  SmallVector<Expr> dims(indices->dims.begin(), indices->dims.end() - 1);
  dims.append(x->dims.begin() + batch + depth, x->dims.end());
  // One operand per coordinate: the indices at a constant last position.
  SmallVector<Operand> operands;
  for (int64_t k = 0; k < depth; ++k) {
    Operand operand{indices, {}};
    for (int64_t i = 0; i < outer; ++i)
      operand.at.push_back(b.loop(i));
    operand.at.push_back(b.sizes.constant(k));
    operands.push_back(operand);
  }
  denseValue(b, x);
  return gather(b, operands, dims, x->element,
                [&](Scalar &s, ArrayRef<Value> v) {
                  SmallVector<Value> at;
                  for (int64_t i = 0; i < x->rank(); ++i) {
                    if (i < batch)
                      at.push_back(s.loop(i));
                    else if (i < batch + depth)
                      at.push_back(boundedIndex(b, s, s.toIndex(v[i - batch]),
                                                x->dims[i]));
                    else
                      at.push_back(s.loop(outer + i - batch - depth));
                  }
                  return extractElement(b, s, x, at);
                });
}

FailureOr<Tensor> gatherPoints(GraphBuilder &b, const Tensor &x,
                               ArrayRef<Tensor> indices) {
  SmallVector<int64_t> axes;
  SmallVector<Tensor> used;
  for (auto [i, index] : llvm::enumerate(indices))
    if (index) {
      axes.push_back(i);
      used.push_back(index);
    }
  if (used.empty())
    return x;
  if (used.size() == 1)
    return gatherAlong(b, x, used[0], axes[0]);
  for (auto [index, axis] : llvm::zip(used, axes))
    if (failed(requireIndices(b, index, x, axis)))
      return failure();
  TRY(Dims shape, broadcastDims(b, used));
  const bool areNeighbours =
      axes.back() - axes.front() + 1 == int64_t(axes.size());
  const int64_t first = areNeighbours ? axes.front() : 0;
  // The loops of the dimensions that are taken whole, in order.
  Dims dims;
  SmallVector<int64_t> loops(x->rank(), -1);
  for (int64_t i = 0; i < x->rank(); ++i) {
    if (i == first)
      dims.append(shape.begin(), shape.end());
    if (llvm::is_contained(axes, i))
      continue;
    loops[i] = dims.size();
    dims.push_back(x->dims[i]);
  }
  SmallVector<Operand> operands;
  for (const Tensor &index : used) {
    TRY(Tensor whole, broadcastTo(b, index, shape));
    Operand operand{whole, {}};
    for (size_t i = 0; i < shape.size(); ++i)
      operand.at.push_back(b.loop(first + i));
    operands.push_back(operand);
  }
  denseValue(b, x);
  return gather(b, operands, dims, x->element, [&](Scalar &s, Values v) {
    SmallVector<Value> at;
    for (int64_t i = 0; i < x->rank(); ++i) {
      const auto *axis = llvm::find(axes, i);
      at.push_back(axis == axes.end()
                       ? s.loop(loops[i])
                       : boundedIndex(b, s, s.toIndex(v[axis - axes.begin()]),
                                      x->dims[i]));
    }
    return extractElement(b, s, x, at);
  });
}

FailureOr<Tensor> oneHot(GraphBuilder &b, const Tensor &indices, Expr depth,
                         const Tensor &values, int64_t axis) {
  int64_t rank = indices->rank() + 1;
  if (values->rank() != 1 || !isConst(values->dims[0], 2))
    return b.fail("values have shape " + b.sizes.str(values->dims) +
                  ", expected [2]");
  Operand operand{indices, {}};
  SmallVector<Expr> dims;
  for (int64_t i = 0, next = 0; i < rank; ++i) {
    dims.push_back(i == axis ? depth : indices->dims[next]);
    if (i != axis) {
      operand.at.push_back(b.loop(i));
      ++next;
    }
  }
  Operand off{values, {b.zero()}}, on{values, {b.sizes.constant(1)}};
  return gather(b, {operand, off, on}, dims, values->element,
                [&](Scalar &s, ArrayRef<Value> v) {
                  Value at = v[0];
                  if (isa<FloatType>(at.getType()))
                    at = s.convert(at, s.builder.getI64Type());
                  at = s.toIndex(at);
                  Scalar t(s.builder, s.loc);
                  Value size = b.index(depth);
                  at = t.select(t.lt(at, s.index(0)), t.add(at, size), at);
                  return s.select(s.eq(at, s.loop(axis)), v[2], v[1]);
                });
}

} // namespace tilewright::build
