// Activation functions: one generic each.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

#include <cmath>

using namespace mlir;

namespace tilewright::onnx {
namespace {

using Values = ArrayRef<Value>;

/// A function of one float operand and two float attributes.
template <auto fn>
LogicalResult activation(Node &node, StringRef first = "",
                         double firstDefault = 0, StringRef second = "",
                         double secondDefault = 0) {
  TRY(Tensor x, node.input(0));
  if (!x->element.isFloat() && node.type() != "Relu")
    return node.fail("expected a float operand, found " +
                     dtypeName(x->element));
  TRY(double alpha, node.attributes.number(first, firstDefault));
  TRY(double beta, node.attributes.number(second, secondDefault));
  return node.done(
      elementwise(node.b, {x}, x->element, [&](Scalar &s, Values v) {
        return fn(s, v[0], alpha, beta);
      }));
}

Value relu(Scalar &s, Value x, double, double) {
  return s.max(x, s.like(x, 0));
}

LogicalResult importRelu(Node &node) { return activation<relu>(node); }

LogicalResult importLeakyRelu(Node &node) {
  return activation<[](Scalar &s, Value x, double alpha, double) {
    return s.select(s.lt(x, s.like(x, 0)), s.mul(x, s.like(x, alpha)), x);
  }>(node, "alpha", 0.01);
}

LogicalResult importSigmoid(Node &node) {
  return activation<[](Scalar &s, Value x, double, double) {
    return s.sigmoid(x);
  }>(node);
}

LogicalResult importHardSigmoid(Node &node) {
  return activation<[](Scalar &s, Value x, double alpha, double beta) {
    Value y = s.add(s.mul(x, s.like(x, alpha)), s.like(x, beta));
    return s.clamp(y, s.like(x, 0), s.like(x, 1));
  }>(node, "alpha", 0.2, "beta", 0.5);
}

LogicalResult importHardSwish(Node &node) {
  return activation<[](Scalar &s, Value x, double, double) {
    Value y = s.add(s.mul(x, s.like(x, 1.0 / 6)), s.like(x, 0.5));
    return s.mul(x, s.clamp(y, s.like(x, 0), s.like(x, 1)));
  }>(node);
}

LogicalResult importElu(Node &node) {
  return activation<[](Scalar &s, Value x, double alpha, double) {
    Value low = s.mul(s.make<math::ExpM1Op>(x), s.like(x, alpha));
    return s.select(s.lt(x, s.like(x, 0)), low, x);
  }>(node, "alpha", 1.0);
}

LogicalResult importSelu(Node &node) {
  return activation<[](Scalar &s, Value x, double alpha, double gamma) {
    Value low = s.mul(s.make<math::ExpM1Op>(x), s.like(x, alpha));
    return s.mul(s.select(s.gt(x, s.like(x, 0)), x, low), s.like(x, gamma));
  }>(node, "alpha", 1.67326319217681884765625, "gamma",
     1.05070102214813232421875);
}

LogicalResult importCelu(Node &node) {
  return activation<[](Scalar &s, Value x, double alpha, double) {
    Value zero = s.like(x, 0);
    Value low = s.make<math::ExpM1Op>(s.div(x, s.like(x, alpha)));
    return s.add(s.max(zero, x), s.min(zero, s.mul(low, s.like(x, alpha))));
  }>(node, "alpha", 1.0);
}

LogicalResult importThresholdedRelu(Node &node) {
  return activation<[](Scalar &s, Value x, double alpha, double) {
    return s.select(s.gt(x, s.like(x, alpha)), x, s.like(x, 0));
  }>(node, "alpha", 1.0);
}

/// Integers are shrunk as f64 and truncated.
LogicalResult importShrink(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(double lambda, node.attributes.number("lambd", 0.5));
  TRY(double bias, node.attributes.number("bias", 0));
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
  return node.done(convert(b, shrunk, x->element));
}

LogicalResult importSoftplus(Node &node) {
  return activation<[](Scalar &s, Value x, double, double) {
    return s.softplus(x);
  }>(node);
}

LogicalResult importSoftsign(Node &node) {
  return activation<[](Scalar &s, Value x, double, double) {
    return s.div(x, s.add(s.like(x, 1), s.abs(x)));
  }>(node);
}

LogicalResult importMish(Node &node) {
  return activation<[](Scalar &s, Value x, double, double) {
    return s.mul(x, s.tanh(s.softplus(x)));
  }>(node);
}

LogicalResult importSwish(Node &node) {
  return activation<[](Scalar &s, Value x, double alpha, double) {
    return s.mul(x, s.sigmoid(s.mul(x, s.like(x, alpha))));
  }>(node, "alpha", 1.0);
}

Value geluTanh(Scalar &s, Value x) {
  Value cube = s.mul(s.mul(x, x), x);
  Value inner = s.add(x, s.mul(cube, s.like(x, 0.044715)));
  Value t = s.tanh(s.mul(inner, s.like(x, std::sqrt(2 / M_PI))));
  return s.mul(s.mul(x, s.like(x, 0.5)), s.add(t, s.like(x, 1)));
}

LogicalResult importGelu(Node &node) {
  TRY(std::string form, node.attributes.string("approximate", "none"));
  if (form == "tanh")
    return activation<[](Scalar &s, Value x, double, double) {
      return geluTanh(s, x);
    }>(node);
  if (form != "none")
    return node.fail("attribute 'approximate' is '" + form +
                     "', expected none or tanh");
  return activation<[](Scalar &s, Value x, double, double) {
    Value e = s.erf(s.mul(x, s.like(x, M_SQRT1_2)));
    return s.mul(s.mul(x, s.like(x, 0.5)), s.add(e, s.like(x, 1)));
  }>(node);
}

LogicalResult importPRelu(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor slope, node.input(1));
  if (slope->rank() == 1 && x->rank() > 2 && !isConst(slope->dims[0], 1) &&
      slope->dims[0] == x->dims[1] && slope->dims[0] != x->dims.back()) {
    SmallVector<int64_t> kept(x->rank() - 1, -1);
    kept[0] = 0;
    slope = rearrange(node.b, slope, kept);
  }
  return node.done(
      elementwise(node.b, {x, slope}, x->element, [](Scalar &s, Values v) {
        return s.select(s.lt(v[0], s.like(v[0], 0)), s.mul(v[0], v[1]), v[0]);
      }));
}

/// Before opset 13 softmax runs over all dimensions from `axis` on.
template <bool logarithm> LogicalResult importSoftmax(Node &node) {
  TRY(Tensor x, node.input(0));
  if (node.opset >= 13) {
    TRY(int64_t axis, axisAttribute(node, -1, x->rank()));
    return node.done(softmax(node.b, x, axis, logarithm));
  }
  TRY(int64_t axis, axisAttribute(node, 1, x->rank()));
  Tensor flat = x;
  bool last = true;
  for (int64_t i = axis + 1; i < x->rank(); ++i)
    last &= isConst(x->dims[i], 1);
  if (last)
    return node.done(softmax(node.b, x, axis, logarithm));
  Sizes &sizes = node.b.sizes;
  ArrayRef<Expr> dims = x->dims;
  TRY(flat, reshape(node.b, x,
                    {sizes.product(dims.take_front(axis)),
                     sizes.product(dims.drop_front(axis))}));
  TRY(Tensor result, softmax(node.b, flat, 1, logarithm));
  return node.done(reshape(node.b, result, dims));
}

} // namespace

void addActivationOps(OpTable &table) {
  table.add("Relu", 1, importRelu);
  table.add("LeakyRelu", 1, importLeakyRelu);
  table.add("PRelu", 1, importPRelu);
  table.add("Sigmoid", 1, importSigmoid);
  table.add("HardSigmoid", 1, importHardSigmoid);
  table.add("HardSwish", 14, importHardSwish);
  table.add("Elu", 1, importElu);
  table.add("Selu", 1, importSelu);
  table.add("Celu", 12, importCelu);
  table.add("ThresholdedRelu", 10, importThresholdedRelu);
  table.add("Shrink", 9, importShrink);
  table.add("Softplus", 1, importSoftplus);
  table.add("Softsign", 1, importSoftsign);
  table.add("Mish", 18, importMish);
  table.add("Swish", 24, importSwish);
  table.add("Gelu", 20, importGelu);
  table.add("Softmax", 1, importSoftmax<false>);
  table.add("LogSoftmax", 1, importSoftmax<true>);
}

} // namespace tilewright::onnx
