//===- SimplifyRegions.cpp - What branches and loops need not yield -------===//
#include "graph/transforms/Flattener.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::graph {

//===----------------------------------------------------------------------===//
// What is the same in all iterations, or on both sides
//===----------------------------------------------------------------------===//

static bool forward(scf::ForOp op) {
  bool isChanged = false;
  for (auto [init, argument, next, result] :
       llvm::zip(op.getInitArgs(), op.getRegionIterArgs(),
                 op.getYieldedValues(), op.getResults())) {
    if ((next != argument && next != init) ||
        (argument.use_empty() && result.use_empty()))
      continue;
    argument.replaceAllUsesWith(init);
    result.replaceAllUsesWith(init);
    isChanged = true;
  }
  return isChanged;
}

/// Whether a loop passes on what it carries as it is.
static bool passesAll(scf::WhileOp op) {
  return llvm::equal(op.getConditionOp().getArgs(), op.getBeforeArguments());
}

/// Passes on what is carried in the place of poison: remove-dead-values leaves
/// that where no iteration, but the condition reads a value.
static void passOn(scf::WhileOp op) {
  if (op.getInits().getTypes() != op.getResultTypes())
    return;
  for (auto [passed, before] :
       llvm::zip(op.getConditionOp().getArgsMutable(), op.getBeforeArguments()))
    if (passed.get().getDefiningOp<ub::PoisonOp>())
      passed.set(before);
}

static bool forward(scf::WhileOp op) {
  bool isChanged = false;
  passOn(op);
  if (!passesAll(op))
    return false;
  for (auto [init, before, after, next, result] :
       llvm::zip(op.getInits(), op.getBeforeArguments(), op.getAfterArguments(),
                 op.getYieldOp().getResults(), op.getResults())) {
    if ((next != after && next != init) ||
        (before.hasOneUse() && after.use_empty() && result.use_empty()))
      continue;
    before.replaceAllUsesExcept(init, op.getConditionOp());
    after.replaceAllUsesWith(init);
    result.replaceAllUsesWith(init);
    isChanged = true;
  }
  return isChanged;
}

static bool forward(scf::IfOp op) {
  bool isChanged = false;
  if (op.getNumResults() == 0)
    return false;
  for (auto [yes, no, result] :
       llvm::zip(op.thenYield().getResults(), op.elseYield().getResults(),
                 op.getResults())) {
    if (yes != no || result.use_empty())
      continue;
    result.replaceAllUsesWith(yes);
    isChanged = true;
  }
  return isChanged;
}

//===----------------------------------------------------------------------===//
// What nobody reads
//===----------------------------------------------------------------------===//

static BitVector unreadOf(scf::ForOp op) {
  BitVector unread(op.getNumResults());
  for (auto [i, argument, result] :
       llvm::enumerate(op.getRegionIterArgs(), op.getResults()))
    unread[unsigned(i)] = argument.use_empty() && result.use_empty();
  return unread;
}

static BitVector unreadOf(scf::WhileOp op) {
  BitVector unread(op.getNumResults());
  if (!passesAll(op))
    return unread;
  for (auto [i, before, after, result] : llvm::enumerate(
           op.getBeforeArguments(), op.getAfterArguments(), op.getResults()))
    unread[unsigned(i)] =
        before.hasOneUse() && after.use_empty() && result.use_empty();
  return unread;
}

static BitVector unreadOf(scf::IfOp op) {
  BitVector unread(op.getNumResults());
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    unread[unsigned(i)] = result.use_empty();
  return unread;
}

static SmallVector<Value> without(ValueRange values, const BitVector &removed) {
  SmallVector<Value> kept;
  for (auto [i, value] : llvm::enumerate(values))
    if (!removed.test(unsigned(i)))
      kept.push_back(value);
  return kept;
}

/// The numbers behind `first` others.
static BitVector behind(unsigned first, const BitVector &numbers) {
  BitVector moved(first + numbers.size());
  for (unsigned i : numbers.set_bits())
    moved.set(first + i);
  return moved;
}

static void replace(Operation *op, Operation *by, const BitVector &removed) {
  for (auto [from, to] :
       llvm::zip_equal(without(op->getResults(), removed), by->getResults()))
    from.replaceAllUsesWith(to);
  op->erase();
}

static void remove(scf::ForOp op, const BitVector &unread) {
  OpBuilder b(op);
  auto loop =
      scf::ForOp::create(b, op.getLoc(), op.getLowerBound(), op.getUpperBound(),
                         op.getStep(), without(op.getInitArgs(), unread));
  loop->setAttrs(op->getAttrs());
  loop.getRegion().takeBody(op.getRegion());
  Block &body = *loop.getBody();
  body.eraseArguments(behind(op.getNumInductionVars(), unread));
  body.getTerminator()->eraseOperands(unread);
  replace(op, loop, unread);
}

static void remove(scf::WhileOp op, const BitVector &unread) {
  OpBuilder b(op);
  const SmallVector<Value> inits = without(op.getInits(), unread);
  auto loop =
      scf::WhileOp::create(b, op.getLoc(), TypeRange(ValueRange(inits)), inits);
  loop.getBefore().takeBody(op.getBefore());
  loop.getAfter().takeBody(op.getAfter());
  loop.getConditionOp()->eraseOperands(behind(1, unread));
  loop.getBeforeBody()->eraseArguments(unread);
  loop.getAfterBody()->eraseArguments(unread);
  loop.getYieldOp()->eraseOperands(unread);
  replace(op, loop, unread);
}

static void remove(scf::IfOp op, const BitVector &unread) {
  OpBuilder b(op);
  const SmallVector<Value> kept = without(op.getResults(), unread);
  auto branch = scf::IfOp::create(
      b, op.getLoc(), TypeRange(ValueRange(kept)), op.getCondition(),
      /*addThenBlock=*/false, /*addElseBlock=*/false);
  branch.getThenRegion().takeBody(op.getThenRegion());
  branch.getElseRegion().takeBody(op.getElseRegion());
  branch.thenYield()->eraseOperands(unread);
  branch.elseYield()->eraseOperands(unread);
  replace(op, branch, unread);
}

void simplifyRegions(func::FuncOp func) {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    func.walk([&](Operation *op) {
      TypeSwitch<Operation *>(op).Case<scf::ForOp, scf::WhileOp, scf::IfOp>(
          [&](auto region) {
            isChanged |= forward(region);
            if (BitVector unread = unreadOf(region); unread.any()) {
              remove(region, unread);
              isChanged = true;
            }
          });
    });
  }
}

} // namespace tilewright::graph
