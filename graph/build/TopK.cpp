#include "graph/build/TopK.h"

#include "graph/analysis/SizeBounds.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/TensorValues.h"
#include "graph/ir/Graph.h"

using namespace mlir;

namespace tilewright::build {
namespace {

/// Whether x[j] precedes x[i] in the result: NaN is the greatest, equal
/// elements keep their order.
Value comesBefore(Scalar &s, Value other, Value own, Value j, Value i,
                  bool largest) {
  Scalar t(s.builder, s.loc);
  Value ahead = largest ? s.gt(other, own) : s.lt(other, own);
  Value same = s.eq(other, own);
  if (isa<FloatType>(own.getType())) {
    Value otherNaN = s.ne(other, other), ownNaN = s.ne(own, own);
    Value onlyOther = s.logicalAnd(otherNaN, s.logicalNot(ownNaN));
    Value onlyOwn = s.logicalAnd(ownNaN, s.logicalNot(otherNaN));
    ahead = s.logicalOr(ahead, largest ? onlyOther : onlyOwn);
    same = s.logicalOr(same, s.logicalAnd(otherNaN, ownNaN));
  }
  return s.logicalOr(ahead, s.logicalAnd(same, t.lt(j, i)));
}

/// The rank of each element among those along `axis`: how many come before it.
FailureOr<Tensor> ranksAlong(GraphBuilder &b, const Tensor &x, int64_t axis,
                             bool largest) {
  int64_t rank = x->rank();
  SmallVector<Expr> loops(x->dims);
  loops.push_back(x->dims[axis]);
  Operand own{x, {}}, other{x, {}};
  for (int64_t i = 0; i < rank; ++i) {
    own.at.push_back(b.loop(i));
    other.at.push_back(b.loop(i == axis ? rank : i));
  }
  GenericOptions options;
  options.parallelLoops = rank;
  options.init = b.builder.getI64IntegerAttr(0);
  return generic(
      b, {own, other}, loops, i64(b),
      [&](Scalar &s, Values v) {
        Value before =
            comesBefore(s, v[1], v[0], s.loop(rank), s.loop(axis), largest);
        return s.add(v[2],
                     s.make<arith::ExtUIOp>(s.builder.getI64Type(), before));
      },
      options);
}

/// The position of the element of each rank below k. Loops (result...,
/// position).
FailureOr<Tensor> positionsOfRanks(GraphBuilder &b, const Tensor &ranks,
                                   ArrayRef<Expr> dims, int64_t axis) {
  int64_t rank = dims.size();
  SmallVector<Expr> loops(dims);
  loops.push_back(ranks->dims[axis]);
  Operand operand{ranks, {}};
  for (int64_t i = 0; i < rank; ++i)
    operand.at.push_back(b.loop(i == axis ? rank : i));
  GenericOptions options;
  options.parallelLoops = rank;
  options.init = b.builder.getI64IntegerAttr(0);
  return generic(
      b, {operand}, loops, i64(b),
      [&](Scalar &s, Values v) {
        Type type = s.builder.getI64Type();
        Value wanted = s.fromIndex(s.loop(axis), type);
        Value at = s.fromIndex(s.loop(rank), type);
        Value hit = s.eq(v[0], wanted);
        return s.add(v[1], s.select(hit, at, s.integer(type, 0)));
      },
      options);
}

/// Whether a graph.top_k selects.
bool isSelected(const Tensor &x, std::optional<int64_t> k) {
  return k && *k >= 1 && *k <= graph::maxTopK && !x->element.isUnsigned &&
         graph::isTopKElement(x->element.type);
}

FailureOr<TopK> selectTopK(GraphBuilder &b, const Tensor &x,
                           ArrayRef<Expr> dims, int64_t axis, bool largest) {
  auto op = graph::TopKOp::create(b.builder, b.loc, typeOf(dims, x->element),
                                  typeOf(dims, i64(b)), denseValue(b, x), axis,
                                  /*smallest=*/!largest);
  TopK result;
  TRY(result.values, wrap(b, op.getValues(), dims, x->element));
  TRY(result.indices, wrap(b, op.getIndices(), dims, i64(b)));
  return result;
}

} // namespace

FailureOr<TopK> topK(GraphBuilder &b, const Tensor &tensor, int64_t axis,
                     Expr k, bool largest) {
  auto constant = constantOf(k);
  Expr size = tensor->dims[axis];
  if ((constant && *constant < 0) || less(b.sizes, size, k) == true)
    return b.fail("k is " + b.sizes.str(k) + ", dimension " + Twine(axis) +
                  " of the input has " + b.sizes.str(size) + " elements");
  checkAtMost(b, k, size, "k of TopK is greater than a dimension");
  // Read twice: once as what is ranked, once by position.
  TRY(Tensor x, wrap(b, denseValue(b, tensor), tensor->dims, tensor->element));
  SmallVector<Expr> dims(x->dims);
  dims[axis] = k;
  if (isSelected(x, constant))
    return selectTopK(b, x, dims, axis, largest);
  TRY(Tensor ranks, ranksAlong(b, x, axis, largest));
  TopK result;
  TRY(result.indices, positionsOfRanks(b, ranks, dims, axis));
  denseValue(b, x);
  Operand operand{result.indices, {}};
  for (int64_t i = 0; i < x->rank(); ++i)
    operand.at.push_back(b.loop(i));
  TRY(result.values,
      gather(b, {operand}, dims, x->element, [&](Scalar &s, Values v) {
        SmallVector<Value> at;
        for (int64_t i = 0; i < x->rank(); ++i)
          at.push_back(
              i == axis ? boundedIndex(b, s, s.toIndex(v[0]), x->dims[i], false)
                        : s.loop(i));
        return extractElement(b, s, x, at);
      }));
  return result;
}

} // namespace tilewright::build
