//===- Blocks.cpp - The blocks of a graph ---------------------------------===//
#include "graph/analysis/Blocks.h"

#include "graph/ir/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

bool isBranchOrLoop(Operation *op) {
  return isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op);
}

bool isCarriedType(Type type) { return isa<RankedTensorType, IndexType>(type); }

/// Whether a number that a loop carries begins at 0 and is one more after each
/// iteration.
static bool isCounter(scf::WhileOp op, BlockArgument count) {
  const unsigned number = count.getArgNumber();
  auto next = op.getYieldOp().getOperand(number).getDefiningOp<arith::AddIOp>();
  if (!matchPattern(op.getInits()[number], m_Zero()) || !next ||
      !matchPattern(next.getRhs(), m_One()))
    return false;
  // The body gets it as one of the values that are passed on.
  auto passed = dyn_cast<BlockArgument>(next.getLhs());
  return passed && passed.getOwner() == op.getAfterBody() &&
         op.getConditionOp().getArgs()[passed.getArgNumber()] == count;
}

/// The count and its limit, if the value says that one is below the other.
static std::optional<LoopCondition> countOf(scf::WhileOp op, Value value) {
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
      !compare.getLhs().getType().isIndex() ||
      op->isAncestor(compare.getRhs().getParentBlock()->getParentOp()))
    return std::nullopt;
  auto count = dyn_cast<BlockArgument>(compare.getLhs());
  if (!count || count.getOwner() != op.getBeforeBody() || !isCounter(op, count))
    return std::nullopt;
  return LoopCondition{{}, count, compare.getRhs()};
}

LoopCondition conditionOf(scf::WhileOp op) {
  Value condition = op.getConditionOp().getCondition();
  if (std::optional<LoopCondition> count = countOf(op, condition))
    return *count;
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    for (auto [data, compare] : {std::pair(both.getLhs(), both.getRhs()),
                                 std::pair(both.getRhs(), both.getLhs())})
      if (std::optional<LoopCondition> count = countOf(op, compare)) {
        count->data = data;
        return *count;
      }
  return {condition, {}, {}};
}

bool isRotatedLoop(scf::WhileOp op) {
  Block *before = op.getBeforeBody();
  if (!llvm::equal(op.getConditionOp().getArgs(), before->getArguments()) ||
      !llvm::all_of(op.getResultTypes(), isCarriedType))
    return false;
  LoopCondition condition = conditionOf(op);
  auto read = condition.data ? condition.data.getDefiningOp<ConditionOp>()
                             : ConditionOp();
  auto carried =
      read ? dyn_cast<BlockArgument>(read.getTensor()) : BlockArgument();
  return carried && carried.getOwner() == before;
}

SmallVector<Block *> graphBlocks(func::FuncOp func) {
  SmallVector<Block *> blocks{&func.getBody().front()};
  for (size_t next = 0; next < blocks.size(); ++next)
    for (Operation &op : *blocks[next])
      if (isBranchOrLoop(&op))
        for (Region &region : op.getRegions())
          for (Block &block : region)
            blocks.push_back(&block);
  return blocks;
}

static void addOps(Block &block, SmallVector<Operation *> &ops) {
  for (Operation &op : block) {
    ops.push_back(&op);
    if (isBranchOrLoop(&op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          addOps(inner, ops);
  }
}

SmallVector<Operation *> graphOps(func::FuncOp func) {
  SmallVector<Operation *> ops;
  addOps(func.getBody().front(), ops);
  return ops;
}

} // namespace tilewright::graph
