//===- Walk.cpp - The ways that lead on from an access --------------------===//
#include "verify/barriers/Walk.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace tilewright::verify {

std::optional<int64_t> slotsBeyond(const Point &point, const SlotNumber &to,
                                   int64_t slots) {
  auto found = point.slot.find(to.base.getAsOpaquePointer());
  if (found == point.slot.end())
    return std::nullopt;
  return (found->second - to.distance + slots) % slots;
}

bool isAtItsWait(const Point &point) {
  auto wait = dyn_cast<tilegpu::WaitOp>(point.op);
  return wait && point.isOpen && point.isCommitted &&
         point.tokens.contains(wait.getGroup().getAsOpaquePointer());
}

//===--- Ways through a kernel --------------------------------------------===//

/// To the first op of `region`, or, if that is null, to what follows `parent`,
/// where `operands` are called `inputs`.
void Walk::enter(Region *region, Operation *parent, ValueRange operands,
                 ValueRange inputs, Point point) {
  std::map<const void *, int64_t> slot;
  std::set<const void *> tokens;
  for (auto [operand, input] : llvm::zip(operands, inputs)) {
    const void *name = input.getAsOpaquePointer();
    if (point.tokens.contains(operand.getAsOpaquePointer()))
      tokens.insert(name);
    if (slots && operand.getType().isInteger(32))
      if (auto beyond = slotsBeyond(point, slotNumberOf(operand, slots), slots))
        slot[name] = *beyond;
  }
  auto isGone = [&](const void *name) {
    Value value = Value::getFromOpaquePointer(name);
    if (!value)
      return false;
    return region
               ? value.getParentBlock() == &region->front() &&
                     isa<BlockArgument>(value)
               : parent->isAncestor(value.getParentRegion()->getParentOp()) ||
                     value.getDefiningOp() == parent;
  };
  std::erase_if(point.slot, [&](auto &each) { return isGone(each.first); });
  std::erase_if(point.tokens, isGone);
  point.slot.merge(slot);
  point.tokens.merge(tokens);
  if (!region)
    return visit(parent->getNextNode(), std::move(point));
  Block &block = region->front();
  for (Value location : locations)
    point.renewed |= llvm::is_contained(block.getArguments(), location);
  visit(&block.front(), std::move(point));
}

/// To all ops that may run right after that at `point`.
void Walk::follow(const Point &point) {
  Operation *op = point.op, *parent = op;
  SmallVector<RegionSuccessor> successors;
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
    for (const RegionSuccessor &successor : successors)
      enter(successor.getSuccessor(), op,
            branch.getEntrySuccessorOperands(successor),
            successor.getSuccessorInputs(), point);
    return;
  }
  // What it reads stops no walk: also if it is not live, what follows is met.
  if (auto copy = dyn_cast<tilegpu::CopyOp>(op))
    return visit(&copy.getSource().front().front(), point);
  if (op->getNextNode())
    return visit(op->getNextNode(), point);
  parent = op->getParentOp();
  if (isa<tilegpu::CopyOp>(parent))
    return visit(parent->getNextNode(), point);
  auto around = dyn_cast<RegionBranchOpInterface>(parent);
  if (!around)
    return; // The end of the kernel.
  auto terminator = cast<RegionBranchTerminatorOpInterface>(op);
  around.getSuccessorRegions(*op->getParentRegion(), successors);
  for (const RegionSuccessor &successor : successors)
    enter(successor.getSuccessor(), parent,
          terminator.getSuccessorOperands(successor),
          successor.getSuccessorInputs(), point);
}

/// What is known after the op at `point`.
void Walk::pass(Point &point) {
  for (Value location : locations)
    point.renewed |= location.getDefiningOp() == point.op;
  for (Value result : point.op->getResults()) {
    point.slot.erase(result.getAsOpaquePointer());
    point.tokens.erase(result.getAsOpaquePointer());
  }
  if (auto commit = dyn_cast<tilegpu::CommitOp>(point.op);
      commit && point.isOpen && !point.isCommitted) {
    // A commit without the copy leaves it in no group.
    point.isCommitted = llvm::any_of(commit.getCopies(), [&](Value copy) {
      return point.tokens.contains(copy.getAsOpaquePointer());
    });
    point.tokens.clear();
    if (point.isCommitted)
      point.tokens.insert(commit.getGroup().getAsOpaquePointer());
  }
  if (isAtItsWait(point)) {
    point.isOpen = point.isCommitted = false;
    point.wait = point.op;
    point.tokens.clear();
  }
}

void Walk::run(llvm::function_ref<void(const Point &)> met) {
  follow(start);
  while (!work.empty()) {
    Point at = std::move(work.back());
    work.pop_back();
    if (isa<tilegpu::BarrierOp>(at.op) && !at.isOpen)
      continue;
    met(at);
    pass(at);
    follow(at);
  }
}

} // namespace tilewright::verify
