//===- States.cpp - Values that live from run to run ----------------------===//
#include "graph/analysis/States.h"

#include "graph/analysis/Access.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

BlockArgument stateUpdatedBy(func::FuncOp func, unsigned result) {
  for (auto [updates, name] :
       {std::pair(kUpdatesAttr, kStateAttr),
        std::pair(kOverwritesAttr, llvm::StringLiteral("graph.name"))})
    if (auto updated = func.getResultAttrOfType<StringAttr>(result, updates))
      for (BlockArgument argument : func.getArguments())
        if (updated == func.getArgAttr(argument.getArgNumber(), name))
          return argument;
  return {};
}

SmallVector<StateUpdate> stateUpdates(func::FuncOp func) {
  SmallVector<StateUpdate> updates;
  Operation *end = func.getBody().front().getTerminator();
  for (auto [result, value] : llvm::enumerate(end->getOperands())) {
    BlockArgument state = stateUpdatedBy(func, unsigned(result));
    if (state && state != value)
      updates.push_back({state, unsigned(result), value});
  }
  return updates;
}

static bool isView(Operation *op) {
  return isa<tensor::ReshapeOp, tensor::CastOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, ResizeRowsOp>(op);
}

Value memoryOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool hasWholeMemory(Value value) {
  for (Operation *op = value.getDefiningOp(); op && isView(op);
       op = op->getOperand(0).getDefiningOp())
    if (isa<ResizeRowsOp>(op))
      return false;
  return true;
}

bool isReadFrom(Value value, Operation *first, OpOperand *except) {
  Block *block = first->getBlock();
  SmallVector<Value> pending{memoryOf(value)};
  while (!pending.empty())
    for (OpOperand &use : pending.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isView(user)) {
        if (use.getOperandNumber() == 0)
          pending.push_back(user->getResult(0));
        continue;
      }
      Operation *reader = block->findAncestorOpInBlock(*user);
      if (&use != except && readsContent(use) &&
          !reader->isBeforeInBlock(first))
        return true;
    }
  return false;
}

SmallVector<Value> updateChain(const StateUpdate &update) {
  SmallVector<Value> chain;
  Value at = update.value;
  while (at != update.state) {
    Operation *op = at.getDefiningOp();
    if (!op)
      return {};
    chain.push_back(at);
    if (isView(op))
      at = op->getOperand(0);
    else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      at = insert.getDest();
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      at = scatter.getData();
    else
      return {};
  }
  return chain;
}

/// The operand of a group that its only op, a scatter, changes; null for other
/// groups.
static OpOperand *changedOperand(GroupOp group) {
  auto scatter = group.getYielded().front().getDefiningOp<ScatterOp>();
  auto data = scatter ? dyn_cast<BlockArgument>(scatter.getData()) : nullptr;
  if (!data || !data.hasOneUse())
    return nullptr;
  return &group->getOpOperand(data.getArgNumber());
}

/// Adds the groups on the way back from the update, if all may change their
/// data in place.
static void addInPlace(const StateUpdate &update,
                       llvm::DenseSet<Operation *> &inPlace) {
  SmallVector<Operation *> groups;
  for (Value at = memoryOf(update.value); at != update.state;) {
    auto group = at.getDefiningOp<GroupOp>();
    OpOperand *changed = group ? changedOperand(group) : nullptr;
    if (!changed || isReadFrom(changed->get(), group, changed))
      return;
    groups.push_back(group);
    at = memoryOf(changed->get());
  }
  inPlace.insert(groups.begin(), groups.end());
}

llvm::DenseSet<Operation *> scattersInPlace(func::FuncOp func) {
  llvm::DenseSet<Operation *> inPlace;
  for (const StateUpdate &update : stateUpdates(func))
    addInPlace(update, inPlace);
  return inPlace;
}

} // namespace tilewright::graph
