//===- DefineContent.cpp - Zeros where nothing was written ----------------===//
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_DEFINECONTENT
#include "graph/transforms/Passes.h.inc"

/// Whether a result depends on the operand's elements.
static bool isRead(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<tensor::DimOp>(op))
    return false;
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return !fill.isDpsInit(&use);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return !generic.getMatchingBlockArgument(&use).use_empty();
  return true;
}

static void define(Value value, ValueRange sizes) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpOperand *> reads;
  for (OpOperand &use : value.getUses())
    if (isRead(use))
      reads.push_back(&use);
  if (reads.empty())
    return;
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  Value empty = tensor::EmptyOp::create(b, loc, type, sizes);
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  Value zeros = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  for (OpOperand *read : reads)
    read->set(zeros);
}

namespace {
struct DefineContent : impl::DefineContentBase<DefineContent> {
  void runOnOperation() override {
    SmallVector<ub::PoisonOp> poisons;
    getOperation().walk([&](ub::PoisonOp op) { poisons.push_back(op); });
    for (ub::PoisonOp op : poisons) {
      auto type = dyn_cast<RankedTensorType>(op.getType());
      if (!type || !type.hasStaticShape())
        continue;
      OpBuilder b(op);
      op.replaceAllUsesWith(
          tensor::EmptyOp::create(b, op.getLoc(), type, ValueRange())
              .getOperation());
      op.erase();
    }
    SmallVector<tensor::EmptyOp> empties;
    getOperation().walk([&](tensor::EmptyOp op) { empties.push_back(op); });
    for (tensor::EmptyOp op : empties)
      define(op.getResult(), op.getDynamicSizes());
  }
};
} // namespace

} // namespace tilewright::graph
