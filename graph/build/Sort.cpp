#include "graph/build/Sort.h"

#include "graph/analysis/SizeBounds.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/TensorValues.h"
#include "graph/ir/Graph.h"

using namespace mlir;

namespace tilewright::build {
namespace {

/// In which elements x is compared: those of memory that has whole bytes, and
/// floats with arithmetic.
Element keyElement(GraphBuilder &b, Element element) {
  if (element.isFloat())
    return element.bits() < 16 ? f32(b) : element;
  return element.bits() < 8 ? Element{b.builder.getI8Type(),
                                      element.isUnsigned || element.isBool()}
                            : element;
}

FailureOr<Ordered> ordered(GraphBuilder &b, Value values, Value indices,
                           ArrayRef<Expr> dims, Element key, Element element) {
  Ordered result;
  TRY(Tensor sorted, wrap(b, values, dims, key));
  TRY(result.values, convert(b, sorted, element));
  TRY(result.indices, wrap(b, indices, dims, i64(b)));
  return result;
}

} // namespace

FailureOr<Ordered> sort(GraphBuilder &b, const Tensor &x, int64_t axis,
                        bool isDescending) {
  const Element key = keyElement(b, x->element);
  TRY(Tensor keys, convert(b, x, key));
  TRY(Tensor positions, gather(b, {}, x->dims, i64(b), [&](Scalar &s, Values) {
        return s.fromIndex(s.loop(axis), s.builder.getI64Type());
      }));
  auto op = graph::SortOp::create(
      b.builder, b.loc, {denseValue(b, keys), denseValue(b, positions)}, axis,
      isDescending, key.isUnsigned);
  return ordered(b, op.getResult(0), op.getResult(1), x->dims, key, x->element);
}

FailureOr<Ordered> topK(GraphBuilder &b, const Tensor &x, int64_t axis, Expr k,
                        bool largest) {
  auto constant = constantOf(k);
  Expr size = x->dims[axis];
  if ((constant && *constant < 0) || less(b.sizes, size, k) == true)
    return b.fail("k is " + b.sizes.str(k) + ", dimension " + Twine(axis) +
                  " of the input has " + b.sizes.str(size) + " elements");
  checkAtMost(b, k, size, "k of TopK is greater than a dimension");
  SmallVector<Expr> dims(x->dims);
  dims[axis] = k;
  if (!constant || *constant == 0) {
    TRY(Ordered all, sort(b, x, axis, largest));
    SmallVector<Expr> starts(dims.size(), b.zero());
    SmallVector<int64_t> steps(dims.size(), 1);
    Ordered result;
    TRY(result.values, slice(b, all.values, starts, dims, steps));
    TRY(result.indices, slice(b, all.indices, starts, dims, steps));
    return result;
  }
  const Element key = keyElement(b, x->element);
  TRY(Tensor keys, convert(b, x, key));
  auto op = graph::TopKOp::create(b.builder, b.loc, typeOf(dims, key),
                                  typeOf(dims, i64(b)), denseValue(b, keys),
                                  axis, /*smallest=*/!largest, key.isUnsigned);
  return ordered(b, op.getValues(), op.getIndices(), dims, key, x->element);
}

} // namespace tilewright::build
