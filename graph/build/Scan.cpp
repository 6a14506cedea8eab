#include "graph/build/Scan.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/TensorValues.h"
#include "graph/ir/Graph.h"

using namespace mlir;

namespace tilewright::build {

/// out[i] = sum over j <= i of x[j]: a reduction over all j with a mask, which
/// becomes a scan (see matchPrefixes).
FailureOr<Tensor> cumulate(GraphBuilder &b, const Tensor &x, int64_t axis,
                           const CumulateOptions &how) {
  Operand operand{x, {}};
  SmallVector<Expr> loops(x->dims);
  for (int64_t i = 0; i < x->rank(); ++i)
    operand.at.push_back(i == axis ? b.loop(x->rank()) : b.loop(i));
  loops.push_back(x->dims[axis]);
  Element wide = accumulatorOf(b, x->element);
  GenericOptions options;
  options.parallelLoops = x->rank();
  options.init = constantAttr(b, wide, how.multiplies ? 1 : 0);
  auto body = [&](Scalar &s, ArrayRef<Value> v) {
    Scalar t(s.builder, s.loc);
    Value i = s.loop(axis), j = s.loop(x->rank());
    if (how.reverse)
      std::swap(i, j);
    Value taken = how.exclusive ? t.lt(j, i) : t.le(j, i);
    Value next = how.multiplies ? s.mul(v[1], v[0]) : s.add(v[1], v[0]);
    return s.select(taken, next, v[1]);
  };
  TRY(Tensor sum, generic(b, {operand}, loops, wide, body, options));
  return convert(b, sum, x->element);
}

/// A graph.scan of tensors of one shape; `combine` gets the scalars of the
/// earlier element, and then those of the other.
static FailureOr<SmallVector<Tensor>>
scan(GraphBuilder &b, ArrayRef<Tensor> inputs, int64_t axis,
     llvm::function_ref<SmallVector<Value>(Scalar &, Values, Values)> combine) {
  SmallVector<Value> values;
  SmallVector<Type> elements, types;
  for (const Tensor &input : inputs) {
    values.push_back(denseValue(b, input));
    types.push_back(values.back().getType());
    elements.push_back(input->element.type);
  }
  elements.append(elements.begin(), elements.end());
  auto op = graph::ScanOp::create(b.builder, b.loc, types, values,
                                  b.builder.getI64IntegerAttr(axis),
                                  /*reverse=*/UnitAttr());
  Block &body = op.getBody().emplaceBlock();
  body.addArguments(elements, SmallVector<Location>(elements.size(), b.loc));
  OpBuilder inner(b.builder.getContext());
  inner.setInsertionPointToStart(&body);
  Scalar s(inner, b.loc, inputs.front()->element.isUnsigned);
  auto arguments = llvm::to_vector_of<Value>(body.getArguments());
  Values all(arguments);
  graph::YieldOp::create(
      inner, b.loc,
      combine(s, all.take_front(inputs.size()), all.drop_front(inputs.size())));
  SmallVector<Tensor> results;
  for (auto [input, result] : llvm::zip(inputs, op.getResults())) {
    TRY(Tensor scanned, wrap(b, result, input->dims, input->element));
    results.push_back(scanned);
  }
  return results;
}

FailureOr<Ordered> cumulativeExtreme(GraphBuilder &b, const Tensor &x,
                                     int64_t axis, bool isMaximum) {
  TRY(Tensor positions, gather(b, {}, x->dims, i64(b), [&](Scalar &s, Values) {
        return s.fromIndex(s.loop(axis), s.builder.getI64Type());
      }));
  auto combine = [&](Scalar &s, Values a, Values next) -> SmallVector<Value> {
    Value takes = isMaximum ? s.ge(next[0], a[0]) : s.le(next[0], a[0]);
    if (x->element.isFloat())
      takes = s.logicalOr(takes, s.ne(next[0], next[0]));
    return {s.select(takes, next[0], a[0]), s.select(takes, next[1], a[1])};
  };
  TRY(SmallVector<Tensor> results, scan(b, {x, positions}, axis, combine));
  return Ordered{results[0], results[1]};
}

FailureOr<Tensor> logCumulativeSumExp(GraphBuilder &b, const Tensor &x,
                                      int64_t axis) {
  const Element wide = accumulatorOf(b, x->element);
  TRY(Tensor terms, convert(b, x, wide));
  auto combine = [&](Scalar &s, Values a, Values next) -> SmallVector<Value> {
    Value greater = s.max(a[0], next[0]), less = s.min(a[0], next[0]);
    // Of two equal infinities the difference is no number.
    Value isSame = s.eq(greater, less);
    Value apart = s.select(isSame, s.like(less, 0), s.sub(less, greater));
    Value rest = s.make<math::Log1pOp>(s.exp(apart));
    Value isInfinite =
        s.logicalAnd(isSame, s.eq(s.abs(greater), s.like(greater, INFINITY)));
    return {s.select(isInfinite, greater, s.add(greater, rest))};
  };
  TRY(SmallVector<Tensor> results, scan(b, {terms}, axis, combine));
  return convert(b, results[0], x->element);
}

} // namespace tilewright::build
