#include "graph/analysis/Evaluator.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

#include <cstring>

using namespace mlir;

namespace tilewright::graph {

using Known = std::optional<KnownElement>;

/// A row-major position; nothing outside of the shape.
static std::optional<int64_t> linear(ArrayRef<int64_t> at,
                                     ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [index, size] : llvm::zip(at, shape)) {
    if (index < 0 || index >= size)
      return std::nullopt;
    position = position * size + index;
  }
  return position;
}

static Evaluator::Position delinear(int64_t position, ArrayRef<int64_t> shape) {
  Evaluator::Position at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = position % shape[d];
    position /= shape[d];
  }
  return at;
}

/// An element of a constant; null where its data is not there.
static TypedAttr elementOf(ElementsAttr data, int64_t position) {
  if (auto dense = dyn_cast<DenseElementsAttr>(data))
    return cast<TypedAttr>(
        dense.getValues<Attribute>()[dense.isSplat() ? 0 : position]);
  auto resource = dyn_cast<DenseResourceElementsAttr>(data);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return {};
  Type type = data.getElementType();
  unsigned bits = type.getIntOrFloatBitWidth(), bytes = (bits + 7) / 8;
  uint64_t raw = 0;
  std::memcpy(&raw, blob->getData().data() + position * bytes, bytes);
  APInt value = APInt(64, raw).trunc(bits);
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat(floatType.getFloatSemantics(), value));
  return IntegerAttr::get(type, value);
}

Known Evaluator::element(Value tensor, ArrayRef<int64_t> at) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !type.hasStaticShape() || budget <= 0)
    return std::nullopt;
  std::optional<int64_t> position = linear(at, type.getShape());
  if (!position)
    return std::nullopt;
  if (auto values = known.find(tensor); values != known.end())
    if (auto value = values->second.find(*position);
        value != values->second.end())
      return value->second;
  Known value = compute(tensor, at);
  known[tensor][*position] = value;
  return value;
}

Known Evaluator::compute(Value tensor, ArrayRef<int64_t> at) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return std::nullopt;
  ElementsAttr data;
  if (matchPattern(tensor, m_Constant(&data))) {
    auto type = cast<RankedTensorType>(tensor.getType());
    TypedAttr value = elementOf(data, *linear(at, type.getShape()));
    return value ? Known(KnownElement{value, {}}) : std::nullopt;
  }
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return ofGeneric(generic, cast<OpResult>(tensor).getResultNumber(), at);
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    TypedAttr constant;
    if (matchPattern(fill.getInputs()[0], m_Constant(&constant)))
      return KnownElement{constant, {}};
    return std::nullopt;
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return ofPad(pad, at);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return ofSlice(slice, at);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return ofConcat(concat, at);
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getResult() == tensor ? ofScatter(scatter, at)
                                         : std::nullopt;
  if (isa<tensor::ReshapeOp, tensor::CastOp>(op))
    return ofReshape(op->getOperand(0), tensor.getType(), at);
  return std::nullopt;
}

std::optional<int64_t> Evaluator::indexOf(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return constant;
  Expr size = sizeOfIndex(cast<Value>(value));
  return size ? constantOf(size) : std::nullopt;
}

Known Evaluator::ofPad(tensor::PadOp op, ArrayRef<int64_t> at) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  Position inner(at);
  bool inside = source.hasStaticShape();
  for (auto [d, low] : llvm::enumerate(op.getMixedLowPad())) {
    std::optional<int64_t> shift = indexOf(low);
    if (!shift || !source.hasStaticShape())
      return std::nullopt;
    inner[d] -= *shift;
    inside &= inner[d] >= 0 && inner[d] < source.getDimSize(d);
  }
  if (inside)
    return element(op.getSource(), inner);
  TypedAttr padding;
  Value value = op.getConstantPaddingValue();
  if (!value || !matchPattern(value, m_Constant(&padding)))
    return std::nullopt;
  return KnownElement{padding, {}};
}

Known Evaluator::ofSlice(tensor::ExtractSliceOp op, ArrayRef<int64_t> at) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Position inner;
  unsigned outer = 0;
  for (auto [d, offset] : llvm::enumerate(op.getMixedOffsets())) {
    std::optional<int64_t> start = indexOf(offset);
    std::optional<int64_t> stride = indexOf(op.getMixedStrides()[d]);
    if (!start || !stride)
      return std::nullopt;
    inner.push_back(*start + (dropped.test(d) ? 0 : at[outer++] * *stride));
  }
  return element(op.getSource(), inner);
}

Known Evaluator::ofConcat(tensor::ConcatOp op, ArrayRef<int64_t> at) {
  Position inner(at);
  int64_t &index = inner[op.getDim()];
  for (Value input : op.getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    int64_t size = type.getDimSize(op.getDim());
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    if (index < size)
      return element(input, inner);
    index -= size;
  }
  return std::nullopt;
}

Known Evaluator::ofReshape(Value source, Type type, ArrayRef<int64_t> at) {
  auto from = dyn_cast<RankedTensorType>(source.getType());
  if (!from || !from.hasStaticShape())
    return std::nullopt;
  return element(source,
                 delinear(*linear(at, cast<RankedTensorType>(type).getShape()),
                          from.getShape()));
}

std::optional<Evaluator::LastUpdates> Evaluator::lastUpdatesOf(ScatterOp op) {
  auto updates = cast<RankedTensorType>(op.getUpdates().getType()),
       data = cast<RankedTensorType>(op.getData().getType());
  if (!updates.hasStaticShape() || updates.getNumElements() > budget)
    return std::nullopt;
  budget -= updates.getNumElements();
  LastUpdates found;
  for (int64_t number = 0; number < updates.getNumElements(); ++number) {
    const Position update = delinear(number, updates.getShape());
    SmallVector<int64_t> numbers;
    for (auto [index, map] :
         llvm::zip(op.getIndices(),
                   op.getIndexMaps().getAsValueRange<AffineMapAttr>())) {
      Known read = element(index, map.compose(update));
      auto number =
          read ? dyn_cast_or_null<IntegerAttr>(read->constant) : IntegerAttr();
      if (!number)
        return std::nullopt;
      numbers.push_back(number.getValue().getSExtValue());
    }
    Position at;
    for (auto [target, size] :
         llvm::zip(op.getTarget().getResults(), data.getShape())) {
      auto symbol = dyn_cast<AffineSymbolExpr>(target);
      int64_t index = symbol
                          ? numbers[symbol.getPosition()]
                          : update[cast<AffineDimExpr>(target).getPosition()];
      at.push_back(symbol && index < 0 ? index + size : index);
    }
    if (std::optional<int64_t> position = linear(at, data.getShape()))
      found[*position] = number;
  }
  return found;
}

Known Evaluator::ofScatter(ScatterOp op, ArrayRef<int64_t> at) {
  if (op.getKind() != "set")
    return std::nullopt;
  auto known = lastUpdates.find(op);
  if (known == lastUpdates.end())
    known = lastUpdates.insert({op, lastUpdatesOf(op)}).first;
  if (!known->second)
    return std::nullopt;
  auto shapeOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  };
  auto update = known->second->find(*linear(at, shapeOf(op.getData())));
  if (update == known->second->end())
    return element(op.getData(), at);
  return element(op.getUpdates(),
                 delinear(update->second, shapeOf(op.getUpdates())));
}

Known Evaluator::ofGeneric(linalg::GenericOp op, unsigned result,
                           ArrayRef<int64_t> at) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (llvm::any_of(extents, ShapedType::isDynamic))
    return std::nullopt;
  // The loops of the element; the others are walked.
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  Position loops(extents.size(), 0), walked;
  SmallVector<unsigned> reductions;
  if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return std::nullopt;
  for (auto [d, subscript] : llvm::enumerate(map.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(subscript))
      loops[dim.getPosition()] = at[d];
  int64_t points = 1;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction) {
      reductions.push_back(loop);
      walked.push_back(extents[loop]);
      if (__builtin_mul_overflow(points, extents[loop], &points) ||
          points > budget)
        return std::nullopt;
    }
  BlockArgument accumulator =
      op.getMatchingBlockArgument(op.getDpsInitOperand(result));
  Known value;
  if (!accumulator.use_empty()) {
    if (op->getNumResults() != 1)
      return std::nullopt;
    value = element(op.getDpsInits()[result], at);
    if (!value)
      return std::nullopt;
  }
  for (int64_t point = 0; point < points; ++point) {
    Position inner = delinear(point, walked);
    for (auto [loop, index] : llvm::zip(reductions, inner))
      loops[loop] = index;
    Iteration iteration;
    iteration.loops = loops;
    if (!accumulator.use_empty())
      iteration.scalars[accumulator] = value;
    value =
        scalar(op.getBody()->getTerminator()->getOperand(result), iteration);
    if (!value)
      return std::nullopt;
  }
  return value;
}

} // namespace tilewright::graph
