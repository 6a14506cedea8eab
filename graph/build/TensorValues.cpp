#include "graph/build/TensorValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

using namespace mlir;

namespace tilewright::build {

OpFoldResult indexOrConstant(GraphBuilder &b, Expr size) {
  if (auto constant = constantOf(size))
    return b.builder.getIndexAttr(*constant);
  return b.index(size);
}

RankedTensorType typeOf(ArrayRef<Expr> dims, Element element) {
  SmallVector<int64_t> shape;
  for (Expr dim : dims)
    shape.push_back(constantOf(dim).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element.type);
}

FailureOr<Tensor> wrap(GraphBuilder &b, Value value, ArrayRef<Expr> dims,
                       Element element) {
  int64_t bytes = element.bytes();
  for (Expr dim : dims) {
    int64_t size = constantOf(dim).value_or(1);
    if (size < 0)
      return b.fail("result has shape " + b.sizes.str(dims) +
                    ", a size is negative");
    if (__builtin_mul_overflow(bytes, size, &bytes) || bytes > maximumBytes)
      return b.fail("result of shape " + b.sizes.str(dims) + " is too large");
  }
  if (!b.sizes.fault().empty())
    return b.fail(b.sizes.fault());
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = element;
  tensor->dims.assign(dims.begin(), dims.end());
  tensor->value = value;
  tensor->axes.resize(dims.size());
  std::iota(tensor->axes.begin(), tensor->axes.end(), 0);
  return tensor;
}

Value emptyValue(GraphBuilder &b, ArrayRef<Expr> dims, Type element) {
  SmallVector<OpFoldResult> shape;
  for (Expr dim : dims)
    shape.push_back(indexOrConstant(b, dim));
  return tensor::EmptyOp::create(b.builder, b.loc, shape, element);
}

Value reshapeValue(GraphBuilder &b, Value value, ArrayRef<Expr> dims,
                   Element element) {
  SmallVector<Value> shape;
  for (Expr dim : dims)
    shape.push_back(b.index(dim));
  auto shapeType =
      RankedTensorType::get({int64_t(dims.size())}, b.builder.getIndexType());
  Value shapeValue =
      tensor::FromElementsOp::create(b.builder, b.loc, shapeType, shape);
  return tensor::ReshapeOp::create(b.builder, b.loc, typeOf(dims, element),
                                   value, shapeValue);
}

static Value constantValue(GraphBuilder &b, const TensorInfo &tensor,
                           RankedTensorType type) {
  return arith::ConstantOp::create(b.builder, b.loc,
                                   elementsAttr(tensor, type));
}

/// A tensor of known but not constant integers: a chain of selects.
static Value materializeContent(GraphBuilder &b, const TensorInfo &tensor) {
  auto type = typeOf(tensor.dims, tensor.element);
  Value init = emptyValue(b, tensor.dims, tensor.element.type);
  AffineMap map = b.builder.getMultiDimIdentityMap(tensor.rank());
  SmallVector<utils::IteratorType> iterators(tensor.rank(),
                                             utils::IteratorType::parallel);
  SmallVector<Value> elements;
  for (Expr value : *tensor.content)
    elements.push_back(b.index(value));
  auto generic = linalg::GenericOp::create(
      b.builder, b.loc, TypeRange{type}, ValueRange{}, ValueRange{init},
      ArrayRef<AffineMap>{map}, iterators,
      [&](OpBuilder &body, Location where, ValueRange) {
        Scalar s(body, where);
        Value position = s.index(0);
        for (int64_t i = 0; i < tensor.rank(); ++i) {
          Value at = linalg::IndexOp::create(body, where, i);
          Value size = s.index(*constantOf(tensor.dims[i]));
          position = s.add(s.mul(position, size), at);
        }
        Value result = elements.empty() ? s.index(0) : elements[0];
        for (size_t i = 1; i < elements.size(); ++i)
          result = s.select(s.eq(position, s.index(i)), elements[i], result);
        linalg::YieldOp::create(body, where,
                                s.fromIndex(result, tensor.element.type));
      });
  return generic.getResult(0);
}

/// Sets a memo of a tensor: code outside of the region that is being written
/// cannot use it.
static Value memoize(GraphBuilder &b, const Tensor &tensor, Value &memo,
                     Value value) {
  if (b.regionDepth > 0)
    b.memos.push_back({tensor, &memo});
  return memo = value;
}

Value denseValue(GraphBuilder &b, const Tensor &tensor) {
  Value &dense = tensor->dense;
  if (dense)
    return dense;
  if (tensor->constant)
    return memoize(
        b, tensor, dense,
        constantValue(b, *tensor, typeOf(tensor->dims, tensor->element)));
  if (!tensor->value)
    return memoize(b, tensor, dense, materializeContent(b, *tensor));
  Value value = tensor->value;
  SmallVector<unsigned, 4> axes = tensor->axes;
  if (!llvm::is_sorted(axes)) {
    // A transposing copy of the dimensions that are there.
    llvm::sort(axes);
    Dims dims;
    SmallVector<Expr> at;
    for (unsigned axis : axes)
      dims.push_back(tensor->dims[axis]);
    for (unsigned axis : tensor->axes)
      at.push_back(b.loop(llvm::find(axes, axis) - axes.begin()));
    auto *context = b.builder.getContext();
    SmallVector<AffineMap> maps = {
        AffineMap::get(axes.size(), 0, at, context),
        b.builder.getMultiDimIdentityMap(axes.size())};
    SmallVector<utils::IteratorType> iterators(axes.size(),
                                               utils::IteratorType::parallel);
    Value init = emptyValue(b, dims, tensor->element.type);
    value = linalg::GenericOp::create(
                b.builder, b.loc, TypeRange{init.getType()}, ValueRange{value},
                ValueRange{init}, maps, iterators,
                [](OpBuilder &body, Location where, ValueRange args) {
                  linalg::YieldOp::create(body, where, args[0]);
                })
                .getResult(0);
  }
  if (int64_t(axes.size()) != tensor->rank())
    value = reshapeValue(b, value, tensor->dims, tensor->element);
  return memoize(b, tensor, dense, value);
}

Storage storageOf(GraphBuilder &b, const Tensor &tensor, bool absorbTranspose) {
  SmallVector<unsigned, 4> all(tensor->rank());
  std::iota(all.begin(), all.end(), 0);
  if (tensor->constant) {
    SmallVector<unsigned, 4> axes;
    Dims dims;
    for (unsigned axis : all)
      if (!isConst(tensor->dims[axis], 1)) {
        axes.push_back(axis);
        dims.push_back(tensor->dims[axis]);
      }
    if (!tensor->value)
      memoize(b, tensor, tensor->value,
              constantValue(b, *tensor, typeOf(dims, tensor->element)));
    return {tensor->value, axes};
  }
  if (!tensor->value || (!absorbTranspose && !llvm::is_sorted(tensor->axes)))
    return {denseValue(b, tensor), all};
  return {tensor->value, tensor->axes};
}

} // namespace tilewright::build
