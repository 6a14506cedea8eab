#include "frontends/onnx/OpsCommon.h"

#include "frontends/onnx/Broadcast.h"
#include "frontends/onnx/Checks.h"
#include "frontends/onnx/Constants.h"
#include "frontends/onnx/Generic.h"
#include "frontends/onnx/Movement.h"
#include "frontends/onnx/Readers.h"
#include "frontends/onnx/Reduction.h"

#include <cmath>

using namespace mlir;

namespace tilewright::onnx {

FailureOr<std::pair<Tensor, Tensor>> binaryOperands(Node &node,
                                                    bool mixedTypes) {
  TRY(Tensor a, node.input(0));
  TRY(Tensor b, node.input(1));
  if (!mixedTypes && a->element != b->element)
    return node.fail("operands have types " + dtypeName(a->element) + " and " +
                     dtypeName(b->element));
  if (node.opset < 7 && node.attributes.has("axis")) {
    TRY(int64_t axis, axisAttribute(node, 0, a->rank()));
    SmallVector<int64_t> kept;
    for (int64_t i = 0; i < b->rank(); ++i)
      kept.push_back(i);
    while (axis + int64_t(kept.size()) < a->rank())
      kept.push_back(-1);
    b = rearrange(node.b, b, kept);
  }
  return std::make_pair(a, b);
}

std::optional<SmallVector<Expr>> knownIntegers(Sizes &sizes,
                                               const TensorInfo &tensor) {
  if (tensor.content) {
    // Sizes are signed: great unsigned numbers are none.
    if (tensor.element.isUnsigned && tensor.element.bits() == 64 &&
        llvm::any_of(*tensor.content, [](Expr value) {
          return constantOf(value).value_or(0) < 0;
        }))
      return std::nullopt;
    return SmallVector<Expr>(*tensor.content);
  }
  if (!tensor.constant || !tensor.element.isFloat())
    return std::nullopt;
  auto count = countOf(tensor);
  if (!count || *count > 64)
    return std::nullopt;
  SmallVector<Expr> values;
  for (int64_t i = 0; i < *count; ++i) {
    double value = floatAt(tensor, i);
    if (value != std::floor(value) || std::abs(value) > 1e9)
      return std::nullopt;
    values.push_back(sizes.constant(int64_t(value)));
  }
  return values;
}

SmallVector<int64_t> broadcastPositions(ArrayRef<int64_t> from,
                                        ArrayRef<int64_t> to) {
  SmallVector<int64_t> positions;
  int64_t count = 1;
  for (int64_t size : to)
    count *= size;
  int64_t offset = to.size() - from.size();
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = 0, stride = 1, rest = i;
    for (int64_t d = to.size() - 1; d >= 0; --d) {
      int64_t at = rest % to[d];
      rest /= to[d];
      if (d < offset)
        continue;
      if (from[d - offset] != 1)
        position += at * stride;
      stride *= from[d - offset];
    }
    positions.push_back(position);
  }
  return positions;
}

FailureOr<Tensor> foldBinary(Node &node, const Tensor &a, const Tensor &b,
                             Element out, ExactFn exact) {
  if (a->constant && b->constant)
    return Tensor();
  Sizes &sizes = node.b.sizes;
  auto left = knownIntegers(sizes, *a), right = knownIntegers(sizes, *b);
  auto leftShape = constantsOf(a->dims), rightShape = constantsOf(b->dims);
  if (!left || !right || !leftShape || !rightShape)
    return Tensor();
  TRY(Dims dims, broadcastDims(node.b, ArrayRef<Tensor>{a, b}));
  auto shape = constantsOf(dims);
  int64_t count = 1;
  for (int64_t size : *shape)
    if (__builtin_mul_overflow(count, size, &count) || count > 1024)
      return Tensor();
  auto leftAt = broadcastPositions(*leftShape, *shape);
  auto rightAt = broadcastPositions(*rightShape, *shape);
  SmallVector<Expr> values;
  for (auto [i, j] : llvm::zip(leftAt, rightAt)) {
    auto value = exact(sizes, (*left)[i], (*right)[j]);
    if (!value)
      return Tensor();
    values.push_back(*value);
  }
  return integerTensor(node.b, values, dims, out);
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

LogicalResult expectLengths(Node &node, const Tensor &lengths, Expr size,
                            StringRef what) {
  if (!lengths->content)
    return success();
  GraphBuilder &b = node.b;
  for (Expr length : *lengths->content) {
    auto constant = constantOf(length), most = constantOf(size);
    if (constant && (*constant < 0 || (most && *constant > *most)))
      return node.fail(what + " has the length " + Twine(*constant) +
                       ", expected 0 to " + b.sizes.str(size) +
                       ", the size of the sequence");
    checkAtMost(b, length, size, what + " has a length beyond its sequence");
  }
  return success();
}

FailureOr<Tensor> swapLast(GraphBuilder &b, const Tensor &x) {
  if (x->rank() < 2)
    return b.fail("an operand has shape " + b.sizes.str(x->dims) +
                  ", expected at least two dimensions");
  SmallVector<int64_t> order(x->rank());
  for (int64_t i = 0; i < x->rank(); ++i)
    order[i] = i;
  std::swap(order[x->rank() - 1], order[x->rank() - 2]);
  return transpose(b, x, order);
}

FailureOr<Tensor> addBias(GraphBuilder &b, const Tensor &x,
                          const Tensor &bias) {
  if (x->rank() < 2 || bias->rank() != 1)
    return b.fail("the bias has shape " + b.sizes.str(bias->dims) +
                  ", expected [" + b.sizes.str(x->dims[1]) + "]");
  SmallVector<int64_t> kept(x->rank() - 1, -1);
  kept[0] = 0;
  TRY(Tensor row, withDims(b, bias, {x->dims[1]}, "a bias"));
  return elementwiseOver(
      b, x->dims, {x, rearrange(b, row, kept)}, x->element,
      [](Scalar &s, ArrayRef<Value> v) { return s.add(v[0], v[1]); });
}

Value boundedIndex(GraphBuilder &b, Scalar &s, Value index, Expr size,
                   bool wrapNegative) {
  Scalar signedScalar(s.builder, s.loc, /*isUnsigned=*/false);
  Value limit = constantOf(size) ? s.index(*constantOf(size)) : b.index(size);
  Value zero = s.index(0), at = index;
  if (wrapNegative)
    at = s.select(signedScalar.lt(at, zero), s.add(at, limit), at);
  return signedScalar.clamp(at, zero, s.sub(limit, s.index(1)));
}

Tensor shapeTensor(GraphBuilder &b, ArrayRef<Expr> dims) {
  Expr rank = b.sizes.constant(dims.size());
  return integerTensor(b, dims, {rank}, i64(b));
}

FailureOr<Tensor> iota(GraphBuilder &b, Expr count, Element element) {
  auto constant = constantOf(count);
  if (constant && *constant <= 1024) {
    SmallVector<Expr> values;
    for (int64_t i = 0; i < *constant; ++i)
      values.push_back(b.sizes.constant(i));
    return integerTensor(b, values, {count}, element);
  }
  return gather(b, {}, {count}, element, [&](Scalar &s, ArrayRef<Value>) {
    return s.fromIndex(s.loop(0), element.type);
  });
}

} // namespace tilewright::onnx
