#include "tileir/reference/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileir/reference/SetOps.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tilewright::reference {

/// Whether an op has float results that it rounds.
static bool rounds(Operation &op) {
  if (isa<arith::ConstantOp, arith::SelectOp, arith::MaximumFOp,
          arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::NegFOp,
          arith::ExtFOp, arith::BitcastOp>(op))
    return false;
  return llvm::any_of(op.getResultTypes(), [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  });
}

Combination combinationOf(Block &region, unsigned inputs, unsigned number) {
  mlir::Value left = region.getArgument(number);
  mlir::Value right = region.getArgument(inputs + number);
  Operation *last = region.getTerminator()->getOperand(number).getDefiningOp();
  auto combines = [&](auto op) {
    return op && ((op.getLhs() == left && op.getRhs() == right) ||
                  (op.getLhs() == right && op.getRhs() == left));
  };
  if (combines(dyn_cast_or_null<arith::AddFOp>(last)))
    return Combination::sum;
  if (combines(dyn_cast_or_null<arith::MulFOp>(last)))
    return Combination::product;
  // The ops that the result depends on.
  llvm::SmallVector<Operation *> pending = {last};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (!op || op->getBlock() != &region || !seen.insert(op).second)
      continue;
    if (rounds(*op) || op->getNumRegions() > 0)
      return Combination::other;
    for (mlir::Value operand : op->getOperands())
      pending.push_back(operand.getDefiningOp());
  }
  return Combination::exact;
}

OpenCombination::OpenCombination(Combination combination, Type type,
                                 const FreedomOptions &options)
    : combination(combination) {
  const bool isSum = combination == Combination::sum;
  if (isSum || combination == Combination::product)
    sum.emplace(isSum ? AnyOrder::Kind::sum : AnyOrder::Kind::product,
                SetRules(cast<FloatType>(type), options));
}

void OpenCombination::add(const Element &element) {
  isPoison |= element.isPoison();
  areSingle &= !element.hasSpread();
  ++count;
  if (sum && !isPoison)
    sum->add(element.permitted());
}

/// To sort the terms behind each element takes quadratic time.
static constexpr int64_t kMostSorted = 1024;

Element OpenCombination::result(const Element &computed, bool isScan) const {
  if (isPoison || computed.isPoison() || combination == Combination::exact)
    return computed;
  if (!sum)
    return computed.among(Permitted::any());
  return settle(computed, sum->result(isScan && count > kMostSorted),
                areSingle);
}

} // namespace tilewright::reference
