#include "frontends/onnx/Reduction.h"

#include "frontends/onnx/Broadcast.h"
#include "frontends/onnx/Constants.h"
#include "frontends/onnx/Generic.h"
#include "frontends/onnx/Movement.h"

#include <cmath>

using namespace mlir;

namespace tilewright::onnx {

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
  Element element = tensor->element.isNarrowFloat() ? f32(b) : tensor->element;
  return reduce(b, tensor, axes, keepDims, element,
                cast<TypedAttr>(b.builder.getZeroAttr(element.type)),
                [](Scalar &s, ArrayRef<Value> v) { return s.add(v[1], v[0]); });
}

FailureOr<Tensor> reduceMax(GraphBuilder &b, const Tensor &tensor,
                            ArrayRef<int64_t> axes, bool keepDims) {
  Element element = tensor->element.isNarrowFloat() ? f32(b) : tensor->element;
  TypedAttr init = constantAttr(b, element, -INFINITY);
  return reduce(b, tensor, axes, keepDims, element, init,
                [](Scalar &s, ArrayRef<Value> v) { return s.max(v[1], v[0]); });
}

FailureOr<Tensor> contract(GraphBuilder &b, const Operand &lhs,
                           const Operand &rhs, ArrayRef<Expr> loops,
                           unsigned parallel, Element out) {
  Element sum = out.isNarrowFloat() ? f32(b) : out;
  GenericOptions options;
  options.parallelLoops = parallel;
  options.absorbTranspose = true;
  options.keepSplats = true;
  options.init = cast<TypedAttr>(b.builder.getZeroAttr(sum.type));
  auto body = [&](Scalar &s, ArrayRef<Value> v) {
    return s.add(v[2],
                 s.mul(s.convert(v[0], sum.type), s.convert(v[1], sum.type)));
  };
  TRY(Tensor result, generic(b, {lhs, rhs}, loops, sum, body, options));
  return convert(b, result, out);
}

} // namespace tilewright::onnx
