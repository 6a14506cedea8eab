// Activation functions and softmax.
#include "frontends/torch/Promotion.h"
#include "graph/build/Activation.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

/// A function of one tensor without parameters.
template <ActivationFn fn> LogicalResult importPlain(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  return c.done(activate(c.b, x, fn));
}

LogicalResult importRelu(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  return c.done(mapElements(
      c.b, x, [](Scalar &s, Value v) { return s.max(v, s.like(v, 0)); }));
}

Value hardSigmoidOf(Scalar &s, Value x) {
  Value six = s.like(x, 6);
  return s.div(s.clamp(s.add(x, s.like(x, 3)), s.like(x, 0), six), six);
}

LogicalResult importHardSigmoid(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  return c.done(mapElements(c.b, x, hardSigmoidOf));
}

LogicalResult importHardSwish(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  return c.done(mapElements(c.b, x, [](Scalar &s, Value v) {
    return s.mul(v, hardSigmoidOf(s, v));
  }));
}

LogicalResult importLogSigmoid(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  return c.done(mapElements(
      c.b, x, [](Scalar &s, Value v) { return s.neg(s.softplus(s.neg(v))); }));
}

LogicalResult importHardtanh(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  double low = 0, high = 6;
  if (!StringRef(c.target).starts_with("aten.relu6")) {
    TRY(low, c.number("min_val"));
    TRY(high, c.number("max_val"));
  }
  return c.done(elementwise(c.b, {x}, x->element, [&](Scalar &s, Values v) {
    return s.clamp(v[0], s.like(v[0], low), s.like(v[0], high));
  }));
}

LogicalResult importGelu(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(std::string approximate, c.text("approximate"));
  return c.done(activate(c.b, x, approximate == "tanh" ? geluByTanh : gelu));
}

LogicalResult importLeakyRelu(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(double slope, c.number("negative_slope"));
  return c.done(activate(c.b, x, leakyRelu, slope));
}

/// elu, selu and celu are one form.
LogicalResult importElu(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  double alpha = 1, scale = 1, inner = 1;
  StringRef name = c.target;
  if (name.starts_with("aten.selu")) {
    alpha = 1.6732632423543772;
    scale = 1.0507009873554805;
  } else {
    TRY(alpha, c.number("alpha"));
  }
  if (name.starts_with("aten.elu")) {
    TRY(scale, c.number("scale"));
    TRY(inner, c.number("input_scale"));
  }
  if (name.starts_with("aten.celu"))
    inner = 1 / alpha;
  return c.done(elementwise(c.b, {x}, x->element, [&](Scalar &s, Values v) {
    Value below = s.make<math::ExpM1Op>(s.mul(v[0], s.like(v[0], inner)));
    below = s.mul(below, s.like(v[0], alpha * scale));
    Value above = s.mul(v[0], s.like(v[0], scale));
    return s.select(s.le(v[0], s.like(v[0], 0)), below, above);
  }));
}

LogicalResult importSoftplus(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(double beta, c.number("beta"));
  TRY(double threshold, c.number("threshold"));
  return c.done(elementwise(c.b, {x}, x->element, [&](Scalar &s, Values v) {
    Value scaled = s.mul(v[0], s.like(v[0], beta));
    Value soft = s.div(s.softplus(scaled), s.like(v[0], beta));
    return s.select(s.gt(scaled, s.like(v[0], threshold)), v[0], soft);
  }));
}

LogicalResult importThreshold(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(double threshold, c.number("threshold"));
  TRY(double value, c.number("value"));
  return c.done(elementwise(c.b, {x}, x->element, [&](Scalar &s, Values v) {
    return s.select(s.le(v[0], s.like(v[0], threshold)), s.like(v[0], value),
                    v[0]);
  }));
}

LogicalResult importPrelu(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor slope, c.tensor("weight"));
  if (x->rank() > 1 && slope->rank() == 1) {
    SmallVector<int64_t> kept(x->rank() - 1, -1);
    kept[0] = 0;
    slope = rearrange(c.b, slope, kept);
  }
  return c.done(prelu(c.b, x, slope));
}

/// x[: n / 2] * sigmoid(x[n / 2 :]).
LogicalResult importGlu(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(int64_t axis, c.axis("dim", x->rank()));
  SmallVector<Expr> offsets(x->rank(), c.b.zero()), lengths(x->dims);
  SmallVector<int64_t> steps(x->rank(), 1);
  lengths[axis] = c.b.sizes.floorDiv(x->dims[axis], 2);
  TRY(Tensor left, slice(c.b, x, offsets, lengths, steps));
  offsets[axis] = lengths[axis];
  TRY(Tensor right, slice(c.b, x, offsets, lengths, steps));
  return c.done(
      elementwise(c.b, {left, right}, x->element, [](Scalar &s, Values v) {
        return s.mul(v[0], s.sigmoid(v[1]));
      }));
}

template <bool logarithm> LogicalResult importSoftmax(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Element out, c.resultElement());
  TRY(x, convert(c.b, x, out));
  if (x->rank() == 0) {
    return c.set(0, scalarConstant(c.b, out, logarithm ? 0 : 1));
  }
  TRY(int64_t axis, c.axis("dim", x->rank()));
  return c.done(softmax(c.b, x, axis, logarithm));
}

/// In evaluation, with the mean of the slopes.
LogicalResult importRandomRelu(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(double low, c.number("lower"));
  TRY(double high, c.number("upper"));
  TRY(bool trains, c.flag("training"));
  if (trains)
    return c.fail("random numbers are not supported: expected the program of a "
                  "model in evaluation mode");
  return c.done(activate(c.b, x, leakyRelu, (low + high) / 2));
}

/// output * (gradient - sum of gradient * output).
LogicalResult importSoftmaxBackward(Call &c) {
  TRY(Tensor gradient, c.tensor("grad_output"));
  TRY(Tensor output, c.tensor("output"));
  TRY(Element out, c.resultElement());
  if (output->rank() == 0)
    return c.fail("expected at least one dimension");
  TRY(int64_t axis, c.axis("dim", output->rank()));
  Element wide = accumulatorOf(c.b, output->element);
  TRY(Tensor products,
      elementwise(c.b, {gradient, output}, wide,
                  [](Scalar &s, Values v) { return s.mul(v[0], v[1]); }));
  TRY(Tensor sum, reduceSum(c.b, products, {axis}, true));
  return c.done(
      elementwise(c.b, {products, output, sum}, out, [](Scalar &s, Values v) {
        return s.sub(v[0], s.mul(v[1], v[2]));
      }));
}

} // namespace

void addActivationOps(OpTable &t) {
  t.add("aten.relu.default", importRelu);
  t.add({"aten.hardtanh.default", "aten.relu6.default"}, importHardtanh);
  t.add("aten.silu.default", [](Call &c) -> LogicalResult {
    TRY(Tensor x, c.tensor("self"));
    return c.done(activate(c.b, x, swish, 1));
  });
  t.add("aten.mish.default", importPlain<mish>);
  t.add("aten.gelu.default", importGelu);
  t.add("aten.hardsigmoid.default", importHardSigmoid);
  t.add("aten.hardswish.default", importHardSwish);
  t.add("aten.log_sigmoid.default", importLogSigmoid);
  t.add("aten.leaky_relu.default", importLeakyRelu);
  t.add({"aten.elu.default", "aten.selu.default", "aten.celu.default"},
        importElu);
  t.add("aten.softplus.default", importSoftplus);
  t.add("aten.threshold.default", importThreshold);
  t.add({"aten.prelu.default", "aten._prelu_kernel.default"}, importPrelu);
  t.add("aten.glu.default", importGlu);
  t.add("aten.rrelu.default", importRandomRelu);
  t.add("aten._softmax_backward_data.default", importSoftmaxBackward);
  t.add({"aten.softmax.int", "aten._softmax.default"}, importSoftmax<false>);
  t.add({"aten.log_softmax.int", "aten._log_softmax.default"},
        importSoftmax<true>);
}

} // namespace tilewright::torch
