#include "graph/build/Scatter.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/TensorValues.h"
#include "graph/ir/Graph.h"

using namespace mlir;

namespace tilewright::build {
namespace {

/// A graph.scatter.
struct Scatter {
  Tensor data, updates;
  /// What each of the maps reads.
  SmallVector<Tensor> indices;
  AffineMap target;
  SmallVector<AffineMap> indexMaps;
  ScatterReduction reduction;
  /// Whether no two updates go to one element.
  bool isDistinct = false;
};

/// The name of a reduction in graph.scatter.
StringRef nameOf(ScatterReduction reduction, Element element) {
  switch (reduction) {
  case ScatterReduction::Replace:
    return "set";
  case ScatterReduction::Add:
    return "add";
  case ScatterReduction::Multiply:
    return "mul";
  case ScatterReduction::Min:
    return element.isUnsigned ? "umin" : "min";
  case ScatterReduction::Max:
    return element.isUnsigned ? "umax" : "max";
  }
  llvm_unreachable("not a reduction");
}

/// In which elements memory combines updates: integers below 32 bits wrap, or
/// compare, in 32 bits as they do in their own.
Element scatteredElement(GraphBuilder &b, Element element,
                         ScatterReduction reduction) {
  if (reduction == ScatterReduction::Replace)
    // Less than a byte has no address.
    return element.isFloat() || element.bits() >= 8
               ? element
               : Element{b.builder.getI8Type(), element.isUnsigned};
  if (element.isFloat())
    return element.bits() < 16 ? f32(b) : element;
  return element.bits() < 32 ? Element{b.builder.getI32Type(),
                                       element.isUnsigned || element.isBool()}
                             : element;
}

/// The type of what says which update an element has in the end; null where no
/// two updates go to one element.
FailureOr<Type> ownersOf(GraphBuilder &b, const Scatter &scatter) {
  if (scatter.isDistinct)
    return Type();
  Expr meeting = b.sizes.constant(1);
  for (int64_t loop = 0; loop < scatter.updates->rank(); ++loop)
    if (!llvm::is_contained(scatter.target.getResults(), b.loop(loop)))
      meeting = b.sizes.mul(meeting, scatter.updates->dims[loop]);
  auto count = constantOf(meeting);
  if (count && *count <= 1)
    return Type();
  SmallVector<Expr> dims;
  for (auto [dim, subscript] : llvm::enumerate(scatter.target.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(subscript);
    if (!loop || llvm::any_of(scatter.indexMaps, [&](AffineMap map) {
          return map.isFunctionOfDim(loop.getPosition());
        }))
      dims.push_back(scatter.data->dims[dim]);
  }
  const bool isShort = count && *count <= INT32_MAX;
  return Type(
      typeOf(dims, Element{b.builder.getIntegerType(isShort ? 32 : 64)}));
}

FailureOr<Tensor> emitScatter(GraphBuilder &b, const Scatter &scatter) {
  const Element element = scatter.data->element;
  const Element wide = scatteredElement(b, element, scatter.reduction);
  TRY(Tensor data, convert(b, scatter.data, wide));
  TRY(Tensor updates, convert(b, scatter.updates, wide));
  SmallVector<Value> indices;
  for (Tensor index : scatter.indices) {
    // The kernel reads signed numbers.
    if (index->element.isUnsigned) {
      TRY(index, convert(b, index, i64(b)));
    }
    indices.push_back(denseValue(b, index));
  }
  Value updateValue = denseValue(b, updates), dataValue = denseValue(b, data);
  Type owners;
  if (scatter.reduction == ScatterReduction::Replace) {
    TRY(owners, ownersOf(b, scatter));
  }
  auto op = graph::ScatterOp::create(
      b.builder, b.loc, dataValue.getType(), owners,
      nameOf(scatter.reduction, wide), updateValue, dataValue, indices,
      scatter.target, b.builder.getAffineMapArrayAttr(scatter.indexMaps));
  TRY(Tensor result, wrap(b, op.getResult(), data->dims, wide));
  return convert(b, result, element);
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
  SmallVector<AffineExpr> target;
  for (int64_t i = 0; i < rank; ++i)
    target.push_back(i == axis ? b.builder.getAffineSymbolExpr(0)
                               : b.builder.getAffineDimExpr(i));
  scatter.target = AffineMap::get(rank, 1, target, b.builder.getContext());
  scatter.indices = {indices};
  scatter.indexMaps = {b.builder.getMultiDimIdentityMap(rank)};
  if (failed(requireIndices(b, indices, data, axis)))
    return failure();
  return emitScatter(b, scatter);
}

FailureOr<Tensor> scatterSlices(GraphBuilder &b, const Tensor &data,
                                const Tensor &indices, const Tensor &updates,
                                ScatterReduction reduction) {
  Scatter scatter;
  scatter.data = data;
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
  for (int64_t i = 0; i < outer; ++i)
    if (failed(matchSize(b, updates->dims[i], indices->dims[i],
                         "updates of shape " + b.sizes.str(updates->dims))))
      return failure();
  for (int64_t i = *depth; i < rank; ++i)
    if (failed(matchSize(b, updates->dims[outer + i - *depth], data->dims[i],
                         "updates of shape " + b.sizes.str(updates->dims))))
      return failure();
  scatter.indices.assign(*depth, indices);
  setTarget(b, scatter, *depth);
  if (failed(requireCoordinates(b, indices, data, 0)))
    return failure();
  return emitScatter(b, scatter);
}

FailureOr<Tensor> scatterPoints(GraphBuilder &b, const Tensor &data,
                                ArrayRef<int64_t> dims,
                                ArrayRef<Tensor> indices, const Tensor &updates,
                                ScatterReduction reduction) {
  Scatter scatter;
  scatter.data = data;
  scatter.updates = updates;
  scatter.indices.assign(indices.begin(), indices.end());
  scatter.reduction = reduction;
  const int64_t points = indices.front()->rank(), loops = updates->rank();
  auto point = llvm::to_vector(llvm::seq<unsigned>(0, unsigned(points)));
  AffineMap map = AffineMap::getMultiDimMapWithTargets(unsigned(loops), point,
                                                       b.builder.getContext());
  SmallVector<AffineExpr> target;
  unsigned next = unsigned(points);
  for (int64_t dim = 0; dim < data->rank(); ++dim) {
    const auto *at = llvm::find(dims, dim);
    if (at == dims.end()) {
      if (failed(matchSize(b, updates->dims[next], data->dims[dim],
                           "updates of shape " + b.sizes.str(updates->dims))))
        return failure();
      target.push_back(b.builder.getAffineDimExpr(next++));
      continue;
    }
    const auto number = unsigned(at - dims.begin());
    target.push_back(b.builder.getAffineSymbolExpr(number));
    if (failed(requireIndices(b, indices[number], data, dim)))
      return failure();
  }
  scatter.indexMaps.assign(dims.size(), map);
  scatter.target = AffineMap::get(unsigned(loops), unsigned(dims.size()),
                                  target, b.builder.getContext());
  return emitScatter(b, scatter);
}

FailureOr<Tensor> scatterDistinct(GraphBuilder &b, const Tensor &data,
                                  const Tensor &indices,
                                  const Tensor &updates) {
  Scatter scatter;
  scatter.data = data;
  scatter.updates = updates;
  scatter.indices = {indices};
  scatter.reduction = ScatterReduction::Replace;
  scatter.isDistinct = true;
  const auto rank = unsigned(data->rank());
  SmallVector<AffineExpr> target{b.builder.getAffineSymbolExpr(0)};
  for (unsigned i = 1; i < rank; ++i)
    target.push_back(b.builder.getAffineDimExpr(i));
  MLIRContext *context = b.builder.getContext();
  scatter.target = AffineMap::get(rank, 1, target, context);
  scatter.indexMaps = {AffineMap::get(rank, 0, b.loop(0), context)};
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
