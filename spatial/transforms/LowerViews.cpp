//===- LowerViews.cpp - Ops that only say where elements are --------------===//
#include "spatial/transforms/LowerOps.h"

#include "graph/analysis/Access.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::spatial {

namespace {
/// Row-major walks over the indices of a shape.
class Indices {
public:
  explicit Indices(ArrayRef<int64_t> shape)
      : shape(shape), indices(shape.size()) {}

  [[nodiscard]] ArrayRef<int64_t> get() const { return indices; }
  void next() {
    for (auto dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
      if (++indices[dim] < shape[dim])
        return;
      indices[dim] = 0;
    }
  }

private:
  ArrayRef<int64_t> shape;
  SmallVector<int64_t> indices;
};
} // namespace

static int64_t rowMajor(ArrayRef<int64_t> indices, ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [index, size] : llvm::zip(indices, shape))
    number = number * size + index;
  return number;
}

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// A tensor of the same elements in the same order.
static void viewAs(Tensors &tensors, Value source, Value result) {
  const int64_t from = tensors.numberOf(source);
  std::vector<ElementId> view(tensors.info(from).size);
  for (size_t i = 0; i < view.size(); ++i)
    view[i] = tensors.resolve(from, static_cast<int64_t>(i));
  tensors.addView(result, std::move(view));
}

static LogicalResult viewSlice(Tensors &tensors, tensor::ExtractSliceOp op) {
  for (ArrayRef<int64_t> numbers :
       {op.getStaticOffsets(), op.getStaticStrides(), op.getStaticSizes()})
    if (llvm::any_of(numbers, ShapedType::isDynamic))
      return op.emitError("expected a slice whose offsets, sizes and strides "
                          "are known");
  const int64_t from = tensors.numberOf(op.getSource());
  ArrayRef<int64_t> shape = shapeOf(op.getSource());
  // Dimensions of size 1 may be left out of the result; the order is the same.
  std::vector<ElementId> view;
  Indices indices(op.getStaticSizes());
  const int64_t size =
      cast<RankedTensorType>(op.getResult().getType()).getNumElements();
  for (int64_t i = 0; i < size; ++i, indices.next()) {
    SmallVector<int64_t> at;
    for (auto [index, offset, stride] :
         llvm::zip(indices.get(), op.getStaticOffsets(), op.getStaticStrides()))
      at.push_back(offset + index * stride);
    view.push_back(tensors.resolve(from, rowMajor(at, shape)));
  }
  tensors.addView(op.getResult(), std::move(view));
  return success();
}

static LogicalResult viewPad(Tensors &tensors, tensor::PadOp op) {
  TypedAttr padding;
  Value yielded = op.getConstantPaddingValue();
  if (!yielded || !matchPattern(yielded, m_Constant(&padding)) ||
      llvm::any_of(op.getStaticLow(), ShapedType::isDynamic))
    return op.emitError("expected padding of a known width with a constant");
  auto scalar = RankedTensorType::get({1}, padding.getType());
  // The constant has no value of its own.
  Value constant = yielded;
  if (!tensors.has(constant))
    tensors.addScalar(constant, DenseElementsAttr::get(scalar, padding));
  const ElementId pad = elementId(tensors.numberOf(constant), 0);
  const int64_t from = tensors.numberOf(op.getSource());
  ArrayRef<int64_t> shape = shapeOf(op.getSource());
  Indices indices(shapeOf(op.getResult()));
  std::vector<ElementId> view;
  const int64_t size =
      cast<RankedTensorType>(op.getResult().getType()).getNumElements();
  for (int64_t i = 0; i < size; ++i, indices.next()) {
    SmallVector<int64_t> at;
    bool isInside = true;
    for (auto [index, low, extent] :
         llvm::zip(indices.get(), op.getStaticLow(), shape)) {
      at.push_back(index - low);
      isInside &= index >= low && index < low + extent;
    }
    view.push_back(isInside ? tensors.resolve(from, rowMajor(at, shape)) : pad);
  }
  tensors.addView(op.getResult(), std::move(view));
  return success();
}

static void viewConcat(Tensors &tensors, tensor::ConcatOp op) {
  Indices indices(shapeOf(op.getResult()));
  const auto dim = static_cast<size_t>(op.getDim());
  std::vector<ElementId> view;
  const int64_t size =
      cast<RankedTensorType>(op.getResult().getType()).getNumElements();
  for (int64_t i = 0; i < size; ++i, indices.next()) {
    SmallVector<int64_t> at(indices.get());
    for (Value input : op.getInputs()) {
      ArrayRef<int64_t> shape = shapeOf(input);
      if (at[dim] < shape[dim]) {
        view.push_back(
            tensors.resolve(tensors.numberOf(input), rowMajor(at, shape)));
        break;
      }
      at[dim] -= shape[dim];
    }
  }
  tensors.addView(op.getResult(), std::move(view));
}

/// A generic that copies elements of an input.
static void viewCopy(Tensors &tensors, linalg::GenericOp op,
                     OpOperand &source) {
  SmallVector<int64_t> extents = loopExtents(op);
  OperandAccess from(op.getMatchingIndexingMap(&source), extents,
                     shapeOf(source.get()));
  OperandAccess to(op.getMatchingIndexingMap(op.getDpsInitOperand(0)), extents,
                   shapeOf(op.getResult(0)));
  std::vector<ElementId> view(
      cast<RankedTensorType>(op.getResult(0).getType()).getNumElements(),
      noElement);
  const int64_t tensor = tensors.numberOf(source.get());
  for (size_t point = 0; point < view.size(); ++point)
    view[to.at(static_cast<int64_t>(point))] =
        tensors.resolve(tensor, from.at(static_cast<int64_t>(point)));
  tensors.addView(op.getResult(0), std::move(view));
}

/// The input whose elements an elementwise op yields as they are.
static OpOperand *copiedInput(linalg::GenericOp op) {
  auto argument =
      dyn_cast<BlockArgument>(op.getBody()->getTerminator()->getOperand(0));
  if (!argument || argument.getArgNumber() >= op.getNumDpsInputs())
    return nullptr;
  return op.getDpsInputOperand(argument.getArgNumber());
}

namespace {
/// Which element a scalar of a body is, at each point.
class ViewedElements {
public:
  ViewedElements(Tensors &tensors, const Points &points)
      : tensors(tensors), points(points), known(points) {}

  /// Nothing if it is computed.
  std::optional<std::vector<ElementId>> get(Value value);

private:
  std::optional<std::vector<ElementId>> get(tensor::ExtractOp extract);

  Tensors &tensors;
  const Points &points;
  KnownScalars known;
};
} // namespace

std::optional<std::vector<ElementId>>
ViewedElements::get(tensor::ExtractOp extract) {
  const int64_t tensor = tensors.numberOf(extract.getTensor());
  std::vector<int64_t> numbers(points.numbers.size());
  for (auto [index, size] :
       llvm::zip(extract.getIndices(), shapeOf(extract.getTensor()))) {
    std::optional<std::vector<int64_t>> at = known.get(index);
    if (!at)
      return std::nullopt;
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = numbers[i] * size + (*at)[at->size() == 1 ? 0 : i];
  }
  for (int64_t &number : numbers)
    number = tensors.resolve(tensor, number);
  return numbers;
}

std::optional<std::vector<ElementId>> ViewedElements::get(Value value) {
  if (auto extract = value.getDefiningOp<tensor::ExtractOp>())
    return get(extract);
  // Vectors have a type, but elements of tensors have the one that they are
  // read as.
  if (auto widened = value.getDefiningOp<arith::ExtFOp>())
    return get(widened.getIn());
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (!tensors.has(value))
      tensors.addScalar(
          value, DenseElementsAttr::get(
                     RankedTensorType::get({1}, constant.getType()), constant));
    return std::vector<ElementId>(points.numbers.size(),
                                  elementId(tensors.numberOf(value), 0));
  }
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select)
    return std::nullopt;
  std::optional<std::vector<int64_t>> chosen = known.get(select.getCondition());
  std::optional<std::vector<ElementId>> yes = get(select.getTrueValue()),
                                        no = get(select.getFalseValue());
  if (!chosen || !yes || !no)
    return std::nullopt;
  for (size_t i = 0; i < yes->size(); ++i)
    if (!(*chosen)[chosen->size() == 1 ? 0 : i])
      (*yes)[i] = (*no)[i];
  return yes;
}

/// A generic whose elements are elements of tensors that index arithmetic
/// chooses, or constants.
static bool viewElements(Tensors &tensors, linalg::GenericOp op) {
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  const auto size = static_cast<int64_t>(
      cast<RankedTensorType>(op.getResult(0).getType()).getNumElements());
  if (!isa_and_nonnull<arith::SelectOp, tensor::ExtractOp>(
          yielded.getDefiningOp()) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return false;
  auto range = llvm::seq<int64_t>(0, size);
  const Points points{loopExtents(op), 1, {range.begin(), range.end()}};
  std::optional<std::vector<ElementId>> view =
      ViewedElements(tensors, points).get(yielded);
  if (view)
    tensors.addView(op.getResult(0), std::move(*view));
  return view.has_value();
}

FailureOr<bool> lowerView(Tensors &tensors, Operation *op) {
  auto of = [&](LogicalResult result) -> FailureOr<bool> {
    if (failed(result))
      return failure();
    return true;
  };
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return of(viewSlice(tensors, slice));
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return of(viewPad(tensors, pad));
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    viewConcat(tensors, concat);
    return true;
  }
  if (isa<tensor::ReshapeOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::CastOp>(op)) {
    viewAs(tensors, op->getOperand(0), op->getResult(0));
    return true;
  }
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    TypedAttr value;
    if (!matchPattern(fill.getInputs()[0], m_Constant(&value))) {
      op->emitError("expected to fill with a constant");
      return failure();
    }
    if (failed(tensors.addConstant(
            fill.getResult(0),
            DenseElementsAttr::get(
                cast<ShapedType>(fill.getResult(0).getType()), value))))
      return failure();
    return true;
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !graph::isElementwise(op))
    return false;
  if (OpOperand *source = copiedInput(generic)) {
    viewCopy(tensors, generic, *source);
    return true;
  }
  return viewElements(tensors, generic);
}

} // namespace tilewright::spatial
