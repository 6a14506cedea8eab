#include "graph/build/Movement.h"

#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Generic.h"
#include "graph/build/KnownTensor.h"
#include "graph/build/TensorValues.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <numeric>

using namespace mlir;

namespace tilewright::build {

Tensor rearrange(GraphBuilder &b, const Tensor &tensor,
                 ArrayRef<int64_t> kept) {
  auto result = std::make_shared<TensorInfo>();
  result->element = tensor->element;
  result->content = tensor->content;
  result->constant = tensor->constant;
  for (int64_t old : kept)
    result->dims.push_back(old < 0 ? b.sizes.constant(1) : tensor->dims[old]);
  if (tensor->constant || !tensor->value)
    return result;
  for (unsigned axis : tensor->axes)
    if (auto at = llvm::find(kept, int64_t(axis)); at != kept.end())
      result->axes.push_back(at - kept.begin());
  if (result->axes.size() == tensor->axes.size()) {
    result->value = tensor->value;
    return result;
  }
  // A stored dimension of size 1 is dropped.
  result->value =
      reshapeValue(b, denseValue(b, tensor), result->dims, result->element);
  result->axes.resize(result->rank());
  std::iota(result->axes.begin(), result->axes.end(), 0);
  return result;
}

/// If two shapes differ in dimensions of size 1 only: the source of each
/// dimension of `to`.
static std::optional<SmallVector<int64_t>> unitReshape(ArrayRef<Expr> from,
                                                       ArrayRef<Expr> to) {
  SmallVector<int64_t> kept;
  size_t next = 0;
  auto skipUnits = [&] {
    while (next < from.size() && isConst(from[next], 1))
      ++next;
  };
  for (Expr dim : to) {
    if (isConst(dim, 1)) {
      bool direct = next < from.size() && isConst(from[next], 1);
      kept.push_back(direct ? int64_t(next++) : -1);
      continue;
    }
    skipUnits();
    if (next == from.size() || from[next] != dim)
      return std::nullopt;
    kept.push_back(next++);
  }
  skipUnits();
  if (next != from.size())
    return std::nullopt;
  return kept;
}

FailureOr<Tensor> reshape(GraphBuilder &b, const Tensor &tensor,
                          ArrayRef<Expr> dims) {
  if (ArrayRef<Expr>(tensor->dims) == dims)
    return tensor;
  Expr from = b.sizes.product(tensor->dims), to = b.sizes.product(dims);
  if (!compatible(from, to))
    return b.fail("cannot reshape " + b.sizes.str(tensor->dims) + " to " +
                  b.sizes.str(dims) + ": " + b.sizes.str(from) +
                  " elements and " + b.sizes.str(to));
  checkEqual(b, from, to,
             "reshape of " + b.sizes.str(tensor->dims) + " to " +
                 b.sizes.str(dims));
  TRY(Tensor result, wrap(b, nullptr, dims, tensor->element));
  if (tensor->constant) {
    result->constant = tensor->constant;
    result->content = tensor->content;
    return result;
  }
  if (tensor->content && !tensor->value) {
    result->content = tensor->content;
    return result;
  }
  if (auto kept = unitReshape(tensor->dims, dims)) {
    result = rearrange(b, tensor, *kept);
  } else {
    result->value =
        reshapeValue(b, denseValue(b, tensor), dims, tensor->element);
  }
  result->content = tensor->content;
  return result;
}

/// The same of a constant of bytes, which are moved at once: what is made of
/// weights of quantized models, such as their sums, is known then.
static Tensor transposedBytes(const Tensor &tensor, ArrayRef<int64_t> order,
                              ArrayRef<int64_t> shape) {
  auto result = std::make_shared<TensorInfo>();
  result->element = tensor->element;
  const SmallVector<int64_t> strides = computeStrides(shape);
  SmallVector<int64_t> sizes, steps;
  for (int64_t axis : order) {
    result->dims.push_back(tensor->dims[axis]);
    sizes.push_back(shape[axis]);
    steps.push_back(strides[axis]);
  }
  char *data;
  const int64_t count = computeProduct(shape);
  result->constant = ownedConstant(count, 1, data);
  result->constant->name = tensor->constant->name;
  const char *from = tensor->constant->at(0, 1);
  SmallVector<int64_t> at(sizes.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    data[i] = from[linearize(at, steps)];
    for (size_t dim = sizes.size(); dim-- > 0;) {
      if (++at[dim] < sizes[dim])
        break;
      at[dim] = 0;
    }
  }
  return result;
}

FailureOr<Tensor> transpose(GraphBuilder &b, const Tensor &tensor,
                            ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return tensor;
  if (auto shape = constantsOf(tensor->dims);
      shape && tensor->constant && !tensor->constant->splat &&
      tensor->element.isInteger() && tensor->element.bits() == 8)
    return transposedBytes(tensor, order, *shape);
  if (!tensor->value && !tensor->constant)
    denseValue(b, tensor);
  auto count = countOf(*tensor);
  if (tensor->constant &&
      (tensor->constant->splat || (count && *count <= 1024))) {
    Operand operand{tensor, Dims(tensor->rank())};
    SmallVector<Expr> dims;
    for (auto [i, axis] : llvm::enumerate(order)) {
      operand.at[axis] = b.loop(i);
      dims.push_back(tensor->dims[axis]);
    }
    if (tensor->constant->splat)
      return splat(b, scalarAttr(*tensor, 0), dims, tensor->element);
    return gather(b, {operand}, dims, tensor->element,
                  [](Scalar &, ArrayRef<Value> v) { return v[0]; });
  }
  auto result = std::make_shared<TensorInfo>();
  result->element = tensor->element;
  for (int64_t axis : order)
    result->dims.push_back(tensor->dims[axis]);
  Storage stored = storageOf(b, tensor, /*absorbTranspose=*/true);
  result->value = stored.value;
  for (unsigned axis : stored.axes)
    result->axes.push_back(llvm::find(order, int64_t(axis)) - order.begin());
  return result;
}

FailureOr<Tensor> pad(GraphBuilder &b, const Tensor &tensor, ArrayRef<Expr> low,
                      ArrayRef<Expr> high, TypedAttr value) {
  auto isZero = [](Expr e) { return isConst(e, 0); };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return tensor;
  Dims dims;
  SmallVector<OpFoldResult> lowSizes, highSizes;
  for (int64_t i = 0; i < tensor->rank(); ++i) {
    dims.push_back(b.sizes.add(tensor->dims[i], b.sizes.add(low[i], high[i])));
    lowSizes.push_back(indexOrConstant(b, low[i]));
    highSizes.push_back(indexOrConstant(b, high[i]));
  }
  TRY(Tensor result, wrap(b, nullptr, dims, tensor->element));
  Value source = denseValue(b, tensor);
  Value constant = arith::ConstantOp::create(b.builder, b.loc, value);
  auto op =
      tensor::PadOp::create(b.builder, b.loc, typeOf(dims, tensor->element),
                            source, lowSizes, highSizes, constant);
  result->value = op.getResult();
  return folded(b, result, {tensor});
}

FailureOr<Tensor> slice(GraphBuilder &b, const Tensor &tensor,
                        ArrayRef<Expr> offsets, ArrayRef<Expr> wanted,
                        ArrayRef<int64_t> steps) {
  Dims lengths(wanted);
  // What begins at the end is empty.
  for (auto [size, offset, length] : llvm::zip(tensor->dims, offsets, lengths))
    if (constantOf(size) && constantOf(offset) &&
        *constantOf(offset) >= *constantOf(size)) {
      checkEqual(b, length, b.zero(), "a slice begins behind the tensor");
      length = b.zero();
    }
  bool whole = tensor->dims == lengths &&
               llvm::all_of(steps, [](int64_t step) { return step == 1; });
  if (whole)
    return tensor;
  TRY(Tensor result, wrap(b, nullptr, lengths, tensor->element));
  if (tensor->constant && tensor->constant->splat && constantsOf(lengths))
    return splat(b, scalarAttr(*tensor, 0), lengths, tensor->element);
  if (llvm::any_of(lengths, [](Expr e) { return isConst(e, 0); })) {
    // Nothing is read; the offset may be the end.
    result->value = emptyValue(b, lengths, tensor->element.type);
    return result;
  }
  Value source = denseValue(b, tensor);
  SmallVector<OpFoldResult> offsetSizes, lengthSizes, stepSizes;
  for (int64_t i = 0; i < tensor->rank(); ++i) {
    offsetSizes.push_back(indexOrConstant(b, offsets[i]));
    lengthSizes.push_back(indexOrConstant(b, lengths[i]));
    stepSizes.push_back(b.builder.getIndexAttr(steps[i]));
  }
  result->value =
      tensor::ExtractSliceOp::create(b.builder, b.loc, source, offsetSizes,
                                     lengthSizes, stepSizes)
          .getResult();
  return folded(b, result, {tensor});
}

FailureOr<Tensor> concat(GraphBuilder &b, ArrayRef<Tensor> tensors,
                         int64_t axis) {
  Dims dims = tensors[0]->dims;
  if (axis >= tensors[0]->rank())
    return b.fail("an input has shape " + b.sizes.str(dims) +
                  ", expected more than " + Twine(axis) + " dimensions");
  dims[axis] = b.zero();
  for (const Tensor &tensor : tensors) {
    if (tensor->rank() != int64_t(dims.size()) ||
        tensor->element != tensors[0]->element)
      return b.fail("inputs differ in rank or element type");
    for (auto [i, size] : llvm::enumerate(tensor->dims)) {
      if (int64_t(i) == axis) {
        dims[i] = b.sizes.add(dims[i], size);
        continue;
      }
      if (!compatible(dims[i], size))
        return b.fail("inputs have shapes " + b.sizes.str(tensors[0]->dims) +
                      " and " + b.sizes.str(tensor->dims) +
                      ", which differ in another dimension than " +
                      Twine(axis));
      checkEqual(b, dims[i], size, "inputs of a concatenation");
      if (constantOf(size))
        dims[i] = size;
    }
  }
  SmallVector<Tensor> parts;
  for (const Tensor &tensor : tensors)
    if (!isConst(tensor->dims[axis], 0))
      parts.push_back(tensor);
  if (parts.size() == 1)
    return parts[0];
  if (parts.empty())
    return tensors[0];
  TRY(Tensor result, wrap(b, nullptr, dims, tensors[0]->element));
  SmallVector<Value> values;
  for (const Tensor &tensor : parts)
    values.push_back(denseValue(b, tensor));
  result->value = tensor::ConcatOp::create(
      b.builder, b.loc, typeOf(dims, tensors[0]->element), axis, values);
  return folded(b, result, parts);
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

/// Concatenates known integers; null if some are not known.
static Tensor concatKnown(GraphBuilder &b, ArrayRef<Tensor> tensors) {
  SmallVector<Expr> values;
  for (const Tensor &tensor : tensors) {
    if (!tensor->content || tensor->rank() != 1 ||
        tensor->element != tensors[0]->element)
      return nullptr;
    values.append(tensor->content->begin(), tensor->content->end());
  }
  if (values.size() > 1024)
    return nullptr;
  return integerTensor(b, values, {b.sizes.constant(values.size())},
                       tensors[0]->element);
}

FailureOr<Tensor> join(GraphBuilder &b, ArrayRef<Tensor> tensors,
                       int64_t axis) {
  if (Tensor known = concatKnown(b, tensors))
    return known;
  return concat(b, tensors, axis);
}

FailureOr<Tensor> stack(GraphBuilder &b, ArrayRef<Tensor> tensors,
                        int64_t axis) {
  SmallVector<Tensor> parts;
  for (const Tensor &tensor : tensors) {
    if (axis < 0 || axis > tensor->rank())
      return b.fail("a new axis " + Twine(axis) +
                    " does not fit elements of shape " +
                    b.sizes.str(tensor->dims));
    SmallVector<int64_t> kept = axesFrom(0, tensor->rank());
    kept.insert(kept.begin() + axis, -1);
    parts.push_back(rearrange(b, tensor, kept));
  }
  return join(b, parts, axis);
}

} // namespace tilewright::build
