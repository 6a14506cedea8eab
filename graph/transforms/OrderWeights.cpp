//===- OrderWeights.cpp - Constant weights as their kernels read them -----===//
#include "graph/analysis/Access.h"
#include "graph/analysis/Blocks.h"
#include "graph/analysis/Targets.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"
#include "graph/transforms/Resources.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include <cstring>

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_ORDERWEIGHTS
#include "graph/transforms/Passes.h.inc"

/// The dimensions of weights, those of windows first; empty where the operand
/// is read otherwise, or they are first already.
static SmallVector<int64_t> windowsFirst(linalg::GenericOp op,
                                         OpOperand &weights) {
  AffineMap map = op.getMatchingIndexingMap(&weights);
  if (!map.isProjectedPermutation())
    return {};
  const SmallVector<unsigned> plain = plainReductionLoops(op);
  SmallVector<int64_t> windows, others;
  for (auto [dim, subscript] : llvm::enumerate(map.getResults())) {
    const unsigned loop = cast<AffineDimExpr>(subscript).getPosition();
    const bool isWindow =
        op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction &&
        !llvm::is_contained(plain, loop);
    (isWindow ? windows : others).push_back(int64_t(dim));
  }
  if (windows.empty() || others.empty())
    return {};
  llvm::append_range(windows, others);
  return llvm::is_sorted(windows) ? SmallVector<int64_t>() : windows;
}

/// The loop that a subscript follows, from an offset on.
static std::optional<unsigned> loopOf(AffineExpr subscript) {
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(subscript);
      sum && sum.getKind() == AffineExprKind::Add &&
      isa<AffineConstantExpr>(sum.getRHS()))
    subscript = sum.getLHS();
  auto dim = dyn_cast<AffineDimExpr>(subscript);
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

/// Whether each subscript follows a loop of its own: the map reads a part of a
/// tensor, such as the weights of one gate.
static bool readsPart(AffineMap map) {
  llvm::SmallBitVector loops(map.getNumDims());
  return llvm::all_of(map.getResults(), [&](AffineExpr subscript) {
    std::optional<unsigned> loop = loopOf(subscript);
    const bool isOwn = loop && !loops.test(*loop);
    if (isOwn)
      loops.set(*loop);
    return isOwn;
  });
}

/// The dimensions of weights, the one of the result's neighbours last; empty
/// where they are so, or the operand is read otherwise. A vector of a CPU has
/// neighbours of the result: rows of weights along which it sums would be
/// gathered.
static SmallVector<int64_t> neighboursLast(linalg::GenericOp op,
                                           OpOperand &weights) {
  AffineMap map = op.getMatchingIndexingMap(&weights);
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result.getNumResults() == 0)
    return {};
  if (map.getNumResults() == 0 ||
      !llvm::all_of(op.getIndexingMapsArray(), readsPart))
    return {};
  const std::optional<unsigned> last = loopOf(result.getResults().back()),
                                inner = loopOf(map.getResults().back());
  const auto *dim = llvm::find_if(map.getResults(), [&](AffineExpr subscript) {
    return loopOf(subscript) == last;
  });
  if (dim == map.getResults().end() ||
      op.getIteratorTypesArray()[*inner] != utils::IteratorType::reduction)
    return {};
  const int64_t neighbours = dim - map.getResults().begin();
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < int64_t(map.getNumResults()); ++d)
    if (d != neighbours)
      order.push_back(d);
  order.push_back(neighbours);
  return order;
}

namespace {
/// Elements of a constant: all of them, or those of a slice.
struct ConstantPart {
  Value constant;
  ElementsAttr elements;
  int64_t offset = 0;
  SmallVector<int64_t> shape, strides;
};
} // namespace

/// What of a constant a value is; nothing where it is something else. Slices
/// are the weights of a direction, or of a gate.
static std::optional<ConstantPart> partOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!type || !type.hasStaticShape() || !op)
    return std::nullopt;
  if (ElementsAttr elements; matchPattern(value, m_Constant(&elements)))
    return ConstantPart{value, elements, 0, llvm::to_vector(type.getShape()),
                        computeStrides(type.getShape())};
  if (!isa<tensor::ExtractSliceOp, tensor::ReshapeOp>(op))
    return std::nullopt;
  std::optional<ConstantPart> part = partOf(op->getOperand(0));
  if (!part)
    return std::nullopt;
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  if (!slice) {
    if (part->strides != computeStrides(part->shape))
      return std::nullopt;
    part->shape = llvm::to_vector(type.getShape());
    part->strides = computeStrides(type.getShape());
    return part;
  }
  if (!slice.getOffsets().empty() || !slice.getStrides().empty())
    return std::nullopt;
  const llvm::SmallBitVector dropped = slice.getDroppedDims();
  ConstantPart result{part->constant, part->elements, part->offset, {}, {}};
  for (auto [dim, stride] : llvm::enumerate(part->strides)) {
    result.offset += slice.getStaticOffsets()[dim] * stride;
    if (dropped.test(unsigned(dim)))
      continue;
    result.shape.push_back(slice.getStaticSizes()[dim]);
    result.strides.push_back(stride * slice.getStaticStrides()[dim]);
  }
  return result;
}

/// The elements of a part of a constant with its dimensions in another order.
static ElementsAttr permuted(const ConstantPart &part, ArrayRef<char> from,
                             ArrayRef<int64_t> order) {
  SmallVector<int64_t> shape, steps;
  for (int64_t dim : order) {
    shape.push_back(part.shape[size_t(dim)]);
    steps.push_back(part.strides[size_t(dim)]);
  }
  const auto type =
      cast<RankedTensorType>(part.elements.getType()).clone(shape);
  const int64_t bytes = type.getElementTypeBitWidth() / 8,
                count = type.getNumElements();
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(size_t(count * bytes), /*align=*/64);
  char *to = blob.getMutableData().data();
  SmallVector<int64_t> at(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * bytes,
                from.data() + (part.offset + linearize(at, steps)) * bytes,
                size_t(bytes));
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++at[dim] < shape[dim])
        break;
      at[dim] = 0;
    }
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(part.elements);
  return DenseResourceElementsAttr::get(
      type, resource ? resource.getRawHandle().getKey() : StringRef("weights"),
      std::move(blob));
}

namespace {
struct OrderWeights : impl::OrderWeightsBase<OrderWeights> {
  using OrderWeightsBase::OrderWeightsBase;

  void runOnOperation() override;

private:
  bool isOfUnits(Type element) const;
  SmallVector<int64_t> orderFor(linalg::GenericOp op, OpOperand &weights) const;
  void order(linalg::GenericOp op);

  /// Whether all targets are CPUs, else GPUs with matrix units.
  bool isCpu = false;

  /// Constants in an order, which several ops may read.
  llvm::MapVector<std::pair<Value, ArrayAttr>, Value> made;
};
} // namespace

/// Whether matrix units multiply such weights.
bool OrderWeights::isOfUnits(Type element) const {
  return element.isF16() || element.isBF16() || element.isInteger(8) ||
         (ofF32 && element.isF32());
}

/// The order of constant weights for the targets; empty: as they are. The
/// weights of one point of a window lie apart, and each step reads those of
/// one. On GPUs only matrix units read so, and of many channels whole sectors.
SmallVector<int64_t> OrderWeights::orderFor(linalg::GenericOp op,
                                            OpOperand &weights) const {
  constexpr int64_t fewChannels = 16;
  if (!isMatrixProduct(op))
    return {};
  if (isCpu) {
    const SmallVector<int64_t> order = neighboursLast(op, weights);
    return order.empty() ? windowsFirst(op, weights) : order;
  }
  const SmallVector<unsigned> depths = plainReductionLoops(op);
  const bool hasFewChannels =
      depths.empty() || op.getStaticLoopRanges()[depths.back()] < fewChannels;
  Type element = cast<ShapedType>(weights.get().getType()).getElementType();
  return hasFewChannels || isOfUnits(element) ? windowsFirst(op, weights)
                                              : SmallVector<int64_t>();
}

/// Puts the constant weights of a product in order. For a CPU, only if all that
/// read them want the same: there are no two copies.
void OrderWeights::order(linalg::GenericOp op) {
  for (OpOperand *weights : op.getDpsInputOperands()) {
    const std::optional<ConstantPart> part = partOf(weights->get());
    const SmallVector<int64_t> order =
        part ? orderFor(op, *weights) : SmallVector<int64_t>();
    if (order.empty())
      continue;
    const auto wantsOther = [&](OpOperand &use) {
      auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
      return !reader || !reader.isDpsInput(&use) ||
             orderFor(reader, use) != order;
    };
    const Value whole = weights->get();
    if (isCpu && llvm::any_of(whole.getUses(), wantsOther))
      continue;
    const ArrayRef<char> bytes = bytesOf(part->elements);
    if (bytes.empty() || part->elements.isSplat())
      continue;
    OpBuilder b(part->constant.getDefiningOp());
    Value &ordered = made[{whole, b.getI64ArrayAttr(order)}];
    if (!ordered)
      ordered = arith::ConstantOp::create(
          b, part->constant.getLoc(),
          cast<TypedAttr>(permuted(*part, bytes, order)));
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    AffineMap &map = maps[weights->getOperandNumber()];
    SmallVector<AffineExpr> subscripts;
    for (int64_t dim : order)
      subscripts.push_back(map.getResult(unsigned(dim)));
    map = AffineMap::get(map.getNumDims(), 0, subscripts, op.getContext());
    weights->set(ordered);
    op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
    ++orderedCount;
  }
}

void OrderWeights::runOnOperation() {
  FailureOr<func::FuncOp> func = graphFunction(getOperation());
  if (failed(func))
    return signalPassFailure();
  isCpu = isForCpusAlone(getOperation());
  if (!isCpu && !targetWithoutUnits(getOperation()).empty())
    return;
  made.clear();
  for (auto op : graphOps<linalg::GenericOp>(*func))
    order(op);
  llvm::SetVector<Operation *> wholes;
  for (const auto &[key, ordered] : made)
    wholes.insert(key.first.getDefiningOp());
  llvm::SetVector<DenseResourceElementsAttr> replaced;
  for (Operation *op : wholes) {
    // Slices of a constant, then the constant, if nobody else reads them.
    while (op && isOpTriviallyDead(op)) {
      Operation *source = op->getNumOperands() > 0
                              ? op->getOperand(0).getDefiningOp()
                              : nullptr;
      if (auto data = op->getAttrOfType<DenseResourceElementsAttr>("value"))
        replaced.insert(data);
      op->erase();
      op = source;
    }
  }
  freeUnused(getOperation(), replaced);
}

} // namespace tilewright::graph
