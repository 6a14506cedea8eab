// Quantized arithmetic.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/analysis/SizeBounds.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Conv.h"
#include "graph/build/Generic.h"
#include "graph/build/MatMul.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

#include <cmath>

using namespace mlir;

namespace tilewright::onnx {
namespace {

using Values = ArrayRef<Value>;

Element i32(GraphBuilder &b) { return {b.builder.getI32Type()}; }
Element u8(GraphBuilder &b) { return {b.builder.getI8Type(), true}; }

/// Least and greatest number of an integer type.
std::pair<double, double> rangeOf(Element element) {
  double span = std::ldexp(1.0, int(element.bits()));
  return element.isUnsigned ? std::pair(0.0, span - 1)
                            : std::pair(-span / 2, span / 2 - 1);
}

/// Rounds, adds the zero point and saturates, in float. NaN, which is no
/// quantity, becomes the zero point.
Value quantized(Scalar &s, Value v, Value zero, Element out) {
  Value number = s.select(s.ne(v, v), s.like(v, 0), v);
  Value sum = s.add(s.make<math::RoundEvenOp>(number), zero);
  auto [low, high] = rangeOf(out);
  Value bounded = s.clamp(sum, s.like(sum, low), s.like(sum, high));
  Value wide = s.make<arith::FPToSIOp>(s.builder.getI32Type(), bounded);
  return s.convert(wide, out.type);
}

/// A scalar of an operand with its own signedness.
Value toFloat(Scalar &s, Value v, Element element, Type type) {
  return Scalar(s.builder, s.loc, element.isUnsigned).convert(v, type);
}

/// Where scale and zero point are read: one number, one per index of `axis`, or
/// one per block of `block` indices.
FailureOr<Operand> parameter(Node &node, const Tensor &p, const Tensor &x,
                             int64_t axis, int64_t block) {
  GraphBuilder &b = node.b;
  Operand operand{p, {}};
  if (p->rank() == 0)
    return operand;
  if (p->rank() == 1 && isConst(p->dims[0], 1)) {
    operand.at.push_back(b.zero());
    return operand;
  }
  if (p->rank() == 1 && block == 0) {
    TRY(int64_t at, axisOf(node.b, axis, x->rank()));
    if (equal(b.sizes, p->dims[0], x->dims[at]) == false)
      return node.fail("scale or zero point has shape " + b.sizes.str(p->dims) +
                       ", the input " + b.sizes.str(x->dims) + " with axis " +
                       Twine(axis));
    // The operand may have a single element at run time.
    TRY(operand.tensor, repeatUnits(b, p, {x->dims[at]}));
    operand.at.push_back(b.loop(at));
    return operand;
  }
  if (p->rank() != x->rank() || block < 0)
    return node.fail("scale or zero point has shape " + b.sizes.str(p->dims) +
                     ", the input " + b.sizes.str(x->dims));
  TRY(int64_t at, axisOf(node.b, axis, x->rank()));
  for (int64_t i = 0; i < x->rank(); ++i) {
    Expr index = i == at && block ? b.loop(i).floorDiv(block) : b.loop(i);
    operand.at.push_back(isConst(p->dims[i], 1) ? b.zero() : index);
  }
  return operand;
}

/// A zero point has the shape of its scale, or both are one number.
LogicalResult matchScale(Node &node, const Tensor &zero, const Tensor &scale) {
  GraphBuilder &b = node.b;
  if (countOf(*zero) == 1 && countOf(*scale) == 1)
    return success();
  if (zero->rank() != scale->rank())
    return node.fail("the zero point has shape " + b.sizes.str(zero->dims) +
                     ", the scale " + b.sizes.str(scale->dims));
  return LogicalResult(
      withDims(b, zero, scale->dims, "the zero point beside the scale"));
}

Operand whole(GraphBuilder &b, const Tensor &x) {
  Operand operand{x, {}};
  for (int64_t i = 0; i < x->rank(); ++i)
    operand.at.push_back(isConst(x->dims[i], 1) ? b.zero() : b.loop(i));
  return operand;
}

LogicalResult importQuantizeLinear(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor scale, node.input(1));
  TRY(Tensor zero, node.optionalInput(2));
  TRY(int64_t axis, node.attributes.integer("axis", 1));
  TRY(int64_t block, node.attributes.integer("block_size", 0));
  if (x->rank() == 1 && axis == 1)
    axis = 0;
  Element out;
  if (zero) {
    out = zero->element;
  } else {
    TRY(out, node.attributes.element("output_dtype", u8(b)));
  }
  TRY(bool saturate, node.attributes.flag("saturate", true));
  TRY(Operand scales, parameter(node, scale, x, axis, block));
  SmallVector<Operand> operands = {whole(b, x), scales};
  if (zero) {
    if (failed(matchScale(node, zero, scale)))
      return failure();
    TRY(Operand zeros, parameter(node, zero, x, axis, block));
    operands.push_back(zeros);
  }
  GenericOptions options;
  return node.done(generic(
      b, operands, x->dims, out,
      [&](Scalar &s, Values v) {
        Type type = v[1].getType();
        Value value = s.div(toFloat(s, v[0], x->element, type), v[1]);
        if (out.isFloat()) {
          s.saturate = saturate;
          return s.convert(value, out.type);
        }
        Value offset = zero ? toFloat(s, v[2], out, type) : s.like(value, 0);
        return quantized(s, value, offset, out);
      },
      options));
}

LogicalResult importDequantizeLinear(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor scale, node.input(1));
  TRY(Tensor zero, node.optionalInput(2));
  TRY(int64_t axis, node.attributes.integer("axis", 1));
  TRY(int64_t block, node.attributes.integer("block_size", 0));
  if (x->rank() == 1 && axis == 1)
    axis = 0;
  TRY(Element out, node.attributes.element("output_dtype", scale->element));
  TRY(Operand scales, parameter(node, scale, x, axis, block));
  SmallVector<Operand> operands = {whole(b, x), scales};
  if (zero) {
    if (failed(matchScale(node, zero, scale)))
      return failure();
    TRY(Operand zeros, parameter(node, zero, x, axis, block));
    operands.push_back(zeros);
  }
  return node.done(generic(b, operands, x->dims, out, [&](Scalar &s, Values v) {
    Type type = v[1].getType();
    Value value = toFloat(s, v[0], x->element, type);
    if (zero)
      value = s.sub(value, toFloat(s, v[2], zero->element, type));
    return s.mul(value, v[1]);
  }));
}

/// The scale and zero point follow from the extremes of the input.
LogicalResult importDynamicQuantizeLinear(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (!x->element.type.isF32())
    return node.fail("the operand has type " + dtypeName(x->element));
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < x->rank(); ++i)
    axes.push_back(i);
  auto zero = llvm::cast<TypedAttr>(b.builder.getZeroAttr(x->element.type));
  TRY(Tensor low,
      reduce(b, x, axes, false, x->element, zero,
             [](Scalar &s, Values v) { return s.min(v[1], v[0]); }));
  TRY(Tensor high,
      reduce(b, x, axes, false, x->element, zero,
             [](Scalar &s, Values v) { return s.max(v[1], v[0]); }));
  TRY(Tensor scale,
      elementwise(b, {low, high}, x->element, [](Scalar &s, Values v) {
        Value range = s.div(s.sub(v[1], v[0]), s.like(v[0], 255));
        // Of zeros alone any scale will do; ONNX Runtime takes 1.
        Value none = s.eq(range, s.like(range, 0));
        return s.select(none, s.like(range, 1), range);
      }));
  TRY(Tensor point,
      elementwise(b, {low, scale}, u8(b), [&](Scalar &s, Values v) {
        return quantized(s, s.neg(s.div(v[0], v[1])), s.like(v[0], 0), u8(b));
      }));
  TRY(Tensor y,
      elementwise(b, {x, scale, point}, u8(b), [&](Scalar &s, Values v) {
        return quantized(s, s.div(v[0], v[1]),
                         toFloat(s, v[2], u8(b), v[0].getType()), u8(b));
      }));
  if (failed(node.set(1, scale)) || failed(node.set(2, point)))
    return failure();
  return node.set(0, y);
}

/// x - zero as i32.
FailureOr<Tensor> centered(GraphBuilder &b, const Tensor &x,
                           const Tensor &zero) {
  Element wide = i32(b);
  if (!x->element.isInteger() || (zero && !zero->element.isInteger()))
    return b.fail("operands have types " + dtypeName(x->element) +
                  ", expected integers");
  SmallVector<Tensor> operands = {x};
  if (zero)
    operands.push_back(zero);
  return elementwiseOver(b, x->dims, operands, wide, [&](Scalar &s, Values v) {
    Value value = toFloat(s, v[0], x->element, wide.type);
    if (!zero)
      return value;
    return s.sub(value, toFloat(s, v[1], zero->element, wide.type));
  });
}

/// A parameter per row of the left operand: [M] as [M, 1].
Tensor perRow(GraphBuilder &b, const Tensor &p, const Tensor &x) {
  if (p && p->rank() == 1 && x->rank() > 1 && !isConst(p->dims[0], 1))
    return rearrange(b, p, {0, -1});
  if (p && p->rank() == 1 && isConst(p->dims[0], 1))
    return rearrange(b, p, {});
  return p;
}

LogicalResult importMatMulInteger(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor y, node.input(1));
  TRY(Tensor xZero, node.optionalInput(2));
  TRY(Tensor yZero, node.optionalInput(3));
  TRY(Tensor lhs, centered(b, x, perRow(b, xZero, x)));
  TRY(Tensor rhs, centered(b, y, yZero));
  return node.done(matmul(b, lhs, rhs, i32(b)));
}

/// Scales a product of centered integers and quantizes it.
FailureOr<Tensor> requantize(GraphBuilder &b, const Tensor &product,
                             const Tensor &xScale, const Tensor &wScale,
                             const Tensor &yScale, const Tensor &yZero) {
  Element out = yZero->element;
  Type type = b.builder.getF32Type();
  return elementwise(
      b, {product, xScale, wScale, yScale, yZero}, out,
      [&](Scalar &s, Values v) {
        Value factor =
            s.div(s.mul(s.convert(v[1], type), s.convert(v[2], type)),
                  s.convert(v[3], type));
        Scalar t(s.builder, s.loc);
        Value value = s.mul(t.convert(v[0], type), factor);
        return quantized(s, value, toFloat(s, v[4], out, type), out);
      });
}

LogicalResult importQLinearMatMul(Node &node) {
  GraphBuilder &b = node.b;
  TRY(SmallVector<Tensor> in, node.inputs(8));
  TRY(Tensor lhs, centered(b, in[0], perRow(b, in[2], in[0])));
  TRY(Tensor rhs, centered(b, in[3], perRow(b, in[5], in[5])));
  TRY(Tensor product, matmul(b, lhs, rhs, i32(b)));
  return node.done(
      requantize(b, product, perRow(b, in[1], in[0]), in[4], in[6], in[7]));
}

/// A vector per output channel as [M, 1, ...].
Tensor perChannel(GraphBuilder &b, const Tensor &p, int64_t trailing) {
  if (!p || p->rank() != 1)
    return p;
  if (isConst(p->dims[0], 1))
    return rearrange(b, p, {});
  SmallVector<int64_t> kept(trailing + 1, -1);
  kept[0] = 0;
  return rearrange(b, p, kept);
}

FailureOr<Tensor> integerConvolution(Node &node, const Tensor &x,
                                     const Tensor &xZero, const Tensor &w,
                                     const Tensor &wZero) {
  GraphBuilder &b = node.b;
  TRY(int64_t group, node.attributes.integer("group", 1));
  if (x->rank() < 3 || x->rank() != w->rank() || group < 1 ||
      !compatible(b.sizes.mul(w->dims[1], group), x->dims[1]))
    return node.fail("input has shape " + b.sizes.str(x->dims) +
                     " and weights have shape " + b.sizes.str(w->dims) +
                     ", which do not go together with group = " + Twine(group));
  auto kernel = constantsOf(ArrayRef<Expr>(w->dims).drop_front(2));
  if (!kernel)
    return node.fail("weights have shape " + b.sizes.str(w->dims) +
                     ", expected a static window");
  TRY(Window window, readWindow(node, x, exprsOf(b.sizes, *kernel)));
  TRY(Tensor lhs, centered(b, x, perChannel(b, xZero, 0)));
  TRY(Tensor rhs, centered(b, w, perChannel(b, wZero, w->rank() - 1)));
  return convolve(b, lhs, rhs, group, window, i32(b));
}

LogicalResult importConvInteger(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor w, node.input(1));
  TRY(Tensor xZero, node.optionalInput(2));
  TRY(Tensor wZero, node.optionalInput(3));
  return node.done(integerConvolution(node, x, xZero, w, wZero));
}

LogicalResult importQLinearConv(Node &node) {
  GraphBuilder &b = node.b;
  SmallVector<Tensor> in;
  for (int i = 0; i < 8; ++i) {
    TRY(Tensor operand, node.input(i));
    in.push_back(operand);
  }
  TRY(Tensor bias, node.optionalInput(8));
  TRY(Tensor sum, integerConvolution(node, in[0], in[2], in[3], in[5]));
  if (bias) {
    TRY(sum, addBias(b, sum, bias));
  }
  int64_t spatial = in[0]->rank() - 2;
  return node.done(
      requantize(b, sum, perChannel(b, in[1], 0), perChannel(b, in[4], spatial),
                 perChannel(b, in[6], 0), perChannel(b, in[7], 0)));
}

} // namespace

void addQuantOps(OpTable &t) {
  t.add("QuantizeLinear", 10, importQuantizeLinear);
  t.add("DequantizeLinear", 10, importDequantizeLinear);
  t.add("DynamicQuantizeLinear", 11, importDynamicQuantizeLinear);
  t.add("MatMulInteger", 10, importMatMulInteger);
  t.add("QLinearMatMul", 10, importQLinearMatMul);
  t.add("ConvInteger", 10, importConvInteger);
  t.add("QLinearConv", 10, importQLinearConv);
}

} // namespace tilewright::onnx
