//===- OrderWeights.cpp - Constant weights as their kernels read them -----===//
#include "graph/analysis/Access.h"
#include "graph/analysis/Blocks.h"
#include "graph/analysis/Targets.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"
#include "graph/transforms/Resources.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
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

/// The elements of a constant with its dimensions in another order.
static ElementsAttr permuted(ElementsAttr constant, ArrayRef<char> from,
                             ArrayRef<int64_t> order) {
  const auto type = cast<RankedTensorType>(constant.getType());
  const SmallVector<int64_t> strides = computeStrides(type.getShape());
  SmallVector<int64_t> shape, steps;
  for (int64_t dim : order) {
    shape.push_back(type.getDimSize(dim));
    steps.push_back(strides[dim]);
  }
  const int64_t bytes = type.getElementTypeBitWidth() / 8;
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(from.size(), /*align=*/64);
  char *to = blob.getMutableData().data();
  SmallVector<int64_t> at(shape.size(), 0);
  for (int64_t i = 0, count = type.getNumElements(); i < count; ++i) {
    std::memcpy(to + i * bytes, from.data() + linearize(at, steps) * bytes,
                size_t(bytes));
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++at[dim] < shape[dim])
        break;
      at[dim] = 0;
    }
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  return DenseResourceElementsAttr::get(
      type.clone(shape),
      resource ? resource.getRawHandle().getKey() : StringRef("weights"),
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

/// The order of constant weights for the targets; empty: as they are. Of few
/// channels, the weights of one point of the window lie far apart, and are most
/// of what a program of matrix units reads.
SmallVector<int64_t> OrderWeights::orderFor(linalg::GenericOp op,
                                            OpOperand &weights) const {
  constexpr int64_t fewChannels = 16;
  if (!isMatrixProduct(op))
    return {};
  if (isCpu)
    return neighboursLast(op, weights);
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
    auto constant = weights->get().getDefiningOp<arith::ConstantOp>();
    auto elements =
        constant ? dyn_cast<ElementsAttr>(constant.getValue()) : ElementsAttr();
    const SmallVector<int64_t> order =
        elements ? orderFor(op, *weights) : SmallVector<int64_t>();
    if (order.empty())
      continue;
    const auto wantsOther = [&](OpOperand &use) {
      auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
      return !reader || !reader.isDpsInput(&use) ||
             orderFor(reader, use) != order;
    };
    if (isCpu && llvm::any_of(constant->getUses(), wantsOther))
      continue;
    const ArrayRef<char> bytes = bytesOf(elements);
    if (bytes.empty() || elements.isSplat())
      continue;
    OpBuilder b(constant);
    Value &ordered = made[{constant, b.getI64ArrayAttr(order)}];
    if (!ordered)
      ordered = arith::ConstantOp::create(
          b, constant.getLoc(),
          cast<TypedAttr>(permuted(elements, bytes, order)));
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
  llvm::SetVector<Operation *> constants;
  for (const auto &[key, ordered] : made)
    constants.insert(key.first.getDefiningOp());
  llvm::SetVector<DenseResourceElementsAttr> replaced;
  for (Operation *constant : constants) {
    if (auto data = constant->getAttrOfType<DenseResourceElementsAttr>("value"))
      replaced.insert(data);
    if (isOpTriviallyDead(constant))
      constant->erase();
  }
  freeUnused(getOperation(), replaced);
}

} // namespace tilewright::graph
