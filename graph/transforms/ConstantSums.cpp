//===- ConstantSums.cpp - Sums of the integers of constants ---------------===//
#include "graph/transforms/ConstantSums.h"

#include "graph/analysis/Access.h"
#include "graph/transforms/Resources.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include <cstring>

using namespace mlir;

namespace tilewright::graph {

//===--- Elements of constants --------------------------------------------===//

namespace {
/// Elements of a constant at regular distances. Offset and strides count
/// elements.
struct ConstantView {
  ArrayRef<char> data;
  int64_t offset = 0;
  SmallVector<int64_t> shape, strides;
};
} // namespace

static std::optional<ConstantView> viewOf(Value tensor);

static std::optional<ConstantView> viewOfData(Value tensor) {
  ElementsAttr data;
  if (!matchPattern(tensor, m_Constant(&data)))
    return std::nullopt;
  ConstantView view;
  view.data = bytesOf(data);
  if (view.data.empty())
    return std::nullopt;
  view.shape.assign(data.getShapedType().getShape());
  view.strides = computeStrides(view.shape);
  // Of equal elements there is one.
  if (int64_t(view.data.size()) * 8 <
      data.getNumElements() * data.getElementType().getIntOrFloatBitWidth())
    view.strides.assign(view.shape.size(), 0);
  return view;
}

static std::optional<ConstantView> viewOfSlice(tensor::ExtractSliceOp op) {
  std::optional<ConstantView> from = viewOf(op.getSource());
  if (!from || ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      ShapedType::isDynamicShape(op.getStaticSizes()) ||
      ShapedType::isDynamicShape(op.getStaticStrides()))
    return std::nullopt;
  ConstantView view{from->data, from->offset, {}, {}};
  const llvm::SmallBitVector dropped = op.getDroppedDims();
  for (unsigned dim = 0; dim < from->shape.size(); ++dim) {
    view.offset += op.getStaticOffsets()[dim] * from->strides[dim];
    if (dropped.test(dim))
      continue;
    view.shape.push_back(op.getStaticSizes()[dim]);
    view.strides.push_back(op.getStaticStrides()[dim] * from->strides[dim]);
  }
  return view;
}

static std::optional<ConstantView> viewOfReshape(tensor::ReshapeOp op) {
  std::optional<ConstantView> view = viewOf(op.getSource());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!view || !type || !type.hasStaticShape())
    return std::nullopt;
  const SmallVector<int64_t> dense = computeStrides(view->shape);
  for (auto [size, stride, wanted] :
       llvm::zip(view->shape, view->strides, dense))
    if (size != 1 && stride != wanted)
      return std::nullopt;
  view->shape.assign(type.getShape());
  view->strides = computeStrides(view->shape);
  return view;
}

/// The elements by loops: `view` as an operand with the map reads it.
static std::optional<ConstantView>
byLoops(const ConstantView &view, AffineMap map, ArrayRef<int64_t> ranges) {
  ConstantView loops{view.data, view.offset, SmallVector<int64_t>(ranges),
                     SmallVector<int64_t>(ranges.size(), 0)};
  for (auto [dim, subscript] : llvm::enumerate(map.getResults())) {
    if (auto at = dyn_cast<AffineConstantExpr>(subscript))
      loops.offset += at.getValue() * view.strides[dim];
    else if (auto loop = dyn_cast<AffineDimExpr>(subscript))
      loops.strides[loop.getPosition()] += view.strides[dim];
    else
      return std::nullopt;
  }
  return loops;
}

static std::optional<ConstantView> viewOfCopy(linalg::GenericOp op) {
  if (!isPureCopy(op) || op.getNumDpsInputs() != 1 ||
      ShapedType::isDynamicShape(op.getStaticLoopRanges()))
    return std::nullopt;
  AffineMap out = op.getIndexingMapsArray().back();
  std::optional<ConstantView> from = viewOf(op.getDpsInputs()[0]);
  if (!from || !out.isPermutation())
    return std::nullopt;
  std::optional<ConstantView> loops = byLoops(
      *from, op.getIndexingMapsArray().front(), op.getStaticLoopRanges());
  if (!loops)
    return std::nullopt;
  ConstantView view{loops->data, loops->offset, {}, {}};
  for (unsigned dim = 0; dim < out.getNumResults(); ++dim) {
    view.shape.push_back(loops->shape[out.getDimPosition(dim)]);
    view.strides.push_back(loops->strides[out.getDimPosition(dim)]);
  }
  return view;
}

static std::optional<ConstantView> viewOf(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op))
    return viewOfSlice(slice);
  if (auto reshape = dyn_cast_or_null<tensor::ReshapeOp>(op))
    return viewOfReshape(reshape);
  if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op))
    return viewOfCopy(generic);
  return viewOfData(tensor);
}

//===--- Sums -------------------------------------------------------------===//

namespace {
/// What a sum adds: integers of so many bytes.
struct Added {
  unsigned bytes;
  bool isUnsigned;
};
} // namespace

/// Null where the body is no sum of its only input.
static std::optional<Added> matchSum(linalg::GenericOp op) {
  std::optional<Accumulation> accumulation = matchAccumulation(op);
  if (!accumulation || !isa<arith::AddIOp>(accumulation->combiner) ||
      op.getNumDpsInputs() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  Value element = accumulation->element;
  Operation *widens = element.getDefiningOp();
  if (isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(widens))
    element = widens->getOperand(0);
  auto type = dyn_cast<IntegerType>(element.getType());
  if (element != op.getRegionInputArgs()[0] || !type ||
      type.getWidth() % 8 != 0 || type.getWidth() > 64)
    return std::nullopt;
  return Added{type.getWidth() / 8, isa_and_nonnull<arith::ExtUIOp>(widens)};
}

static uint64_t elementAt(const ConstantView &view, int64_t at, Added added) {
  uint64_t bits = 0;
  std::memcpy(&bits, view.data.data() + at * added.bytes, added.bytes);
  return added.isUnsigned || added.bytes == 8
             ? bits
             : uint64_t(llvm::SignExtend64(bits, added.bytes * 8));
}

/// The number that all results start with.
static std::optional<APInt> startOf(linalg::GenericOp op) {
  Value init = op.getDpsInits()[0];
  APInt start;
  auto fill = init.getDefiningOp<linalg::FillOp>();
  TypedAttr splat;
  if (fill && matchPattern(fill.getInputs()[0], m_ConstantInt(&start)))
    return start;
  if (isSplatConstant(init, &splat))
    if (auto number = dyn_cast<IntegerAttr>(splat))
      return number.getValue();
  return std::nullopt;
}

/// Adds each element where its result is; all by loops.
static void addAll(const ConstantView &from, ArrayRef<int64_t> resultStrides,
                   Added added, MutableArrayRef<uint64_t> sums) {
  const auto rank = unsigned(from.shape.size());
  SmallVector<int64_t> point(rank, 0);
  int64_t at = from.offset, result = 0;
  for (int64_t left = llvm::product_of(from.shape); left > 0; --left) {
    sums[size_t(result)] += elementAt(from, at, added);
    for (unsigned loop = rank; loop-- > 0;) {
      at += from.strides[loop];
      result += resultStrides[loop];
      if (++point[loop] < from.shape[loop])
        break;
      at -= from.strides[loop] * from.shape[loop];
      result -= resultStrides[loop] * from.shape[loop];
      point[loop] = 0;
    }
  }
}

ElementsAttr sumsOfConstant(linalg::GenericOp op) {
  constexpr int64_t mostElements = int64_t(1) << 24;
  std::optional<Added> added = matchSum(op);
  const SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (!added || ShapedType::isDynamicShape(ranges) ||
      !op.getIndexingMapsArray().back().isProjectedPermutation())
    return {};
  const int64_t count = llvm::product_of(ranges);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const int64_t resultBits =
      type.getNumElements() * type.getElementTypeBitWidth();
  if (count == 0 || count > mostElements ||
      resultBits * 4 > count * added->bytes * 8)
    return {};
  std::optional<APInt> start = startOf(op);
  std::optional<ConstantView> from = viewOf(op.getDpsInputs()[0]);
  if (!start || !from)
    return {};
  from = byLoops(*from, op.getIndexingMapsArray().front(), ranges);
  if (!from)
    return {};
  ConstantView results{{}, 0, {}, computeStrides(type.getShape())};
  const auto byLoop =
      byLoops(results, op.getIndexingMapsArray().back(), ranges);
  SmallVector<uint64_t> sums(size_t(type.getNumElements()),
                             start->getZExtValue());
  addAll(*from, byLoop->strides, *added, sums);
  return DenseElementsAttr::get(
      type, llvm::map_to_vector(sums, [&](uint64_t sum) {
        return APInt(type.getElementTypeBitWidth(), sum, /*isSigned=*/false,
                     /*implicitTrunc=*/true);
      }));
}

} // namespace tilewright::graph
