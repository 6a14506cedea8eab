//===- UnreadCarried.cpp - What loops carry and nobody reads --------------===//
#include "graph/transforms/Flattener.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::graph {

/// Which values a loop carries for nothing: neither an iteration nor what
/// follows the loop reads them.
static BitVector unreadOf(scf::ForOp op) {
  BitVector unread(op.getNumResults());
  for (auto [i, argument, result] :
       llvm::enumerate(op.getRegionIterArgs(), op.getResults()))
    unread[unsigned(i)] = argument.use_empty() && result.use_empty();
  return unread;
}

static BitVector unreadOf(scf::WhileOp op) {
  BitVector unread(op.getNumResults());
  scf::ConditionOp condition = op.getConditionOp();
  if (!llvm::equal(condition.getArgs(), op.getBeforeArguments()))
    return unread;
  for (auto [i, before, after, result] : llvm::enumerate(
           op.getBeforeArguments(), op.getAfterArguments(), op.getResults()))
    unread[unsigned(i)] =
        before.hasOneUse() && after.use_empty() && result.use_empty();
  return unread;
}

static SmallVector<Value> without(ValueRange values, const BitVector &removed) {
  SmallVector<Value> kept;
  for (auto [i, value] : llvm::enumerate(values))
    if (!removed.test(unsigned(i)))
      kept.push_back(value);
  return kept;
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
  BitVector arguments(body.getNumArguments());
  for (unsigned i : unread.set_bits())
    arguments.set(i + op.getNumInductionVars());
  body.eraseArguments(arguments);
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
  BitVector passed(1);
  passed.resize(unread.size() + 1);
  for (unsigned i : unread.set_bits())
    passed.set(i + 1);
  loop.getConditionOp()->eraseOperands(passed);
  loop.getBeforeBody()->eraseArguments(unread);
  loop.getAfterBody()->eraseArguments(unread);
  loop.getYieldOp()->eraseOperands(unread);
  replace(op, loop, unread);
}

void removeUnreadCarried(func::FuncOp func) {
  func.walk([](Operation *op) {
    llvm::TypeSwitch<Operation *>(op).Case<scf::ForOp, scf::WhileOp>(
        [](auto loop) {
          if (BitVector unread = unreadOf(loop); unread.any())
            remove(loop, unread);
        });
  });
}

} // namespace tilewright::graph
