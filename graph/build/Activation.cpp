#include "graph/build/Activation.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {

Value relu(Scalar &s, Value x, double, double) {
  return s.max(x, s.like(x, 0));
}

Value leakyRelu(Scalar &s, Value x, double alpha, double) {
  return s.select(s.lt(x, s.like(x, 0)), s.mul(x, s.like(x, alpha)), x);
}

Value sigmoid(Scalar &s, Value x, double, double) { return s.sigmoid(x); }

Value hardSigmoid(Scalar &s, Value x, double alpha, double beta) {
  Value y = s.add(s.mul(x, s.like(x, alpha)), s.like(x, beta));
  return s.clamp(y, s.like(x, 0), s.like(x, 1));
}

Value hardSwish(Scalar &s, Value x, double, double) {
  Value y = s.add(s.mul(x, s.like(x, 1.0 / 6)), s.like(x, 0.5));
  return s.mul(x, s.clamp(y, s.like(x, 0), s.like(x, 1)));
}

Value elu(Scalar &s, Value x, double alpha, double) {
  Value low = s.mul(s.make<math::ExpM1Op>(x), s.like(x, alpha));
  return s.select(s.lt(x, s.like(x, 0)), low, x);
}

Value selu(Scalar &s, Value x, double alpha, double gamma) {
  Value low = s.mul(s.make<math::ExpM1Op>(x), s.like(x, alpha));
  return s.mul(s.select(s.gt(x, s.like(x, 0)), x, low), s.like(x, gamma));
}

Value celu(Scalar &s, Value x, double alpha, double) {
  Value zero = s.like(x, 0);
  Value low = s.make<math::ExpM1Op>(s.div(x, s.like(x, alpha)));
  return s.add(s.max(zero, x), s.min(zero, s.mul(low, s.like(x, alpha))));
}

Value thresholdedRelu(Scalar &s, Value x, double alpha, double) {
  return s.select(s.gt(x, s.like(x, alpha)), x, s.like(x, 0));
}

Value softplus(Scalar &s, Value x, double, double) { return s.softplus(x); }

Value softsign(Scalar &s, Value x, double, double) {
  return s.div(x, s.add(s.like(x, 1), s.abs(x)));
}

Value mish(Scalar &s, Value x, double, double) {
  return s.mul(x, s.tanh(s.softplus(x)));
}

Value swish(Scalar &s, Value x, double alpha, double) {
  return s.mul(x, s.sigmoid(s.mul(x, s.like(x, alpha))));
}

Value gelu(Scalar &s, Value x, double, double) {
  Value e = s.erf(s.mul(x, s.like(x, M_SQRT1_2)));
  return s.mul(s.mul(x, s.like(x, 0.5)), s.add(e, s.like(x, 1)));
}

Value geluByTanh(Scalar &s, Value x, double, double) {
  Value cube = s.mul(s.mul(x, x), x);
  Value inner = s.add(x, s.mul(cube, s.like(x, 0.044715)));
  Value t = s.tanh(s.mul(inner, s.like(x, std::sqrt(2 / M_PI))));
  return s.mul(s.mul(x, s.like(x, 0.5)), s.add(t, s.like(x, 1)));
}

FailureOr<Tensor> activate(GraphBuilder &b, const Tensor &x, ActivationFn fn,
                           double alpha, double beta) {
  return elementwise(b, {x}, x->element, [&](Scalar &s, Values v) {
    return fn(s, v[0], alpha, beta);
  });
}

FailureOr<Tensor> shrink(GraphBuilder &b, const Tensor &x, double lambda,
                         double bias) {
  Element wide =
      x->element.isFloat() ? x->element : Element{b.builder.getF64Type()};
  TRY(Tensor numbers, convert(b, x, wide));
  TRY(Tensor shrunk, elementwise(b, {numbers}, wide, [&](Scalar &s, Values v) {
        Value shift = s.like(v[0], bias), zero = s.like(v[0], 0);
        Value low = s.select(s.lt(v[0], s.like(v[0], -lambda)),
                             s.add(v[0], shift), zero);
        return s.select(s.gt(v[0], s.like(v[0], lambda)), s.sub(v[0], shift),
                        low);
      }));
  return convert(b, shrunk, x->element);
}

FailureOr<Tensor> prelu(GraphBuilder &b, const Tensor &x, const Tensor &slope) {
  return elementwise(b, {x, slope}, x->element, [](Scalar &s, Values v) {
    return s.select(s.lt(v[0], s.like(v[0], 0)), s.mul(v[0], v[1]), v[0]);
  });
}

FailureOr<Tensor> softmaxFrom(GraphBuilder &b, const Tensor &x, int64_t axis,
                              bool logarithm) {
  bool last = true;
  for (int64_t i = axis + 1; i < x->rank(); ++i)
    last &= isConst(x->dims[i], 1);
  if (last)
    return softmax(b, x, axis, logarithm);
  ArrayRef<Expr> dims = x->dims;
  TRY(Tensor flat, reshape(b, x,
                           {b.sizes.product(dims.take_front(axis)),
                            b.sizes.product(dims.drop_front(axis))}));
  TRY(Tensor result, softmax(b, flat, 1, logarithm));
  return reshape(b, result, dims);
}

} // namespace tilewright::build
