#include "graph/build/Reduction.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {

FailureOr<Tensor> reduce(GraphBuilder &b, const Tensor &tensor,
                         ArrayRef<int64_t> axes, bool keepDims,
                         Element accumulator, TypedAttr init, BodyFn combine) {
  Operand operand{tensor, Dims(tensor->rank())};
  SmallVector<Expr> loops;
  SmallVector<int64_t> keptAxes;
  for (int64_t i = 0; i < tensor->rank(); ++i)
    if (!llvm::is_contained(axes, i)) {
      operand.at[i] = b.loop(loops.size());
      loops.push_back(tensor->dims[i]);
    }
  GenericOptions options;
  options.parallelLoops = loops.size();
  options.init = init;
  int64_t keptCount = 0;
  for (int64_t i = 0; i < tensor->rank(); ++i)
    keptAxes.push_back(llvm::is_contained(axes, i) ? -1 : keptCount++);
  for (int64_t axis : axes) {
    operand.at[axis] = b.loop(loops.size());
    loops.push_back(tensor->dims[axis]);
  }
  TRY(Tensor result,
      generic(b, {operand}, loops, accumulator, combine, options));
  return keepDims ? rearrange(b, result, keptAxes) : result;
}

FailureOr<Tensor> reduceSum(GraphBuilder &b, const Tensor &tensor,
                            ArrayRef<int64_t> axes, bool keepDims) {
  Element element = accumulatorOf(b, tensor->element);
  return reduce(b, tensor, axes, keepDims, element, zeroOf(b, element),
                [](Scalar &s, ArrayRef<Value> v) { return s.add(v[1], v[0]); });
}

FailureOr<Tensor> reduceMax(GraphBuilder &b, const Tensor &tensor,
                            ArrayRef<int64_t> axes, bool keepDims) {
  Element element = accumulatorOf(b, tensor->element);
  TypedAttr init = constantAttr(b, element, -INFINITY);
  return reduce(b, tensor, axes, keepDims, element, init,
                [](Scalar &s, ArrayRef<Value> v) { return s.max(v[1], v[0]); });
}

FailureOr<Tensor> contract(GraphBuilder &b, const Operand &lhs,
                           const Operand &rhs, ArrayRef<Expr> loops,
                           unsigned parallel, Element out) {
  Element sum = accumulatorOf(b, out);
  GenericOptions options;
  options.parallelLoops = parallel;
  options.absorbTranspose = true;
  options.keepSplats = true;
  options.init = zeroOf(b, sum);
  auto body = [&](Scalar &s, ArrayRef<Value> v) {
    // Each operand has its own sign.
    auto widened = [&](Value value, const Operand &operand) {
      return Scalar(s.builder, s.loc, operand.tensor->element.isUnsigned)
          .convert(value, sum.type);
    };
    return s.add(v[2], s.mul(widened(v[0], lhs), widened(v[1], rhs)));
  };
  TRY(Tensor result, generic(b, {lhs, rhs}, loops, sum, body, options));
  return convert(b, result, out);
}

Value countInBody(GraphBuilder &b, Scalar &s, Expr count, Type type) {
  if (auto constant = constantOf(count))
    return s.constant(type, double(*constant));
  return s.fromIndex(b.index(count), type);
}

FailureOr<Tensor> mean(GraphBuilder &b, const Tensor &x,
                       ArrayRef<int64_t> axes) {
  TRY(Tensor sum, reduceSum(b, x, axes, /*keepDims=*/true));
  Expr count = b.sizes.constant(1);
  for (int64_t axis : axes)
    count = b.sizes.mul(count, x->dims[axis]);
  return elementwise(b, {sum}, sum->element, [&](Scalar &s, ArrayRef<Value> v) {
    return s.div(v[0], countInBody(b, s, count, v[0].getType()));
  });
}

FailureOr<Tensor> softmax(GraphBuilder &b, const Tensor &x, int64_t axis,
                          bool logarithm) {
  TRY(Tensor top, reduceMax(b, x, {axis}, true));
  Element wide = top->element;
  auto shifted = [](Scalar &s, ArrayRef<Value> v) { return s.sub(v[0], v[1]); };
  if (logarithm) {
    TRY(Tensor centered, elementwise(b, {x, top}, wide, shifted));
    TRY(Tensor powers,
        elementwise(b, {centered}, wide,
                    [](Scalar &s, ArrayRef<Value> v) { return s.exp(v[0]); }));
    TRY(Tensor sum, reduceSum(b, powers, {axis}, true));
    return elementwise(
        b, {centered, sum}, x->element,
        [](Scalar &s, ArrayRef<Value> v) { return s.sub(v[0], s.log(v[1])); });
  }
  TRY(Tensor powers,
      elementwise(b, {x, top}, wide, [](Scalar &s, ArrayRef<Value> v) {
        return s.exp(s.sub(v[0], v[1]));
      }));
  TRY(Tensor sum, reduceSum(b, powers, {axis}, true));
  return elementwise(
      b, {powers, sum}, x->element,
      [](Scalar &s, ArrayRef<Value> v) { return s.div(v[0], v[1]); });
}

} // namespace tilewright::build
