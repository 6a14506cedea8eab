#include "frontends/onnx/GraphBuilder.h"

#include "graph/ir/Graph.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "mlir/IR/Verifier.h"

#include <numeric>

using namespace mlir;

namespace tilewright::onnx {

/// Larger tensors than this are a mistake in the model.
static constexpr int64_t maximumBytes = int64_t(1) << 46;

GraphBuilder::GraphBuilder(MLIRContext *context, func::FuncOp function,
                           const std::string &diagnostic)
    : sizes(context), builder(context), loc(function.getLoc()),
      diagnostic(diagnostic) {
  entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
}

LogicalResult GraphBuilder::fail(const Twine &message) {
  if (error.empty())
    error = message.str();
  return failure();
}

LogicalResult GraphBuilder::verifyAfter(Operation *last) {
  auto from = last ? std::next(last->getIterator()) : entry->begin();
  for (Operation &op : llvm::make_range(from, entry->end()))
    if (failed(verify(&op)))
      return fail("its operands do not go together: " + diagnostic);
  return success();
}

bool compatible(Expr a, Expr b) {
  return a == b || !constantOf(a) || !constantOf(b);
}

void GraphBuilder::check(Expr a, Expr b, const Twine &message) {
  if (a != b)
    addCheck({a, b, false, message.str()});
}

void GraphBuilder::checkAtMost(Expr size, Expr most, const Twine &message) {
  if (sizes.less(most, size) != false)
    addCheck({size, most, true, message.str()});
}

/// Each condition once, with the message of who asked first.
void GraphBuilder::addCheck(Check check) {
  for (const Check &known : checks)
    if (known.size == check.size && known.expected == check.expected &&
        known.isLimit == check.isLimit)
      return;
  checks.push_back(std::move(check));
}

void GraphBuilder::emitChecks() {
  for (const Check &check : checks) {
    Value size = index(check.size), expected = index(check.expected);
    graph::CheckOp::create(builder, loc, size, check.isLimit, expected,
                           check.message);
  }
}

Expr GraphBuilder::staticUnlessEmpty(Expr size) {
  std::optional<int64_t> usual = sizes.constantUnlessEmpty(size);
  if (!usual || constantOf(size))
    return size;
  check(size, sizes.constant(*usual),
        "the model was compiled for dimensions of at least 1");
  return sizes.constant(*usual);
}

FailureOr<Tensor> GraphBuilder::withDims(const Tensor &tensor,
                                         ArrayRef<Expr> dims,
                                         const Twine &where) {
  auto same = std::make_shared<TensorInfo>(*tensor);
  for (auto [size, expected] : llvm::zip(same->dims, dims)) {
    if (failed(matchSize(size, expected,
                         where + " of shape " + sizes.str(tensor->dims))))
      return failure();
    // The type of a value says which dimensions are static.
    if (!constantOf(size) && !constantOf(expected))
      size = expected;
  }
  same->dense = {};
  return Tensor(same);
}

RankedTensorType GraphBuilder::typeOf(ArrayRef<Expr> dims, Element element) {
  SmallVector<int64_t> shape;
  for (Expr dim : dims)
    shape.push_back(constantOf(dim).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element.type);
}

FailureOr<Tensor> GraphBuilder::wrap(Value value, ArrayRef<Expr> dims,
                                     Element element) {
  int64_t bytes = element.bytes();
  for (Expr dim : dims) {
    int64_t size = constantOf(dim).value_or(1);
    if (size < 0)
      return fail("result has shape " + sizes.str(dims) +
                  ", a size is negative");
    if (__builtin_mul_overflow(bytes, size, &bytes) || bytes > maximumBytes)
      return fail("result of shape " + sizes.str(dims) + " is too large");
  }
  if (sizes.overflowed())
    return fail("a size overflows 64 bits");
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = element;
  tensor->dims.assign(dims.begin(), dims.end());
  tensor->value = value;
  tensor->axes.resize(dims.size());
  std::iota(tensor->axes.begin(), tensor->axes.end(), 0);
  return tensor;
}

void GraphBuilder::defineSymbol(Expr symbol, Value argument, int64_t dim) {
  if (indices.contains(symbol))
    return;
  OpBuilder::InsertionGuard guard(builder);
  toEntry();
  Value constant = arith::ConstantIndexOp::create(builder, loc, dim);
  Value size = tensor::DimOp::create(builder, loc, argument, constant);
  entryEnd = size.getDefiningOp();
  indices[symbol] = size;
  indexedSizes[size] = symbol;
}

void GraphBuilder::toEntry() {
  if (entryEnd)
    builder.setInsertionPointAfter(entryEnd);
  else
    builder.setInsertionPointToStart(entry);
}

Value GraphBuilder::index(Expr size) {
  if (Value known = indices.lookup(size))
    return known;
  // Sizes that this one is made of come first.
  SmallVector<Value> operands;
  SmallVector<Expr> replacements;
  Value result;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(size)) {
    operands = {index(sizes.positivePartOf(symbol)), index(zero())};
  } else {
    size.walk([&](Expr part) {
      auto symbol = dyn_cast<AffineSymbolExpr>(part);
      if (!symbol)
        return;
      replacements.resize(
          std::max<size_t>(replacements.size(), symbol.getPosition() + 1),
          zero());
      Expr &replacement = replacements[symbol.getPosition()];
      if (isa<AffineSymbolExpr>(replacement))
        return;
      replacement = getAffineSymbolExpr(operands.size(), builder.getContext());
      operands.push_back(index(symbol));
    });
  }
  OpBuilder::InsertionGuard guard(builder);
  toEntry();
  if (auto constant = constantOf(size))
    result = arith::ConstantIndexOp::create(builder, loc, *constant);
  else if (isa<AffineSymbolExpr>(size))
    result = arith::MaxSIOp::create(builder, loc, operands[0], operands[1]);
  else
    result = affine::AffineApplyOp::create(
        builder, loc,
        AffineMap::get(0, operands.size(), size.replaceSymbols(replacements)),
        operands);
  entryEnd = result.getDefiningOp();
  indexedSizes[result] = size;
  return indices[size] = result;
}

OpFoldResult GraphBuilder::indexOrConstant(Expr size) {
  if (auto constant = constantOf(size))
    return builder.getIndexAttr(*constant);
  return index(size);
}

Tensor GraphBuilder::splat(TypedAttr value, ArrayRef<Expr> dims,
                           Element element) {
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = element;
  tensor->dims.assign(dims.begin(), dims.end());
  char *data;
  tensor->constant = ownedConstant(1, element.bytes(), data);
  writeElement(data, element, value);
  tensor->constant->splat = true;
  auto count = countOf(*tensor);
  if (count && *count <= 1024 && !element.isFloat())
    tensor->content.emplace(*count, sizes.constant(intAt(*tensor, 0)));
  return tensor;
}

TypedAttr GraphBuilder::constantAttr(Element element, double value) {
  Block scratch;
  OpBuilder inner(builder.getContext());
  inner.setInsertionPointToEnd(&scratch);
  Scalar s(inner, loc, element.isUnsigned);
  Value constant = s.constant(element.type, value);
  return constant.getDefiningOp<arith::ConstantOp>().getValue();
}

Tensor GraphBuilder::scalarConstant(Element element, double value) {
  return splat(constantAttr(element, value), {}, element);
}

Tensor GraphBuilder::integers(ArrayRef<Expr> values, ArrayRef<Expr> dims,
                              Element element) {
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = element;
  tensor->dims.assign(dims.begin(), dims.end());
  tensor->content.emplace(values.begin(), values.end());
  auto constants = constantsOf(values);
  if (!constants)
    return tensor;
  char *data;
  unsigned bytes = element.bytes();
  tensor->constant = ownedConstant(values.size(), bytes, data);
  for (auto [i, value] : llvm::enumerate(*constants)) {
    if (element.isFloat())
      writeElement(data + i * bytes, element,
                   constantAttr(element, double(value)));
    else
      std::memcpy(data + i * bytes, &value, bytes);
  }
  return tensor;
}

Tensor GraphBuilder::floats(ArrayRef<float> values, ArrayRef<int64_t> dims) {
  auto tensor = std::make_shared<TensorInfo>();
  tensor->element = f32();
  for (int64_t dim : dims)
    tensor->dims.push_back(sizes.constant(dim));
  char *data;
  tensor->constant = ownedConstant(values.size(), 4, data);
  if (!values.empty())
    std::memcpy(data, values.data(), values.size() * 4);
  return tensor;
}

Value GraphBuilder::empty(ArrayRef<Expr> dims, Type element) {
  SmallVector<OpFoldResult> shape;
  for (Expr dim : dims)
    shape.push_back(indexOrConstant(dim));
  return tensor::EmptyOp::create(builder, loc, shape, element);
}

Value GraphBuilder::reshapeValue(Value value, ArrayRef<Expr> dims,
                                 Element element) {
  SmallVector<Value> shape;
  for (Expr dim : dims)
    shape.push_back(index(dim));
  auto shapeType =
      RankedTensorType::get({int64_t(dims.size())}, builder.getIndexType());
  Value shapeValue =
      tensor::FromElementsOp::create(builder, loc, shapeType, shape);
  return tensor::ReshapeOp::create(builder, loc, typeOf(dims, element), value,
                                   shapeValue);
}

Value GraphBuilder::constantValue(const TensorInfo &tensor,
                                  RankedTensorType type) {
  return arith::ConstantOp::create(builder, loc, elementsAttr(tensor, type));
}

/// A tensor of known but not constant integers: a chain of selects.
Value GraphBuilder::materializeContent(const TensorInfo &tensor) {
  auto type = typeOf(tensor.dims, tensor.element);
  Value init = empty(tensor.dims, tensor.element.type);
  AffineMap map = builder.getMultiDimIdentityMap(tensor.rank());
  SmallVector<utils::IteratorType> iterators(tensor.rank(),
                                             utils::IteratorType::parallel);
  SmallVector<Value> elements;
  for (Expr value : *tensor.content)
    elements.push_back(index(value));
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{type}, ValueRange{}, ValueRange{init},
      ArrayRef<AffineMap>{map}, iterators,
      [&](OpBuilder &b, Location loc, ValueRange) {
        Scalar s(b, loc);
        Value position = s.index(0);
        for (int64_t i = 0; i < tensor.rank(); ++i) {
          Value at = linalg::IndexOp::create(b, loc, i);
          Value size = s.index(*constantOf(tensor.dims[i]));
          position = s.add(s.mul(position, size), at);
        }
        Value result = elements.empty() ? s.index(0) : elements[0];
        for (size_t i = 1; i < elements.size(); ++i)
          result = s.select(s.eq(position, s.index(i)), elements[i], result);
        linalg::YieldOp::create(b, loc,
                                s.fromIndex(result, tensor.element.type));
      });
  return generic.getResult(0);
}

Value GraphBuilder::dense(const Tensor &tensor) {
  if (tensor->dense)
    return tensor->dense;
  if (tensor->constant)
    return tensor->dense =
               constantValue(*tensor, typeOf(tensor->dims, tensor->element));
  if (!tensor->value)
    return tensor->dense = materializeContent(*tensor);
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
      at.push_back(loop(llvm::find(axes, axis) - axes.begin()));
    auto *context = builder.getContext();
    SmallVector<AffineMap> maps = {AffineMap::get(axes.size(), 0, at, context),
                                   builder.getMultiDimIdentityMap(axes.size())};
    SmallVector<utils::IteratorType> iterators(axes.size(),
                                               utils::IteratorType::parallel);
    Value init = empty(dims, tensor->element.type);
    value = linalg::GenericOp::create(
                builder, loc, TypeRange{init.getType()}, ValueRange{value},
                ValueRange{init}, maps, iterators,
                [](OpBuilder &b, Location loc, ValueRange args) {
                  linalg::YieldOp::create(b, loc, args[0]);
                })
                .getResult(0);
  }
  if (int64_t(axes.size()) != tensor->rank())
    value = reshapeValue(value, tensor->dims, tensor->element);
  return tensor->dense = value;
}

GraphBuilder::Storage GraphBuilder::storage(const Tensor &tensor,
                                            bool absorbTranspose) {
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
      tensor->value = constantValue(*tensor, typeOf(dims, tensor->element));
    return {tensor->value, axes};
  }
  if (!tensor->value || (!absorbTranspose && !llvm::is_sorted(tensor->axes)))
    return {dense(tensor), all};
  return {tensor->value, tensor->axes};
}

} // namespace tilewright::onnx
