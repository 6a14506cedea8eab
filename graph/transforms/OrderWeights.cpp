//===- OrderWeights.cpp - Weights of convolutions as their kernels read them =//
#include "graph/analysis/Access.h"
#include "graph/analysis/Blocks.h"
#include "graph/analysis/Targets.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"
#include "graph/transforms/Resources.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/MapVector.h"
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
  void order(linalg::GenericOp op);

  /// Constants in an order, which several ops may read.
  llvm::MapVector<std::pair<Value, ArrayAttr>, Value> made;
};
} // namespace

/// Whether matrix units multiply such weights.
bool OrderWeights::isOfUnits(Type element) const {
  return element.isF16() || element.isBF16() || element.isInteger(8) ||
         (ofF32 && element.isF32());
}

/// Puts the weights of a convolution in order, if they are constant. Of few
/// channels, the weights of one point of the window lie far apart, and are most
/// of what a program reads.
void OrderWeights::order(linalg::GenericOp op) {
  constexpr int64_t fewChannels = 16;
  const SmallVector<unsigned> depths = plainReductionLoops(op);
  if (!isMatrixProduct(op))
    return;
  const bool hasFewChannels =
      depths.empty() || op.getStaticLoopRanges()[depths.back()] < fewChannels;
  for (OpOperand *weights : op.getDpsInputOperands()) {
    auto constant = weights->get().getDefiningOp<arith::ConstantOp>();
    auto elements =
        constant ? dyn_cast<ElementsAttr>(constant.getValue()) : ElementsAttr();
    const SmallVector<int64_t> order = windowsFirst(op, *weights);
    if (!elements || order.empty() ||
        (!hasFewChannels && !isOfUnits(elements.getElementType())))
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
  if (!targetWithoutUnits(getOperation()).empty())
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
