//===- GatheredProducers.cpp - What is computed where it is gathered ------===//
#include "graph/analysis/GatheredProducers.h"

#include "graph/analysis/Access.h"
#include "graph/analysis/Recomputation.h"

using namespace mlir;

namespace tilewright::graph {

/// Whether elements of the op's result may be computed one by one, from
/// elements of its operands.
static bool hasElements(linalg::GenericOp op) {
  return op && isElementwise(op) &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() &&
         op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty() &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return llvm::all_of(
               map.getResults(),
               llvm::IsaPred<AffineDimExpr, AffineConstantExpr>);
         });
}

/// The op that computes a tensor of whose elements each may be computed alone.
static linalg::GenericOp producerOf(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  return hasElements(op) ? op : linalg::GenericOp();
}

/// Whether a reader makes its operand be in memory.
static bool needsMemory(OpOperand &use) {
  if (!readsContent(use) || isa<tensor::ExtractOp>(use.getOwner()))
    return false;
  auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
  return !reader || isContraction(reader) || windowLoops(reader).any();
}

/// Whether `reader` may compute what it gathers of the result of `op`: there
/// are no more elements than are computed anyway, or each costs no more than a
/// load.
static bool mayComputeIn(linalg::GenericOp reader, linalg::GenericOp op) {
  // A loop would compute it again, and a branch may not need it.
  if (!reader || reader.getNumReductionLoops() != 0 ||
      reader->getBlock() != op->getBlock())
    return false;
  if (decompresses(op))
    return true;
  auto type = cast<RankedTensorType>(op.getResultTypes()[0]);
  // A dimension less is less, whatever the sizes are.
  if (reader.getNumLoops() < unsigned(type.getRank()))
    return true;
  SmallVector<int64_t> ranges = reader.getStaticLoopRanges();
  return type.hasStaticShape() &&
         llvm::none_of(ranges, ShapedType::isDynamic) &&
         llvm::product_of(ranges) <= type.getNumElements();
}

static linalg::GenericOp readerOf(Operation *extract) {
  return extract->getParentOfType<linalg::GenericOp>();
}

GatheredProducers::GatheredProducers(ArrayRef<linalg::GenericOp> ops) {
  for (linalg::GenericOp op : llvm::reverse(ops))
    if (hasElements(op))
      collect(op);
  // What an element costs depends on what its operands are.
  for (linalg::GenericOp op : ops)
    if (auto known = reads.find(op);
        known != reads.end() && !known->second.gathers.empty())
      decide(op);
}

linalg::GenericOp GatheredProducers::computedIn(linalg::GenericOp reader,
                                                Value tensor) const {
  linalg::GenericOp op = producerOf(tensor);
  return op && chosen.contains(op) && mayComputeIn(reader, op)
             ? op
             : linalg::GenericOp();
}

void GatheredProducers::collect(linalg::GenericOp op) {
  Reads all;
  auto add = [&](Operation *gather) {
    if (all.gathers.size() < mostGathers)
      all.gathers.insert(gather);
  };
  for (OpOperand &use : op->getUses()) {
    if (!readsContent(use))
      continue;
    all.isInMemory |= needsMemory(use);
    if (!isa<tensor::ExtractOp>(use.getOwner()))
      all.isInMemory |= use.getOwner()->getBlock() != op->getBlock();
    if (isa<tensor::ExtractOp>(use.getOwner())) {
      all.isInMemory |= !mayComputeIn(readerOf(use.getOwner()), op);
      add(use.getOwner());
      continue;
    }
    // What reads it in place brings its own readers along.
    auto behind = reads.find(use.getOwner());
    if (behind == reads.end() || behind->second.isInMemory) {
      all.isInPlace = true;
      continue;
    }
    all.isInPlace |= behind->second.isInPlace;
    for (Operation *gather : behind->second.gathers)
      add(gather);
  }
  reads[op] = std::move(all);
}

/// What one element costs where it is gathered; a large number is not exact.
int64_t GatheredProducers::priceOf(linalg::GenericOp op) {
  constexpr int64_t most = 1024;
  if (auto known = prices.find(op); known != prices.end())
    return known->second;
  int64_t price = 0;
  // The op, and what is computed of the same elements.
  llvm::SetVector<Operation *> pending;
  llvm::SmallPtrSet<Operation *, 8> loaded;
  pending.insert(op);
  for (size_t next = 0; next < pending.size() && price < most; ++next) {
    auto each = cast<linalg::GenericOp>(pending[next]);
    price += bodyPrice(each);
    for (OpOperand *input : each.getDpsInputOperands()) {
      linalg::GenericOp source = producerOf(input->get());
      if (each.getMatchingBlockArgument(input).use_empty() ||
          isSplatConstant(input->get()))
        continue;
      if (source && chosen.contains(source))
        pending.insert(source);
      else if (Operation *from = input->get().getDefiningOp();
               !from || loaded.insert(from).second)
        price += loadPrice;
    }
    // bodyPrice() counts a load for each.
    each.getBody()->walk([&](tensor::ExtractOp extract) {
      if (linalg::GenericOp source = producerOf(extract.getTensor());
          source && chosen.contains(source))
        price += priceOf(source) - loadPrice;
    });
  }
  return prices[op] = std::min(price, most);
}

void GatheredProducers::decide(linalg::GenericOp op) {
  const Reads &all = reads.find(op)->second;
  auto type = cast<RankedTensorType>(op.getResultTypes()[0]);
  const int64_t price = priceOf(op);
  bool isCheaper = price <= loadPrice || decompresses(op);
  if (!all.isInMemory) {
    double times = all.isInPlace ? 1 : 0;
    for (Operation *gather : all.gathers)
      times += shareOf(readerOf(gather).getStaticLoopRanges(), type);
    isCheaper = isCheaperAgain(times, price, type);
  }
  if (isCheaper)
    chosen.insert(op);
}

} // namespace tilewright::graph
