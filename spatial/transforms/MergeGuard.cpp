#include "graph/analysis/Access.h"
#include "spatial/transforms/LowerOps.h"

using namespace mlir;

namespace tilewright::spatial {

void mergeGuard(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op->getNumResults() != 1)
    return;
  Block &body = *op.getBody();
  Operation *end = body.getTerminator();
  BlockArgument acc = body.getArguments().back();
  auto guard = end->getOperand(0).getDefiningOp<arith::SelectOp>();
  if (!guard || !guard->hasOneUse())
    return;
  const bool isInverted = guard.getTrueValue() == acc;
  Value combined = isInverted ? guard.getFalseValue() : guard.getTrueValue();
  Value kept = isInverted ? guard.getTrueValue() : guard.getFalseValue();
  Operation *combiner = combined.getDefiningOp();
  // The accumulator is combined and kept, and nothing else.
  if (kept != acc || !combiner || !combined.hasOneUse() ||
      combiner->getNumOperands() != 2 ||
      !llvm::is_contained(combiner->getOperands(), acc) ||
      range_size(acc.getUses()) != 2)
    return;
  const unsigned side = combiner->getOperand(0) == acc ? 1 : 0;
  Value element = combiner->getOperand(side);
  TypedAttr neutral = graph::neutralOf({combiner, element});
  if (!neutral || neutral.getType() != element.getType())
    return;
  OpBuilder builder(guard);
  Value none = arith::ConstantOp::create(builder, guard.getLoc(), neutral);
  Value chosen =
      isInverted ? arith::SelectOp::create(builder, guard.getLoc(),
                                           guard.getCondition(), none, element)
                 : arith::SelectOp::create(builder, guard.getLoc(),
                                           guard.getCondition(), element, none);
  // The condition may be computed behind the combiner.
  combiner->moveBefore(guard);
  combiner->setOperand(side, chosen);
  end->setOperand(0, combined);
  guard.erase();
}

} // namespace tilewright::spatial
