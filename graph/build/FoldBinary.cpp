#include "graph/build/FoldBinary.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {

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

FailureOr<Tensor> foldBinary(GraphBuilder &b, const Tensor &x, const Tensor &y,
                             Element out, ExactFn exact) {
  if (x->constant && y->constant)
    return Tensor();
  Sizes &sizes = b.sizes;
  auto left = knownIntegers(sizes, *x), right = knownIntegers(sizes, *y);
  auto leftShape = constantsOf(x->dims), rightShape = constantsOf(y->dims);
  if (!left || !right || !leftShape || !rightShape)
    return Tensor();
  TRY(Dims dims, broadcastDims(b, ArrayRef<Tensor>{x, y}));
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
  return integerTensor(b, values, dims, out);
}

} // namespace tilewright::build
