//===- Rings.cpp - Slots and groups of copies, as far as known ------------===//
#include "codegen/tilegpu/Rings.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tilewright::tilegpu {

SmallVector<Operation *> usersOf(AllocOp memory) {
  SmallVector<Operation *> users, open(memory->getUsers());
  while (!open.empty()) {
    Operation *user = open.pop_back_val();
    if (isa<MemoryIdentityOpInterface>(user))
      llvm::append_range(open, user->getUsers());
    else
      users.push_back(user);
  }
  return users;
}

//===--- Slots ------------------------------------------------------------===//

/// `number` of a ring of so many slots: a constant or some slots behind a base.
static SlotNumber directNumber(Value number, int64_t slots) {
  int64_t distance = 0;
  while (auto advance = number.getDefiningOp<AdvanceOp>()) {
    if (int64_t(advance.getSlots()) != slots)
      break;
    distance += int64_t(advance.getBy());
    number = advance.getNumber();
  }
  APInt constant;
  if (matchPattern(number, m_ConstantInt(&constant)))
    return {{}, (distance + constant.getSExtValue()) % slots, slots};
  return {number, distance % slots, slots};
}

/// A loop may carry a number and the one that it had an iteration before. The
/// second is then some slots behind the first, in each iteration.
static SlotNumber slotNumberOf(Value number, int64_t slots) {
  const SlotNumber direct = directNumber(number, slots);
  auto argument = dyn_cast_or_null<BlockArgument>(direct.base);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument == loop.getInductionVar())
    return direct;
  auto yieldedBy = [&](BlockArgument carried) {
    return directNumber(loop.getTiedLoopYieldedValue(carried)->get(), slots);
  };
  auto initOf = [&](BlockArgument carried) {
    return directNumber(loop.getTiedLoopInit(carried)->get(), slots);
  };
  const SlotNumber follows = yieldedBy(argument);
  auto leader = dyn_cast_or_null<BlockArgument>(follows.base);
  if (!leader || leader == argument || leader.getOwner() != loop.getBody() ||
      leader == loop.getInductionVar())
    return direct;
  const SlotNumber next = yieldedBy(leader);
  const int64_t distance = follows.distance - next.distance + slots;
  SlotNumber first = initOf(leader);
  first.distance = (first.distance + distance) % slots;
  if (next.base != leader || initOf(argument) != first)
    return direct;
  return {leader, (direct.distance + distance) % slots, slots};
}

SlotNumber slotNumberOf(Value memory) {
  MemoryIdentityOpInterface identity = identityOf(memory);
  Value number = identity.getSlotNumber();
  return number ? slotNumberOf(number, identity.getRoot().getType().getSlots())
                : SlotNumber();
}

/// `slot`, named by `to` instead of `from`, if that is what its base is.
static bool rename(SlotNumber &slot, const SlotNumber &from, Value to) {
  if (from.base != slot.base)
    return false;
  slot.base = to;
  slot.distance = (slot.distance - from.distance + slot.slots) % slot.slots;
  return true;
}

SlotNumber enterLoop(const SlotNumber &slot, scf::ForOp loop) {
  if (!slot.slots)
    return slot;
  for (auto [init, argument] :
       llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs())) {
    SlotNumber inside = slot;
    if (init.getType().isInteger(32) &&
        rename(inside, slotNumberOf(init, slot.slots), argument))
      return inside;
  }
  return slot;
}

/// In terms of the values that take those of the loop's yield: they stand for
/// what `slot` is based on.
static SlotNumber afterYield(const SlotNumber &slot, scf::ForOp loop,
                             ValueRange targets) {
  if (!slot.slots || !slot.base || loop.isDefinedOutsideOfLoop(slot.base))
    return slot;
  for (auto [yielded, target] : llvm::zip(loop.getYieldedValues(), targets)) {
    SlotNumber after = slot;
    if (yielded.getType().isInteger(32) &&
        rename(after, slotNumberOf(yielded, slot.slots), target))
      return after;
  }
  return {};
}

SlotNumber nextIteration(const SlotNumber &slot, scf::ForOp loop) {
  return afterYield(slot, loop, loop.getRegionIterArgs());
}

SlotNumber leaveLoop(const SlotNumber &slot, scf::ForOp loop) {
  return afterYield(slot, loop, loop.getResults());
}

//===--- Groups of copies -------------------------------------------------===//

/// Commits that are surely executed from `from` on, before `to`, in one block;
/// null: to its ends.
static int64_t commitsBetween(Block &block, Operation *from, Operation *to) {
  int64_t count = 0;
  auto begin = from ? std::next(from->getIterator()) : block.begin();
  auto end = to ? to->getIterator() : block.end();
  for (Operation &op : llvm::make_range(begin, end))
    count += isa<CommitOp>(op);
  return count;
}

namespace {
/// Traces one token back.
class TokenTrace {
public:
  /// The least number of groups committed between the token's and `to`.
  FailureOr<int64_t> before(Value token, Operation *to);

private:
  /// That are the iter args of loops on the way: a token that a loop only
  /// carries is as old as its other origins say.
  SmallVector<Value> open;
};
} // namespace

FailureOr<int64_t> TokenTrace::before(Value token, Operation *to) {
  // Commits from the start of each block around `to`, up to that of the token.
  int64_t count = 0;
  Operation *made = token.getDefiningOp();
  Block *block = token.getParentBlock();
  while (to->getBlock() != block) {
    count += commitsBetween(*to->getBlock(), nullptr, to);
    to = to->getParentOp();
  }
  count += commitsBetween(*block, made, to);
  if (isa_and_nonnull<CommitOp>(made))
    return count;
  auto loop = dyn_cast_or_null<scf::ForOp>(made ? made : block->getParentOp());
  if (!loop)
    return failure();
  unsigned index = 0;
  if (made) {
    index = cast<OpResult>(token).getResultNumber();
  } else {
    auto argument = cast<BlockArgument>(token);
    if (argument == loop.getInductionVar())
      return failure();
    index = argument.getArgNumber() - loop.getNumInductionVars();
    if (llvm::is_contained(open, token))
      return std::numeric_limits<int64_t>::max() / 2;
    open.push_back(token);
  }
  FailureOr<int64_t> initial = before(loop.getInitArgs()[index], loop);
  FailureOr<int64_t> yielded =
      before(loop.getYieldedValues()[index], loop.getBody()->getTerminator());
  if (!made)
    open.pop_back();
  if (failed(initial) || failed(yielded))
    return failure();
  return count + std::min(*initial, *yielded);
}

FailureOr<int64_t> laterGroups(WaitOp wait) {
  FailureOr<int64_t> groups = TokenTrace().before(wait.getGroup(), wait);
  if (failed(groups))
    return wait.emitOpError()
           << "expected the token of a tilegpu.commit, directly or carried by "
              "an scf.for";
  return groups;
}

} // namespace tilewright::tilegpu
