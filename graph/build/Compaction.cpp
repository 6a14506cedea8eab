#include "graph/build/Compaction.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"
#include "graph/build/Regions.h"
#include "graph/build/Scan.h"
#include "graph/build/Scatter.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::build {

FailureOr<Tensor> indicesWhere(GraphBuilder &b, const Tensor &mask) {
  const Expr size = mask->dims[0];
  TRY(Tensor flags, convert(b, mask, i64(b)));
  TRY(Tensor total, reduceSum(b, flags, {0}, /*keepDims=*/false));
  TRY(Expr count, readSize(b, total, 0, size));
  CumulateOptions isExclusive;
  isExclusive.exclusive = true;
  TRY(Tensor before, cumulate(b, flags, 0, isExclusive));
  // What is not taken goes behind the end.
  TRY(Tensor targets,
      elementwise(b, {mask, before}, i64(b), [&](Scalar &s, Values v) {
        return s.select(v[0], v[1], s.fromIndex(b.index(size), v[1].getType()));
      }));
  TRY(Tensor numbers, iota(b, size, i64(b)));
  TRY(Tensor none, broadcastTo(b, scalarConstant(b, i64(b), 0), {count}));
  return scatterDistinct(b, none, targets, numbers);
}

FailureOr<Tensor> takeAlong(GraphBuilder &b, const Tensor &x,
                            const Tensor &indices, int64_t axis) {
  Dims dims = x->dims;
  dims[axis] = indices->dims[0];
  denseValue(b, x);
  return gather(b, {{indices, {b.loop(unsigned(axis))}}}, dims, x->element,
                [&](Scalar &s, Values v) {
                  SmallVector<Value> at;
                  for (int64_t i = 0; i < x->rank(); ++i)
                    at.push_back(i == axis ? s.toIndex(v[0]) : s.loop(i));
                  return extractElement(b, s, x, at);
                });
}

/// Whether elements are not 0, as one dimension.
static FailureOr<Tensor> flatMask(GraphBuilder &b, const Tensor &x) {
  TRY(Tensor mask, elementwise(b, {x}, boolean(b), [](Scalar &s, Values v) {
        return s.ne(v[0], s.like(v[0], 0));
      }));
  return reshape(b, mask, {b.sizes.product(x->dims)});
}

FailureOr<Tensor> nonZero(GraphBuilder &b, const Tensor &x) {
  TRY(Tensor mask, flatMask(b, x));
  TRY(Tensor numbers, indicesWhere(b, mask));
  const int64_t rank = std::max<int64_t>(x->rank(), 1);
  const Dims dims{b.sizes.constant(rank), numbers->dims[0]};
  return gather(
      b, {{numbers, {b.loop(1)}}}, dims, i64(b), [&](Scalar &s, Values v) {
        Value rest = s.toIndex(v[0]), result;
        for (int64_t i = rank; i-- > 0;) {
          Value coordinate = rest;
          if (i > 0) {
            Value size = b.index(x->dims[i]);
            coordinate = s.make<arith::RemSIOp>(rest, size);
            rest = s.make<arith::DivSIOp>(rest, size);
          }
          result =
              result ? s.select(s.eq(s.loop(0), s.index(i)), coordinate, result)
                     : coordinate;
        }
        return s.fromIndex(result, v[0].getType());
      });
}

FailureOr<Tensor> compress(GraphBuilder &b, const Tensor &x, const Tensor &mask,
                           int64_t axis) {
  TRY(Tensor known, slice(b, mask, {b.zero()},
                          {b.sizes.min(mask->dims[0], x->dims[axis])}, {1}));
  TRY(Tensor indices, indicesWhere(b, known));
  return takeAlong(b, x, indices, axis);
}

} // namespace tilewright::build
