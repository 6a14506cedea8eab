// Quantized operators of ONNX Runtime (com.microsoft), as its quantization
// writes them. A quantity is (number - zero point) * scale.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Activation.h"
#include "graph/build/Attention.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/IntegerProduct.h"
#include "graph/build/MatMul.h"
#include "graph/build/Movement.h"
#include "graph/build/Pool.h"
#include "graph/build/Quant.h"
#include "graph/build/Reduction.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

/// Operands i, i + 1 and i + 2: numbers, scale and zero point; the last may be
/// absent. Scale and zero point are one number each.
FailureOr<Quantized> readQuantized(Node &node, int64_t i) {
  Quantized q;
  TRY(q.values, node.input(i));
  TRY(q.scale, node.input(i + 1));
  TRY(q.zero, node.optionalInput(i + 2));
  if (!q.values->element.isInteger() || q.values->element.bits() != 8)
    return node.fail("input " + Twine(i) + " has type " +
                     dtypeName(q.values->element) + ", expected i8 or u8");
  for (const Tensor &parameter : {q.scale, q.zero})
    if (parameter && countOf(*parameter) != 1)
      return node.fail("a scale or zero point has shape " +
                       node.b.sizes.str(parameter->dims) +
                       ", expected one number");
  return q;
}

FailureOr<Tensor> toFloats(GraphBuilder &b, const Quantized &q) {
  QuantizeOptions options;
  options.out = f32(b);
  return dequantize(b, q.values, q.scale, q.zero, options);
}

/// Floats as numbers of the scale and zero point in operands i and i + 1; the
/// zero point may be absent.
FailureOr<Tensor> toNumbers(Node &node, const Tensor &x, int64_t i,
                            Element otherwise) {
  TRY(Tensor scale, node.input(i));
  TRY(Tensor zero, node.optionalInput(i + 1));
  QuantizeOptions options;
  options.out = zero ? zero->element : otherwise;
  return quantize(node.b, x, scale, zero, options);
}

/// Computes one operand of three inputs in floats.
template <typename Function>
LogicalResult inFloats(Node &node, Function function) {
  TRY(Quantized q, readQuantized(node, 0));
  TRY(Tensor x, toFloats(node.b, q));
  TRY(Tensor y, function(x));
  return node.done(toNumbers(node, y, 3, q.values->element));
}

template <Arithmetic op> LogicalResult importQLinearBinary(Node &node) {
  TRY(Quantized left, readQuantized(node, 0));
  TRY(Quantized right, readQuantized(node, 3));
  TRY(Tensor x, toFloats(node.b, left));
  TRY(Tensor y, toFloats(node.b, right));
  TRY(Tensor result, arithmetic(node.b, op, x, y));
  return node.done(toNumbers(node, result, 6, left.values->element));
}

LogicalResult importQLinearConcat(Node &node) {
  TRY(Tensor zero, node.input(1));
  if (node.numInputs() < 5 || node.numInputs() % 3 != 2)
    return node.fail("found " + Twine(node.numInputs()) +
                     " inputs, expected a scale, a zero point, and three of "
                     "each tensor");
  SmallVector<Tensor> parts;
  for (int64_t i = 2; i < node.numInputs(); i += 3) {
    TRY(Quantized q, readQuantized(node, i));
    TRY(Tensor floats, toFloats(node.b, q));
    TRY(Tensor part, toNumbers(node, floats, 0, zero->element));
    parts.push_back(part);
  }
  TRY(int64_t axis, axisAttribute(node, 0, parts[0]->rank()));
  return node.done(concat(node.b, parts, axis));
}

LogicalResult importQLinearSigmoid(Node &node) {
  return inFloats(
      node, [&](const Tensor &x) { return activate(node.b, x, sigmoid); });
}

LogicalResult importQLinearLeakyRelu(Node &node) {
  TRY(double alpha, node.attributes.number("alpha", 0.01f));
  return inFloats(node, [&](const Tensor &x) {
    return activate(node.b, x, leakyRelu, alpha);
  });
}

/// Before opset 13, which an attribute says, softmax runs over all dimensions
/// from the axis on.
LogicalResult importQLinearSoftmax(Node &node) {
  TRY(int64_t opset, node.attributes.integer("opset", 13));
  return inFloats(node, [&](const Tensor &x) -> FailureOr<Tensor> {
    TRY(int64_t axis, axisAttribute(node, opset < 13 ? 1 : -1, x->rank()));
    return opset < 13 ? softmaxFrom(node.b, x, axis, /*logarithm=*/false)
                      : softmax(node.b, x, axis, /*logarithm=*/false);
  });
}

/// Applies a pooling of [N, C, ...] to a tensor whose channels may be last.
template <typename Function>
LogicalResult poolQuantized(Node &node, Function function) {
  TRY(bool channelsLast, node.attributes.flag("channels_last", false));
  return inFloats(node, [&](Tensor x) -> FailureOr<Tensor> {
    const int64_t rank = x->rank();
    if (!channelsLast || rank < 3)
      return function(x);
    SmallVector<int64_t> first = {0, rank - 1}, last = {0};
    for (int64_t d = 1; d < rank - 1; ++d) {
      first.push_back(d);
      last.push_back(d + 1);
    }
    last.push_back(1);
    TRY(x, transpose(node.b, x, first));
    TRY(Tensor y, function(x));
    return transpose(node.b, y, last);
  });
}

LogicalResult importQLinearAveragePool(Node &node) {
  TRY(SmallVector<int64_t> kernel, node.attributes.integers("kernel_shape"));
  TRY(bool countsPadding, node.attributes.flag("count_include_pad", false));
  return poolQuantized(node, [&](const Tensor &x) -> FailureOr<Tensor> {
    TRY(Window w, readWindow(node, x, exprsOf(node.b.sizes, kernel)));
    return averagePool(node.b, x, w, countsPadding);
  });
}

LogicalResult importQLinearGlobalAveragePool(Node &node) {
  return poolQuantized(
      node, [&](const Tensor &x) { return globalAveragePool(node.b, x); });
}

/// One number without dimensions.
FailureOr<Tensor> oneNumber(Node &node, const Tensor &x, StringRef what) {
  if (!x)
    return x;
  if (countOf(*x) != 1)
    return node.fail(what + " has shape " + node.b.sizes.str(x->dims) +
                     ", expected one number");
  return rearrange(node.b, x, {});
}

LogicalResult importMatMulIntegerToFloat(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor y, node.input(1));
  TRY(Tensor xScale, node.input(2));
  TRY(Tensor yScale, node.input(3));
  TRY(Tensor xZero, node.optionalInput(4));
  TRY(Tensor yZero, node.optionalInput(5));
  TRY(Tensor bias, node.optionalInput(6));
  TRY(xZero, oneNumber(node, xZero, "the zero point of A"));
  TRY(Tensor product, matmulIntegers(node.b, x, xZero, y, yZero));
  return node.done(scaledProduct(node.b, product, xScale, yScale, bias));
}

LogicalResult importDynamicQuantizeMatMul(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor y, node.input(1));
  TRY(Tensor yScale, node.input(2));
  TRY(Tensor yZero, node.optionalInput(3));
  TRY(Tensor bias, node.optionalInput(4));
  if (!x->element.type.isF32())
    return node.fail("operand A has type " + dtypeName(x->element) +
                     ", expected f32");
  return node.done(matmulByRange(node.b, x, {y, yScale, yZero}, bias));
}

/// A third of the last dimension of x[B, S, 3 * H].
FailureOr<Tensor> third(GraphBuilder &b, const Tensor &x, int64_t which,
                        int64_t size) {
  return slice(b, x, {b.zero(), b.zero(), b.sizes.constant(which * size)},
               {x->dims[0], x->dims[1], b.sizes.constant(size)}, {1, 1, 1});
}

/// The queries, keys and values of QAttention.
LogicalResult projectQuantized(Node &node, AttentionOperands &operands) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor weights, node.input(1));
  TRY(Tensor bias, node.input(2));
  TRY(Tensor xScale, node.input(3));
  TRY(Tensor wScale, node.input(4));
  TRY(Tensor xZero, node.optionalInput(6));
  TRY(Tensor wZero, node.optionalInput(7));
  TRY(xZero, oneNumber(node, xZero, "the zero point of the input"));
  auto columns =
      weights->rank() == 2 ? constantOf(weights->dims[1]) : std::nullopt;
  if (x->rank() != 3 || !columns || *columns % 3 != 0)
    return node.fail("operands have shapes " + b.sizes.str(x->dims) + " and " +
                     b.sizes.str(weights->dims));
  TRY(Tensor product, matmulIntegers(b, x, xZero, weights, wZero));
  TRY(Tensor all, scaledProduct(b, product, xScale, wScale, bias));
  TRY(operands.queries, third(b, all, 0, *columns / 3));
  TRY(operands.keys, third(b, all, 1, *columns / 3));
  TRY(operands.values, third(b, all, 2, *columns / 3));
  return success();
}

/// Lengths [B], or which keys are seen, [B, keys].
LogicalResult readKeyMask(Node &node, AttentionOperands &operands) {
  GraphBuilder &b = node.b;
  TRY(Tensor mask, node.optionalInput(5));
  if (!mask)
    return success();
  if (mask->rank() == 1) {
    operands.lengths = mask;
    return LogicalResult(
        withDims(b, mask, {operands.queries->dims[0]}, "mask_index"));
  }
  if (mask->rank() != 2)
    return node.fail("mask_index has shape " + b.sizes.str(mask->dims) +
                     ", expected one or two dimensions");
  TRY(operands.mask, convert(b, mask, boolean(b)));
  operands.mask = rearrange(b, operands.mask, {0, -1, -1, 1});
  return success();
}

LogicalResult importQAttention(Node &node) {
  GraphBuilder &b = node.b;
  AttentionOperands operands;
  AttentionOptions options;
  if (failed(projectQuantized(node, operands)) ||
      failed(readKeyMask(node, operands)))
    return failure();
  TRY(options.heads, node.attributes.integer("num_heads", 0));
  options.kvHeads = options.heads;
  TRY(options.causal, node.attributes.flag("unidirectional", false));
  TRY(bool rotates, node.attributes.flag("do_rotary", false));
  TRY(double scale, node.attributes.number("scale", 0));
  if (scale != 0)
    options.scale = scale;
  if (rotates || node.hasInput(8) || node.hasOutput(1))
    return node.fail("past states and do_rotary are not supported");
  TRY(Attention result, attention(b, operands, options));
  return node.set(0, result.values);
}

LogicalResult importQGemm(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(Tensor xScale, node.input(1));
  TRY(Tensor xZero, node.input(2));
  TRY(Tensor y, node.input(3));
  TRY(Tensor yScale, node.input(4));
  TRY(Tensor yZero, node.input(5));
  TRY(Tensor c, node.optionalInput(6));
  TRY(double alpha, node.attributes.number("alpha", 1));
  TRY(bool transposesX, node.attributes.flag("transA", false));
  TRY(bool transposesY, node.attributes.flag("transB", false));
  if (x->rank() != 2 || y->rank() != 2)
    return node.fail("operands have shapes " + b.sizes.str(x->dims) + " and " +
                     b.sizes.str(y->dims) + ", expected matrices");
  if (transposesX) {
    TRY(x, swapLast(b, x));
  }
  if (transposesY) {
    TRY(y, swapLast(b, y));
  }
  TRY(xScale, oneNumber(node, xScale, "the scale of A"));
  TRY(xZero, oneNumber(node, xZero, "the zero point of A"));
  TRY(Tensor product, matmulIntegers(b, x, xZero, y, yZero));
  if (c) {
    TRY(product, arithmetic(b, Arithmetic::Add, product, c));
  }
  if (alpha != 1) {
    Tensor factor = scalarConstant(b, f32(b), alpha);
    TRY(xScale, arithmetic(b, Arithmetic::Multiply, xScale, factor));
  }
  TRY(Tensor result, scaledProduct(b, product, xScale, yScale, nullptr));
  if (!node.hasInput(7))
    return node.set(0, result);
  return node.done(toNumbers(node, result, 7, x->element));
}

/// The numbers of `bits` that bytes [..., n] hold, the lowest first: u8
/// [..., n * 8 / bits].
FailureOr<Tensor> unpacked(GraphBuilder &b, const Tensor &x, int64_t bits) {
  if (bits == 8)
    return x;
  const int64_t rank = x->rank(), parts = 8 / bits;
  SmallVector<Expr> loops(x->dims), dims(x->dims);
  Operand bytes{x, {}};
  for (int64_t d = 0; d < rank; ++d)
    bytes.at.push_back(isConst(x->dims[d], 1) ? b.zero() : b.loop(d));
  loops.push_back(b.sizes.constant(parts));
  dims.back() = b.sizes.mul(dims.back(), parts);
  TRY(Tensor split,
      generic(b, {bytes}, loops, x->element, [&](Scalar &s, Values v) {
        Type type = s.builder.getI32Type();
        Value at =
            s.mul(s.fromIndex(s.loop(rank), type), s.integer(type, bits));
        Value wide = s.make<arith::ExtUIOp>(type, v[0]);
        Value part =
            s.make<arith::AndIOp>(s.make<arith::ShRUIOp>(wide, at),
                                  s.integer(type, (int64_t(1) << bits) - 1));
        return s.make<arith::TruncIOp>(v[0].getType(), part);
      }));
  return reshape(b, split, dims);
}

struct BitBlocks {
  int64_t k = 0, n = 0, bits = 4, size = 32, count = 0;
};

FailureOr<BitBlocks> readBlocks(Node &node) {
  BitBlocks blocks;
  TRY(blocks.k, node.attributes.integer("K", 0));
  TRY(blocks.n, node.attributes.integer("N", 0));
  TRY(blocks.bits, node.attributes.integer("bits", 4));
  TRY(blocks.size, node.attributes.integer("block_size", 0));
  const int64_t limit = int64_t(1) << 30;
  if (blocks.k < 1 || blocks.n < 1 || blocks.size < 8 || blocks.k > limit ||
      blocks.n > limit || blocks.size > limit || blocks.size % 8 != 0)
    return node.fail("K, N and block_size are " + Twine(blocks.k) + ", " +
                     Twine(blocks.n) + " and " + Twine(blocks.size));
  if (blocks.bits != 2 && blocks.bits != 4 && blocks.bits != 8)
    return node.fail("bits is " + Twine(blocks.bits) + ", expected 2, 4 or 8");
  blocks.count = (blocks.k + blocks.size - 1) / blocks.size;
  return blocks;
}

/// The zero point of each block, [N, blocks, 1], as floats; null if absent.
FailureOr<Tensor> readBlockZeros(Node &node, const BitBlocks &blocks,
                                 Element element) {
  GraphBuilder &b = node.b;
  TRY(Tensor zero, node.optionalInput(3));
  if (!zero)
    return scalarConstant(b, element, double(int64_t(1) << (blocks.bits - 1)));
  SmallVector<Expr> dims = exprsOf(b.sizes, {blocks.n, blocks.count, 1});
  if (zero->element.isFloat())
    return reshape(b, zero, dims);
  const int64_t bytes = (blocks.count * blocks.bits + 7) / 8;
  TRY(zero, reshape(b, zero, exprsOf(b.sizes, {blocks.n, bytes})));
  TRY(zero, unpacked(b, zero, blocks.bits));
  TRY(zero, slice(b, zero, {b.zero(), b.zero()},
                  exprsOf(b.sizes, {blocks.n, blocks.count}), {1, 1}));
  TRY(zero, convert(b, zero, element));
  return reshape(b, zero, dims);
}

/// The weights [N, K] of MatMulNBits as floats.
FailureOr<Tensor> blockWeights(Node &node, const BitBlocks &blocks,
                               Element element) {
  GraphBuilder &b = node.b;
  TRY(Tensor packed, node.input(1));
  TRY(Tensor scales, node.input(2));
  if (!packed->element.isUnsigned || packed->element.bits() != 8)
    return node.fail("weights have type " + dtypeName(packed->element) +
                     ", expected u8");
  TRY(packed, reshape(b, packed,
                      exprsOf(b.sizes, {blocks.n, blocks.count,
                                        blocks.size * blocks.bits / 8})));
  TRY(scales,
      reshape(b, scales, exprsOf(b.sizes, {blocks.n, blocks.count, 1})));
  TRY(Tensor zeros, readBlockZeros(node, blocks, element));
  TRY(Tensor numbers, unpacked(b, packed, blocks.bits));
  TRY(Tensor floats, convert(b, numbers, element));
  TRY(floats, arithmetic(b, Arithmetic::Subtract, floats, zeros));
  TRY(floats, arithmetic(b, Arithmetic::Multiply, floats, scales));
  TRY(floats,
      reshape(b, floats,
              exprsOf(b.sizes, {blocks.n, blocks.count * blocks.size})));
  return slice(b, floats, {b.zero(), b.zero()},
               exprsOf(b.sizes, {blocks.n, blocks.k}), {1, 1});
}

LogicalResult importMatMulNBits(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(BitBlocks blocks, readBlocks(node));
  TRY(bool isPacked, node.attributes.flag("weight_prepacked", false));
  if (isPacked || node.hasInput(4))
    return node.fail("prepacked weights and group indices are not supported");
  if (!x->element.isFloat())
    return node.fail("operand A has type " + dtypeName(x->element) +
                     ", expected floats");
  TRY(Tensor weights, blockWeights(node, blocks, x->element));
  TRY(weights, swapLast(b, weights));
  TRY(Tensor product, matmul(b, x, weights, x->element));
  TRY(Tensor bias, node.optionalInput(5));
  if (bias) {
    TRY(product, arithmetic(b, Arithmetic::Add, product, bias));
  }
  return node.set(0, product);
}

} // namespace

void addMicrosoftQuantOps(OpTable &t) {
  auto add = [&](StringRef name, Handler handler, StringRef limits = "") {
    t.add(name, 1, handler, limits, "com.microsoft");
  };
  add("QLinearAdd", importQLinearBinary<Arithmetic::Add>);
  add("QLinearMul", importQLinearBinary<Arithmetic::Multiply>);
  add("QLinearConcat", importQLinearConcat);
  add("QLinearSigmoid", importQLinearSigmoid);
  add("QLinearLeakyRelu", importQLinearLeakyRelu);
  add("QLinearSoftmax", importQLinearSoftmax);
  add("QLinearAveragePool", importQLinearAveragePool);
  add("QLinearGlobalAveragePool", importQLinearGlobalAveragePool);
  add("MatMulIntegerToFloat", importMatMulIntegerToFloat);
  add("DynamicQuantizeMatMul", importDynamicQuantizeMatMul);
  add("QGemm", importQGemm);
  add("QAttention", importQAttention,
      "no past, no rotation; masks [B] or [B, keys]");
  add("MatMulNBits", importMatMulNBits,
      "2, 4 or 8 bits; no group indices; computed in the type of A");
}

} // namespace tilewright::onnx
