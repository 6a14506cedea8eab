// Reads and writes at computed positions.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Gather.h"
#include "graph/build/Logic.h"
#include "graph/build/Movement.h"
#include "graph/build/Scatter.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

LogicalResult importEmbedding(Call &c) {
  TRY(Tensor w, c.tensor("weight"));
  TRY(Tensor indices, c.tensor("indices"));
  if (failed(expectRank(c.b, w, 1, "the weight")))
    return failure();
  return c.done(gatherAlong(c.b, w, indices, 0));
}

LogicalResult importIndexSelect(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor indices, c.tensor("index"));
  if (x->rank() == 0)
    return c.set(0, x);
  TRY(int64_t axis, c.axis("dim", x->rank()));
  return c.done(gatherAlong(c.b, x, indices, axis));
}

LogicalResult importGather(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor indices, c.tensor(c.find("index") ? "index" : "indices"));
  if (x->rank() == 0)
    return c.set(0, x);
  TRY(int64_t axis, c.axis("dim", x->rank()));
  return c.done(gatherElements(c.b, x, indices, axis));
}

/// Indices of dimensions, null where all elements are taken.
FailureOr<SmallVector<Tensor>> readIndices(Call &c, int64_t rank) {
  TRY(SmallVector<Tensor> indices, c.tensors("indices"));
  if (int64_t(indices.size()) > rank)
    return c.fail("there are " + llvm::Twine(indices.size()) +
                  " indices, the tensor has " + llvm::Twine(rank) +
                  " dimensions");
  indices.resize(rank);
  return indices;
}

LogicalResult importIndex(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(SmallVector<Tensor> indices, readIndices(c, x->rank()));
  for (const Tensor &each : indices)
    if (each && !each->element.isInteger())
      return c.fail("indices of type " + dtypeName(each->element) +
                    " are not supported: how many elements they take depends "
                    "on their values");
  return c.done(gatherPoints(c.b, x, indices));
}

/// x where a mask holds becomes one value.
LogicalResult writeMasked(Call &c, const Tensor &x, const Tensor &mask,
                          const Tensor &value) {
  auto count = countOf(*value);
  if (!count || *count != 1 || mask->rank() > x->rank())
    return c.fail("writes through a mask need one value for all elements");
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < x->rank(); ++i)
    kept.push_back(i < mask->rank() ? i : -1);
  TRY(Tensor filled, convert(c.b, value, x->element));
  filled = rearrange(c.b, filled, {});
  return c.done(where(c.b, rearrange(c.b, mask, kept), filled, x));
}

/// Values for points of this shape and the other dimensions, of which `before`
/// are in front of the points' in the values: with the points' first.
FailureOr<Tensor> pointUpdates(GraphBuilder &b, const Tensor &values,
                               ArrayRef<Expr> shape, ArrayRef<Expr> rest,
                               int64_t before) {
  Dims dims(rest.take_front(before));
  dims.append(shape.begin(), shape.end());
  dims.append(rest.begin() + before, rest.end());
  TRY(Tensor whole, broadcastTo(b, values, dims));
  SmallVector<int64_t> order;
  for (size_t i = 0; i < shape.size(); ++i)
    order.push_back(before + i);
  for (size_t i = 0; i < rest.size(); ++i)
    order.push_back(int64_t(i) < before ? i : i + shape.size());
  return transpose(b, whole, order);
}

/// x[indices] = values, or += values.
LogicalResult importIndexPut(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(SmallVector<Tensor> given, c.tensors("indices"));
  TRY(Tensor values, c.tensor("values"));
  TRY(bool adds, c.flag("accumulate"));
  if (given.size() == 1 && given[0] && given[0]->element.isBool() && !adds)
    return writeMasked(c, x, given[0], values);
  TRY(SmallVector<Tensor> indices, readIndices(c, x->rank()));
  SmallVector<int64_t> dims;
  SmallVector<Tensor> used;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    if (!index)
      continue;
    if (!index->element.isInteger())
      return c.fail("indices of type " + dtypeName(index->element) +
                    " are not supported beside others");
    dims.push_back(int64_t(dim));
    used.push_back(index);
  }
  if (used.empty())
    return c.fail("expected indices");
  TRY(Dims shape, broadcastDims(b, used));
  for (Tensor &index : used) {
    TRY(index, broadcastTo(b, index, shape));
  }
  Dims rest;
  for (int64_t dim = 0; dim < x->rank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      rest.push_back(x->dims[dim]);
  // Indices of neighbouring dimensions have theirs in the place of the first
  // one; others have it in front.
  const bool areNeighbours =
      dims.back() - dims.front() + 1 == int64_t(dims.size());
  TRY(values, convert(b, values, x->element));
  TRY(Tensor updates,
      pointUpdates(b, values, shape, rest, areNeighbours ? dims.front() : 0));
  return c.done(
      scatterPoints(b, x, dims, used, updates,
                    adds ? ScatterReduction::Add : ScatterReduction::Replace));
}

FailureOr<ScatterReduction> reductionOf(Call &c) {
  if (StringRef(c.target).starts_with("aten.scatter_add"))
    return ScatterReduction::Add;
  if (c.isNone("reduce"))
    return ScatterReduction::Replace;
  TRY(std::string name, c.text("reduce"));
  if (name == "add" || name == "sum")
    return ScatterReduction::Add;
  if (name == "multiply" || name == "prod")
    return ScatterReduction::Multiply;
  if (name == "amax")
    return ScatterReduction::Max;
  if (name == "amin")
    return ScatterReduction::Min;
  return c.fail("the reduction '" + name + "' is not supported");
}

LogicalResult importScatter(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor index, c.tensor("index"));
  TRY(ScatterReduction reduction, reductionOf(c));
  Tensor updates;
  if (c.find("src")) {
    TRY(updates, c.tensor("src"));
    // Updates may be longer than the index.
    if (updates->dims != index->dims) {
      SmallVector<int64_t> steps(index->rank(), 1);
      Dims offsets(index->rank(), c.b.zero());
      TRY(updates, slice(c.b, updates, offsets, index->dims, steps));
    }
  } else {
    TRY(Term value, termOf(c, "value"));
    TRY(updates, convert(c.b, value.tensor, x->element));
    TRY(updates, broadcastTo(c.b, updates, index->dims));
  }
  if (x->rank() == 0)
    return c.fail("writes to a tensor without dimensions");
  TRY(int64_t axis, c.axis("dim", x->rank()));
  return c.done(scatterElements(c.b, x, index, updates, axis, reduction));
}

/// x[..., index[i], ...] += alpha * source[..., i, ...], or = source, or value.
LogicalResult importIndexWrite(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor self, c.tensor("self"));
  TRY(Tensor index, c.tensor("index"));
  Tensor x = atLeastVector(b, self);
  index = atLeastVector(b, index);
  TRY(int64_t axis, c.axis("dim", x->rank()));
  StringRef name = c.target;
  bool adds = name.starts_with("aten.index_add");
  Dims dims = x->dims;
  if (index->rank() != 1)
    return c.fail("expected a vector of indices");
  dims[axis] = index->dims[0];
  Tensor updates;
  if (name.starts_with("aten.index_fill")) {
    TRY(Term value, termOf(c, "value"));
    TRY(updates, convert(b, value.tensor, x->element));
    TRY(updates, broadcastTo(b, updates, dims));
  } else {
    TRY(updates, c.tensor("source"));
    updates = atLeastVector(b, updates);
  }
  if (adds) {
    TRY(double alpha, c.number("alpha"));
    if (alpha != 1) {
      TRY(updates,
          elementwise(b, {updates}, x->element, [&](Scalar &s, Values v) {
            return s.mul(v[0], s.like(v[0], alpha));
          }));
    }
  }
  TRY(updates, transpose(b, updates, axisFirst(axis, x->rank())));
  TRY(Tensor result,
      scatterPoints(b, x, axis, index, updates,
                    adds ? ScatterReduction::Add : ScatterReduction::Replace));
  return c.set(0, self->rank() == 0 ? rearrange(b, result, {}) : result);
}

LogicalResult importOneHot(Call &c) {
  TRY(Tensor indices, c.tensor("self"));
  TRY(Expr classes, c.size("num_classes"));
  if (auto count = constantOf(classes); count && *count < 1)
    return c.fail("argument 'num_classes' must be given");
  Tensor values = integerTensor(c.b, exprsOf(c.b.sizes, {0, 1}),
                                {c.b.sizes.constant(2)}, i64(c.b));
  return c.done(oneHot(c.b, indices, classes, values, indices->rank()));
}

} // namespace

void addIndexOps(OpTable &t) {
  t.add("aten.embedding.default", importEmbedding);
  t.add("aten.index_select.default", importIndexSelect);
  t.add({"aten.gather.default", "aten.take_along_dim.default"}, importGather);
  t.add({"aten.index.Tensor", "aten._unsafe_index.Tensor"}, importIndex);
  t.add({"aten.index_put.default", "aten._unsafe_index_put.default"},
        importIndexPut);
  t.add({"aten.scatter.src", "aten.scatter.value", "aten.scatter.reduce",
         "aten.scatter.value_reduce", "aten.scatter_add.default"},
        importScatter);
  t.add({"aten.index_add.default", "aten.index_copy.default",
         "aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor"},
        importIndexWrite);
  t.add("aten.one_hot.default", importOneHot);
}

} // namespace tilewright::torch
