#include "graph/build/Blocks.h"

#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::build {

FailureOr<Tensor> repeat(GraphBuilder &b, const Tensor &x,
                         ArrayRef<Expr> repeats) {
  // [a, b] becomes [r, a, s, b] and then [r a, s b].
  SmallVector<Expr> dims, loops;
  Operand operand{x, {}};
  for (auto [size, repeat] : llvm::zip(x->dims, repeats)) {
    dims.push_back(b.sizes.mul(size, repeat));
    if (!isConst(repeat, 1))
      loops.push_back(repeat);
    operand.at.push_back(isConst(size, 1) ? b.zero() : b.loop(loops.size()));
    loops.push_back(size);
  }
  TRY(Tensor tiled, gather(b, {operand}, loops, x->element,
                           [](Scalar &, ArrayRef<Value> v) { return v[0]; }));
  return reshape(b, tiled, dims);
}

FailureOr<Tensor> depthToSpace(GraphBuilder &b, const Tensor &x, int64_t block,
                               bool blocksFirst) {
  Sizes &z = b.sizes;
  Expr n = x->dims[0], h = x->dims[2], w = x->dims[3], s = z.constant(block);
  Expr c = z.floorDiv(x->dims[1], block * block);
  TRY(Tensor split, blocksFirst ? reshape(b, x, {n, s, s, c, h, w})
                                : reshape(b, x, {n, c, s, s, h, w}));
  TRY(Tensor moved, blocksFirst ? transpose(b, split, {0, 3, 4, 1, 5, 2})
                                : transpose(b, split, {0, 1, 4, 2, 5, 3}));
  return reshape(b, moved, {n, c, z.mul(h, block), z.mul(w, block)});
}

FailureOr<Tensor> spaceToDepth(GraphBuilder &b, const Tensor &x,
                               int64_t block) {
  Sizes &z = b.sizes;
  Expr n = x->dims[0], c = x->dims[1], s = z.constant(block);
  Expr h = z.floorDiv(x->dims[2], block), w = z.floorDiv(x->dims[3], block);
  TRY(Tensor split, reshape(b, x, {n, c, h, s, w, s}));
  TRY(Tensor moved, transpose(b, split, {0, 3, 5, 1, 2, 4}));
  return reshape(b, moved, {n, z.mul(c, block * block), h, w});
}

FailureOr<Tensor> triangle(GraphBuilder &b, const Tensor &x, Expr k,
                           bool upper) {
  // A diagonal outside of every matrix, so that row + k does not wrap.
  if (auto constant = constantOf(k))
    k = b.sizes.constant(std::clamp(*constant, -maximumBytes, maximumBytes));
  Operand operand{x, {}};
  for (int64_t i = 0; i < x->rank(); ++i)
    operand.at.push_back(b.loop(i));
  return gather(
      b, {operand}, x->dims, x->element, [&](Scalar &s, ArrayRef<Value> v) {
        Scalar t(s.builder, s.loc);
        Value row = s.loop(x->rank() - 2), column = s.loop(x->rank() - 1);
        Value edge = s.add(row, b.index(k));
        Value keep = upper ? t.ge(column, edge) : t.le(column, edge);
        return s.select(keep, v[0], s.like(v[0], 0));
      });
}

} // namespace tilewright::build
