#include "graph/build/Unique.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Compaction.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Gather.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Regions.h"
#include "graph/build/Scan.h"
#include "graph/build/Scatter.h"
#include "graph/build/Sort.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::build {
namespace {

/// Column `number` of a matrix at these rows.
FailureOr<Tensor> columnAt(GraphBuilder &b, const Tensor &rows,
                           const Tensor &order, Expr number) {
  denseValue(b, rows);
  return gather(b, {{order, {b.loop(0)}}}, order->dims, rows->element,
                [&](Scalar &s, Values v) {
                  return extractElement(b, s, rows,
                                        {s.toIndex(v[0]), b.index(number)},
                                        /*isPart=*/true);
                });
}

/// The rows of a matrix, sorted: by stable sorts from the last column to the
/// first.
FailureOr<Tensor> sortedOrder(GraphBuilder &b, const Tensor &rows) {
  const Expr width = rows->dims[1];
  TRY(Tensor order, iota(b, rows->dims[0], i64(b)));
  auto step = [&](const Tensor &before, Expr column) -> FailureOr<Tensor> {
    TRY(Tensor keys, columnAt(b, rows, before, column));
    TRY(Ordered next, sort(b, keys, 0, /*isDescending=*/false));
    return takeAlong(b, before, next.indices, 0);
  };
  if (isConst(width, 1))
    return step(order, b.zero());
  // Its elements are carried: they are not known.
  TRY(order,
      elementwise(b, {order}, i64(b), [](Scalar &, Values v) { return v[0]; }));
  LoopParts parts;
  parts.count = width;
  parts.state = {order};
  auto body = [&](Expr number, ArrayRef<Tensor> state) -> FailureOr<Iteration> {
    Expr column = b.sizes.sub(b.sizes.add(width, -1), number);
    TRY(Tensor next, step(state[0], column));
    return Iteration{nullptr, {next}, {}};
  };
  TRY(LoopResults results, repeat(b, parts, body));
  return results.state[0];
}

/// Whether each of the sorted rows differs from the one before; the first one
/// does.
FailureOr<Tensor> startsOf(GraphBuilder &b, const Tensor &rows,
                           const Tensor &order) {
  TRY(Tensor sorted, takeAlong(b, rows, order, 0));
  denseValue(b, sorted);
  TRY(Tensor differs,
      gather(b, {{sorted, {b.loop(0), b.loop(1)}}}, sorted->dims, boolean(b),
             [&](Scalar &s, Values v) {
               Scalar t(s.builder, s.loc);
               Value row = s.loop(0), zero = s.index(0);
               Value before = t.max(t.sub(row, s.index(1)), zero);
               Value other = extractElement(b, s, sorted, {before, s.loop(1)});
               return s.ne(v[0], other);
             }));
  TRY(Tensor any, extremeAlong(b, differs, {1}, /*keepDims=*/false,
                               /*isMax=*/true));
  return gather(b, {{any, {b.loop(0)}}}, any->dims, boolean(b),
                [&](Scalar &s, Values v) {
                  Scalar t(s.builder, s.loc);
                  return s.logicalOr(v[0], t.eq(s.loop(0), s.index(0)));
                });
}

/// How many elements there are from each start to the next one, or to the end.
FailureOr<Tensor> lengthsOf(GraphBuilder &b, const Tensor &starts, Expr end) {
  denseValue(b, starts);
  const Expr count = starts->dims[0];
  return gather(
      b, {{starts, {b.loop(0)}}}, {count}, i64(b), [&](Scalar &s, Values v) {
        Scalar t(s.builder, s.loc);
        Value next = t.add(s.loop(0), s.index(1));
        Value last = t.sub(b.index(count), s.index(1));
        Value following = extractElement(b, s, starts, {t.min(next, last)});
        Value limit = s.fromIndex(b.index(end), v[0].getType());
        return s.sub(s.select(t.gt(next, last), limit, following), v[0]);
      });
}

/// result[indices[i]] = updates[i] for a permutation.
FailureOr<Tensor> permuted(GraphBuilder &b, const Tensor &indices,
                           const Tensor &updates) {
  TRY(Tensor none, broadcastTo(b, scalarConstant(b, i64(b), 0), indices->dims));
  return scatterDistinct(b, none, indices, updates);
}

/// The same in the order in which they are first met.
FailureOr<Distinct> inOrderOfFirsts(GraphBuilder &b, const Distinct &sorted) {
  TRY(Ordered firsts, sort(b, sorted.firsts, 0, /*isDescending=*/false));
  Distinct result;
  result.firsts = firsts.values;
  TRY(result.counts, takeAlong(b, sorted.counts, firsts.indices, 0));
  TRY(Tensor positions, iota(b, firsts.indices->dims[0], i64(b)));
  TRY(Tensor renumbered, permuted(b, firsts.indices, positions));
  TRY(result.numbers, takeAlong(b, renumbered, sorted.numbers, 0));
  return result;
}

} // namespace

FailureOr<Distinct> unique(GraphBuilder &b, const Tensor &x,
                           std::optional<int64_t> axis, bool isSorted) {
  // Slices as rows of a matrix.
  Tensor slices = x;
  if (axis) {
    TRY(slices, transpose(b, x, axisFirst(*axis, x->rank())));
  }
  const Expr count = axis ? x->dims[*axis] : b.sizes.product(x->dims);
  const Expr width =
      axis ? b.sizes.product(ArrayRef<Expr>(slices->dims).drop_front())
           : b.sizes.constant(1);
  TRY(Tensor rows, reshape(b, slices, {count, width}));
  TRY(Tensor order, sortedOrder(b, rows));
  TRY(Tensor isStart, startsOf(b, rows, order));
  TRY(Tensor starts, indicesWhere(b, isStart));
  Distinct result;
  TRY(result.firsts, takeAlong(b, order, starts, 0));
  TRY(result.counts, lengthsOf(b, starts, count));
  TRY(Tensor flags, convert(b, isStart, i64(b)));
  TRY(Tensor numbers, cumulate(b, flags, 0, {}));
  TRY(numbers, elementwise(b, {numbers}, i64(b), [](Scalar &s, Values v) {
        return s.sub(v[0], s.like(v[0], 1));
      }));
  TRY(result.numbers, permuted(b, order, numbers));
  if (!isSorted) {
    TRY(result, inOrderOfFirsts(b, result));
  }
  Tensor source = x;
  if (!axis) {
    TRY(source, reshape(b, x, {count}));
  }
  TRY(result.values, takeAlong(b, source, result.firsts, axis.value_or(0)));
  return result;
}

} // namespace tilewright::build
