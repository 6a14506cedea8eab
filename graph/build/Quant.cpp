#include "graph/build/Quant.h"

#include "graph/analysis/SizeBounds.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Generic.h"
#include "graph/build/IntegerProduct.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {
namespace {

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
FailureOr<Operand> parameter(GraphBuilder &b, const Tensor &p, const Tensor &x,
                             int64_t axis, int64_t block) {
  Operand operand{p, {}};
  if (p->rank() == 0)
    return operand;
  if (p->rank() == 1 && isConst(p->dims[0], 1)) {
    operand.at.push_back(b.zero());
    return operand;
  }
  if (p->rank() == 1 && block == 0) {
    TRY(int64_t at, axisOf(b, axis, x->rank()));
    if (equal(b.sizes, p->dims[0], x->dims[at]) == false)
      return b.fail("scale or zero point has shape " + b.sizes.str(p->dims) +
                    ", the input " + b.sizes.str(x->dims) + " with axis " +
                    Twine(axis));
    // The operand may have a single element at run time.
    TRY(operand.tensor, repeatUnits(b, p, {x->dims[at]}));
    operand.at.push_back(b.loop(at));
    return operand;
  }
  if (p->rank() != x->rank() || block < 0)
    return b.fail("scale or zero point has shape " + b.sizes.str(p->dims) +
                  ", the input " + b.sizes.str(x->dims));
  TRY(int64_t at, axisOf(b, axis, x->rank()));
  for (int64_t i = 0; i < x->rank(); ++i) {
    Expr index = i == at && block ? b.loop(i).floorDiv(block) : b.loop(i);
    operand.at.push_back(isConst(p->dims[i], 1) ? b.zero() : index);
  }
  return operand;
}

/// A zero point has the shape of its scale, or both are one number.
LogicalResult matchScale(GraphBuilder &b, const Tensor &zero,
                         const Tensor &scale) {
  if (countOf(*zero) == 1 && countOf(*scale) == 1)
    return success();
  if (zero->rank() != scale->rank())
    return b.fail("the zero point has shape " + b.sizes.str(zero->dims) +
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

/// x, its scales, and its zero points if there are any.
FailureOr<SmallVector<Operand>> withParameters(GraphBuilder &b, const Tensor &x,
                                               const Tensor &scale,
                                               const Tensor &zero,
                                               const QuantizeOptions &o) {
  TRY(Operand scales, parameter(b, scale, x, o.axis, o.block));
  SmallVector<Operand> operands = {whole(b, x), scales};
  if (zero) {
    if (failed(matchScale(b, zero, scale)))
      return failure();
    TRY(Operand zeros, parameter(b, zero, x, o.axis, o.block));
    operands.push_back(zeros);
  }
  return operands;
}

} // namespace

FailureOr<Tensor> quantize(GraphBuilder &b, const Tensor &x,
                           const Tensor &scale, const Tensor &zero,
                           const QuantizeOptions &o) {
  Element out = o.out;
  TRY(SmallVector<Operand> operands, withParameters(b, x, scale, zero, o));
  GenericOptions options;
  return generic(
      b, operands, x->dims, out,
      [&](Scalar &s, Values v) {
        Type type = v[1].getType();
        Value value = s.div(toFloat(s, v[0], x->element, type), v[1]);
        if (out.isFloat()) {
          s.saturate = o.saturate;
          return s.convert(value, out.type);
        }
        Value offset = zero ? toFloat(s, v[2], out, type) : s.like(value, 0);
        return quantized(s, value, offset, out);
      },
      options);
}

FailureOr<Tensor> dequantize(GraphBuilder &b, const Tensor &x,
                             const Tensor &scale, const Tensor &zero,
                             const QuantizeOptions &o) {
  TRY(SmallVector<Operand> operands, withParameters(b, x, scale, zero, o));
  return generic(b, operands, x->dims, o.out, [&](Scalar &s, Values v) {
    Type type = v[1].getType();
    Value value = toFloat(s, v[0], x->element, type);
    if (zero)
      value = s.sub(value, toFloat(s, v[2], zero->element, type));
    return s.mul(value, v[1]);
  });
}

FailureOr<Quantized> quantizeByRange(GraphBuilder &b, const Tensor &x) {
  Quantized result;
  SmallVector<int64_t> axes = axesFrom(0, x->rank());
  TypedAttr zero = zeroOf(b, x->element);
  TRY(Tensor low,
      reduce(b, x, axes, false, x->element, zero,
             [](Scalar &s, Values v) { return s.min(v[1], v[0]); }));
  TRY(Tensor high,
      reduce(b, x, axes, false, x->element, zero,
             [](Scalar &s, Values v) { return s.max(v[1], v[0]); }));
  TRY(result.scale,
      elementwise(b, {low, high}, x->element, [](Scalar &s, Values v) {
        Value range = s.div(s.sub(v[1], v[0]), s.like(v[0], 255));
        // Of zeros alone any scale will do.
        Value none = s.eq(range, s.like(range, 0));
        return s.select(none, s.like(range, 1), range);
      }));
  TRY(result.zero,
      elementwise(b, {low, result.scale}, u8(b), [&](Scalar &s, Values v) {
        return quantized(s, s.neg(s.div(v[0], v[1])), s.like(v[0], 0), u8(b));
      }));
  TRY(result.values,
      elementwise(
          b, {x, result.scale, result.zero}, u8(b), [&](Scalar &s, Values v) {
            return quantized(s, s.div(v[0], v[1]),
                             toFloat(s, v[2], u8(b), v[0].getType()), u8(b));
          }));
  return result;
}

FailureOr<Tensor> matmulByRange(GraphBuilder &b, const Tensor &x,
                                const Quantized &weights, const Tensor &bias) {
  TRY(Quantized q, quantizeByRange(b, x));
  TRY(Tensor product,
      matmulIntegers(b, q.values, q.zero, weights.values, weights.zero));
  return scaledProduct(b, product, q.scale, weights.scale, bias);
}

FailureOr<Tensor> matmulQuantized(GraphBuilder &b, const Quantized &x,
                                  const Quantized &y, const Tensor &scale,
                                  const Tensor &zero) {
  TRY(Tensor product, matmulIntegers(b, x.values, x.zero, y.values, y.zero));
  return requantize(b, product, perRow(b, x.scale, x.values), y.scale, scale,
                    zero);
}

FailureOr<Tensor> convolveQuantized(GraphBuilder &b, const Quantized &x,
                                    const Quantized &w, const Tensor &bias,
                                    int64_t group, const Window &window,
                                    const Tensor &scale, const Tensor &zero) {
  TRY(Tensor sum, convolveIntegers(b, x.values, x.zero, w.values, w.zero, bias,
                                   group, window));
  int64_t spatial = x.values->rank() - 2;
  return requantize(b, sum, channelRow(b, x.scale, 0),
                    channelRow(b, w.scale, spatial), channelRow(b, scale, 0),
                    channelRow(b, zero, 0));
}

} // namespace tilewright::build
