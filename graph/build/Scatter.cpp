// Memory combines updates that are added, or of which the least or the greatest
// counts (graph.scatter). Others are turned around: each element of the result
// looks for the updates that go to it. So they are parallel, and where several
// updates without a reduction meet, the last one counts.
#include "graph/build/Scatter.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/TensorValues.h"
#include "graph/ir/Graph.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {
namespace {

/// One scatter: loops over the data and then over the updates that may modify
/// an element. `hit` tests whether an update does, `update` reads it. `target`
/// and `indexMaps` are those of a graph.scatter, whose indices are all in one
/// tensor.
struct Scatter {
  Tensor data, indices, updates;
  AffineMap target;
  SmallVector<AffineMap> indexMaps;
  SmallVector<Expr> updateLoops;
  llvm::function_ref<Value(Scalar &)> hit;
  /// Reads an update at its loops' positions.
  llvm::function_ref<Value(Scalar &, ArrayRef<Value>)> update;
  ScatterReduction reduction = ScatterReduction::Replace;
};

/// The name of a reduction in graph.scatter.
StringRef nameOf(ScatterReduction reduction) {
  switch (reduction) {
  case ScatterReduction::Add:
    return "add";
  case ScatterReduction::Min:
    return "min";
  default:
    return "max";
  }
}

/// What a reduction starts from.
double neutralOf(ScatterReduction reduction) {
  switch (reduction) {
  case ScatterReduction::Add:
    return 0;
  case ScatterReduction::Multiply:
    return 1;
  case ScatterReduction::Max:
    return -INFINITY;
  default:
    return INFINITY;
  }
}

/// Whether memory combines updates itself: a graph.scatter.
bool isUpdatedInPlace(const Scatter &scatter) {
  Type type = scatter.data->element.type;
  const bool isFloat =
      type.isF16() || type.isBF16() || type.isF32() || type.isF64();
  const bool isInteger = !scatter.data->element.isUnsigned &&
                         (type.isInteger(32) || type.isInteger(64));
  const bool isSupported = scatter.reduction != ScatterReduction::Replace &&
                           scatter.reduction != ScatterReduction::Multiply;
  return isSupported && (isFloat || isInteger);
}

FailureOr<Tensor> updateInPlace(GraphBuilder &b, const Scatter &scatter) {
  SmallVector<Value> indices(scatter.indexMaps.size(),
                             denseValue(b, scatter.indices));
  Value updates = denseValue(b, scatter.updates);
  Value data = denseValue(b, scatter.data);
  Value result = graph::ScatterOp::create(
      b.builder, b.loc, data.getType(), nameOf(scatter.reduction), updates,
      data, indices, scatter.target,
      b.builder.getAffineMapArrayAttr(scatter.indexMaps));
  return wrap(b, result, scatter.data->dims, scatter.data->element);
}

FailureOr<Tensor> emitScatter(GraphBuilder &b, const Scatter &scatter) {
  const Tensor &data = scatter.data;
  int64_t rank = data->rank();
  SmallVector<Expr> loops(data->dims);
  loops.append(scatter.updateLoops.begin(), scatter.updateLoops.end());
  Operand whole{data, {}};
  for (int64_t i = 0; i < rank; ++i)
    whole.at.push_back(b.loop(i));
  denseValue(b, scatter.indices);
  denseValue(b, scatter.updates);
  if (isUpdatedInPlace(scatter))
    return updateInPlace(b, scatter);
  auto positions = [&](Scalar &s) {
    SmallVector<Value> at;
    for (size_t i = 0; i < scatter.updateLoops.size(); ++i)
      at.push_back(s.loop(rank + i));
    return at;
  };
  GenericOptions options;
  options.parallelLoops = rank;
  if (scatter.reduction == ScatterReduction::Replace) {
    // The last update that hits, as a flat index; -1 if none does.
    options.init = b.builder.getI64IntegerAttr(-1);
    auto body = [&](Scalar &s, Values v) {
      Value flat = s.index(0);
      for (auto [at, size] : llvm::zip(positions(s), scatter.updateLoops))
        flat = s.add(s.mul(flat, b.index(size)), at);
      Value number = s.fromIndex(flat, s.builder.getI64Type());
      Value later = s.make<arith::MaxSIOp>(v[0], number);
      return s.select(scatter.hit(s), later, v[0]);
    };
    TRY(Tensor last, generic(b, {}, loops, i64(b), body, options));
    Operand found{last, whole.at};
    return gather(
        b, {whole, found}, data->dims, data->element, [&](Scalar &s, Values v) {
          Scalar t(s.builder, s.loc);
          Value none = t.lt(v[1], s.integer(v[1].getType(), 0));
          Value rest = t.toIndex(t.max(v[1], s.integer(v[1].getType(), 0)));
          SmallVector<Value> at(scatter.updateLoops.size());
          for (size_t i = at.size(); i-- > 1;) {
            // There may be no updates.
            Value size = t.max(b.index(scatter.updateLoops[i]), s.index(1));
            at[i] = s.make<arith::RemSIOp>(rest, size);
            rest = s.make<arith::DivSIOp>(rest, size);
          }
          if (!at.empty())
            at[0] = rest;
          return s.select(none, v[0], scatter.update(s, at));
        });
  }
  Element wide = accumulatorOf(b, data->element);
  ScatterReduction kind = scatter.reduction;
  auto combine = [&](Scalar &s, Value x, Value y) {
    if (kind == ScatterReduction::Add)
      return s.add(x, y);
    if (kind == ScatterReduction::Multiply)
      return s.mul(x, y);
    return kind == ScatterReduction::Max ? s.max(x, y) : s.min(x, y);
  };
  options.init = constantAttr(b, wide, neutralOf(kind));
  auto body = [&](Scalar &s, Values v) {
    Value next = s.convert(scatter.update(s, positions(s)), wide.type);
    return s.select(scatter.hit(s), combine(s, v[0], next), v[0]);
  };
  TRY(Tensor sum, generic(b, {}, loops, wide, body, options));
  return elementwise(b, {data, sum}, data->element, [&](Scalar &s, Values v) {
    return combine(s, s.convert(v[0], wide.type), v[1]);
  });
}

/// An index, with the size added if negative; not clamped, so that one out of
/// bounds hits nothing.
Value wrapped(GraphBuilder &b, Scalar &s, Value raw, Expr size) {
  Scalar t(s.builder, s.loc);
  Value at = t.toIndex(raw);
  return t.select(t.lt(at, s.index(0)), t.add(at, b.index(size)), at);
}

/// Of scattered slices with indices of `depth` numbers.
void setTarget(GraphBuilder &b, Scatter &scatter, int64_t depth) {
  const int64_t rank = scatter.data->rank();
  const int64_t loops = scatter.updates->rank();
  const int64_t outer = loops - (rank - depth);
  SmallVector<AffineExpr> target, point;
  for (int64_t i = 0; i < outer; ++i)
    point.push_back(b.builder.getAffineDimExpr(i));
  for (int64_t k = 0; k < rank; ++k)
    target.push_back(k < depth ? b.builder.getAffineSymbolExpr(k)
                               : b.builder.getAffineDimExpr(outer + k - depth));
  MLIRContext *context = b.builder.getContext();
  scatter.target = AffineMap::get(loops, depth, target, context);
  for (int64_t k = 0; k < depth; ++k) {
    SmallVector<AffineExpr> at(point);
    at.push_back(b.builder.getAffineConstantExpr(k));
    scatter.indexMaps.push_back(AffineMap::get(loops, 0, at, context));
  }
}

} // namespace

FailureOr<Tensor> scatterElements(GraphBuilder &b, const Tensor &data,
                                  const Tensor &indices, const Tensor &updates,
                                  int64_t axis, ScatterReduction reduction) {
  Scatter scatter;
  scatter.data = data;
  scatter.indices = indices;
  scatter.updates = updates;
  scatter.reduction = reduction;
  int64_t rank = data->rank();
  if (indices->rank() != rank || updates->rank() != rank ||
      updates->element != data->element || !indices->element.isInteger())
    return b.fail("data, indices and updates have shapes " +
                  b.sizes.str(data->dims) + ", " + b.sizes.str(indices->dims) +
                  " and " + b.sizes.str(updates->dims));
  for (int64_t i = 0; i < rank; ++i)
    if (failed(matchSize(b, updates->dims[i], indices->dims[i],
                         "updates of shape " + b.sizes.str(updates->dims))))
      return failure();
    else if (i != axis)
      checkAtMost(b, indices->dims[i], data->dims[i],
                  "indices of shape " + b.sizes.str(indices->dims) +
                      " reach beyond data of shape " + b.sizes.str(data->dims));
  scatter.updateLoops = {indices->dims[axis]};
  SmallVector<AffineExpr> target;
  for (int64_t i = 0; i < rank; ++i)
    target.push_back(i == axis ? b.builder.getAffineSymbolExpr(0)
                               : b.builder.getAffineDimExpr(i));
  scatter.target = AffineMap::get(rank, 1, target, b.builder.getContext());
  scatter.indexMaps = {b.builder.getMultiDimIdentityMap(rank)};
  /// The update's coordinates for an element, kept in bounds.
  auto coordinates = [&](Scalar &s, Value along) {
    SmallVector<Value> at;
    for (int64_t i = 0; i < rank; ++i) {
      if (i == axis)
        at.push_back(along);
      else if (indices->dims[i] == data->dims[i])
        at.push_back(s.loop(i));
      else
        at.push_back(boundedIndex(b, s, s.loop(i), indices->dims[i], false));
    }
    return at;
  };
  auto hit = [&](Scalar &s) {
    Scalar t(s.builder, s.loc);
    Value raw = extractElement(b, s, indices, coordinates(s, s.loop(rank)));
    Value same = s.eq(wrapped(b, s, raw, data->dims[axis]), s.loop(axis));
    for (int64_t i = 0; i < rank; ++i)
      if (i != axis && indices->dims[i] != data->dims[i])
        same = s.logicalAnd(same, t.lt(s.loop(i), b.index(indices->dims[i])));
    return same;
  };
  auto update = [&](Scalar &s, Values at) {
    return extractElement(b, s, updates, coordinates(s, at[0]));
  };
  scatter.hit = hit;
  scatter.update = update;
  return emitScatter(b, scatter);
}

FailureOr<Tensor> scatterSlices(GraphBuilder &b, const Tensor &data,
                                const Tensor &indices, const Tensor &updates,
                                ScatterReduction reduction) {
  Scatter scatter;
  scatter.data = data;
  scatter.indices = indices;
  scatter.updates = updates;
  scatter.reduction = reduction;
  int64_t rank = data->rank(), outer = indices->rank() - 1;
  auto depth = constantOf(indices->rank() ? indices->dims.back() : b.zero());
  if (outer < 0 || !depth || *depth > rank || *depth < 1 ||
      updates->rank() != outer + rank - *depth ||
      updates->element != data->element || !indices->element.isInteger())
    return b.fail("data, indices and updates have shapes " +
                  b.sizes.str(data->dims) + ", " + b.sizes.str(indices->dims) +
                  " and " + b.sizes.str(updates->dims));
  scatter.updateLoops.assign(indices->dims.begin(),
                             indices->dims.begin() + outer);
  for (int64_t i = 0; i < outer; ++i)
    if (failed(matchSize(b, updates->dims[i], indices->dims[i],
                         "updates of shape " + b.sizes.str(updates->dims))))
      return failure();
  setTarget(b, scatter, *depth);
  auto hit = [&](Scalar &s) {
    Value same = s.truth(true);
    SmallVector<Value> at;
    for (int64_t i = 0; i < outer; ++i)
      at.push_back(s.loop(rank + i));
    for (int64_t k = 0; k < *depth; ++k) {
      SmallVector<Value> coordinate = at;
      coordinate.push_back(s.index(k));
      Value raw = extractElement(b, s, indices, coordinate);
      same = s.logicalAnd(same,
                          s.eq(wrapped(b, s, raw, data->dims[k]), s.loop(k)));
    }
    return same;
  };
  auto update = [&](Scalar &s, Values position) {
    SmallVector<Value> at(position);
    for (int64_t i = *depth; i < rank; ++i)
      at.push_back(s.loop(i));
    return extractElement(b, s, updates, at);
  };
  scatter.hit = hit;
  scatter.update = update;
  return emitScatter(b, scatter);
}

FailureOr<Tensor> overwriteAlong(GraphBuilder &b, const Tensor &cache,
                                 const Tensor &update, const Tensor &start,
                                 int64_t axis, bool wraps) {
  int64_t rank = cache->rank();
  Operand whole{cache, {}};
  for (int64_t i = 0; i < rank; ++i)
    whole.at.push_back(b.loop(i));
  SmallVector<Operand> operands = {whole};
  if (start)
    operands.push_back({start, {b.loop(0)}});
  denseValue(b, update);
  return gather(
      b, operands, cache->dims, cache->element, [&](Scalar &s, Values v) {
        Scalar t(s.builder, s.loc);
        Value first = start ? t.toIndex(v[1]) : s.index(0);
        Value at = s.sub(s.loop(axis), first), zero = s.index(0);
        Value size = b.index(cache->dims[axis]);
        if (wraps)
          at = t.select(t.lt(at, zero), t.add(at, size), at);
        Expr length = update->dims[axis];
        Value inside = s.logicalAnd(t.ge(at, zero), t.lt(at, b.index(length)));
        SmallVector<Value> position;
        for (int64_t i = 0; i < rank; ++i)
          position.push_back(i == axis ? boundedIndex(b, s, at, length, false)
                                       : s.loop(i));
        return s.select(inside, extractElement(b, s, update, position), v[0]);
      });
}

} // namespace tilewright::build
