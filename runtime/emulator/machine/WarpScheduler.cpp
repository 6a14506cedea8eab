#include "runtime/emulator/machine/Observer.h"
#include "runtime/emulator/machine/Scheduler.h"
#include "runtime/emulator/program/Layout.h"
#include <algorithm>
#include <cstring>

namespace tilewright::emulator {

namespace {
/// Jumps back that a group may make while others are stopped.
constexpr uint32_t maxBackJumps = 256;

bool canMerge(const LaneGroup &a, const LaneGroup &b) {
  return a.frame == b.frame && a.index == b.index && a.token == b.token;
}

/// Whether `a` runs before `b`.
bool isFirst(const LaneGroup &a, const LaneGroup &b) {
  if (a.frame->depth != b.frame->depth)
    return a.frame->depth > b.frame->depth;
  return a.index < b.index;
}

/// Puts the running group to the others, and together what has met.
void park(Warp &warp) {
  if (!warp.group.lanes)
    return;
  warp.others.push_back(warp.group);
  warp.group.lanes = 0;
  for (size_t i = 0; i + 1 < warp.others.size(); ++i) {
    LaneGroup &last = warp.others.back();
    if (!canMerge(warp.others[i], last))
      continue;
    warp.others[i].lanes |= last.lanes;
    warp.others[i].waits = false;
    warp.others.pop_back();
    break;
  }
}

/// Takes the group to run out of the others. False: all wait.
bool select(Warp &warp) {
  park(warp);
  LaneGroup *best = nullptr;
  size_t count = warp.others.size();
  // Lanes may wait for others that are later in order; these run when the
  // former have jumped back often: the list is round-robin, with the group that
  // just ran at its end.
  for (size_t i = 0; i < count; ++i) {
    LaneGroup &group = warp.others[i];
    if (group.waits)
      continue;
    if (!best || (!warp.rotates && isFirst(group, *best)))
      best = &group;
  }
  if (!best)
    return false;
  warp.rotates = false;
  warp.backJumps = 0;
  warp.group = *best;
  warp.others.erase(warp.others.begin() + (best - warp.others.data()));
  warp.mergeIndex = ~uint32_t{0};
  for (const LaneGroup &group : warp.others)
    if (group.frame == warp.group.frame && group.index > warp.group.index)
      warp.mergeIndex = std::min(warp.mergeIndex, group.index);
  warp.banks[Ref::frame] = warp.group.frame->registers;
  return true;
}

/// Whether select() would only find the same group again.
bool staysFirst(const Warp &warp) {
  if (!warp.group.lanes || warp.yields || warp.rotates ||
      warp.banks[Ref::frame] != warp.group.frame->registers)
    return false;
  return warp.others.empty();
}

/// The lanes whose guard is true.
uint32_t guarded(const Warp &warp, const Instruction &instruction) {
  uint32_t lanes = warp.group.lanes;
  if (!instruction.guard.present())
    return lanes;
  uint32_t predicate;
  std::memcpy(&predicate,
              warp.banks[instruction.guard.bank()] + instruction.guard.offset(),
              4);
  return lanes & (instruction.guardNegated ? ~predicate : predicate);
}

/// Runs `instruction` and notifies the observer.
Step executeWatched(Warp &warp, const Instruction &instruction) {
  const uint32_t active = warp.active;
  const uint32_t index = warp.group.index;
  warp.observer->begins(warp, instruction);
  Step step = instruction.execute(warp, instruction);
  if (step == Step::next)
    warp.observer->ends(warp, instruction, active);
  if (step != Step::jumped)
    return step;
  // Lanes that it left behind come again.
  uint32_t again = 0;
  for (const LaneGroup &group : warp.others)
    if (group.index == index && group.frame == warp.group.frame)
      again |= group.lanes;
  warp.observer->ends(warp, instruction, active & ~again);
  return step;
}

/// Runs the group until it meets another, jumps, waits or has run for
/// `budget` instructions. Tries of one that waits do not count.
template <bool watched, bool interleaved>
Step runGroup(Warp &warp, uint64_t &budget) {
  const Instruction *code = warp.group.frame->function->code.data();
  while (true) {
    const Instruction &instruction = code[warp.group.index];
    warp.active = guarded(warp, instruction);
    if (warp.active) {
      Step step = watched ? executeWatched(warp, instruction)
                          : instruction.execute(warp, instruction);
      if (step != Step::next) {
        budget -= step != Step::waits;
        return step;
      }
    } else if (watched) {
      warp.observer->ends(warp, instruction, 0);
    }
    ++warp.group.index;
    if constexpr (interleaved)
      if (instruction.isShared &&
          warp.block->cluster->interleaving->changesAtAccess()) {
        // What is left of the budget will not be executed.
        warp.executed -= budget - 1;
        budget = 1;
      }
    if (--budget == 0 || warp.group.index >= warp.mergeIndex || warp.yields) {
      if constexpr (interleaved)
        warp.resumes = warp.group.index < warp.mergeIndex && !warp.yields;
      return Step::jumped;
    }
  }
}

/// Of launches that are watched or interleaved.
Step runSlowGroup(Warp &warp, uint64_t &budget) {
  if (!warp.block->cluster->interleaving)
    return runGroup<true, false>(warp, budget);
  return warp.observer ? runGroup<true, true>(warp, budget)
                       : runGroup<false, true>(warp, budget);
}
} // namespace

Step jump(Warp &warp, uint32_t target) {
  bool back = target <= warp.group.index;
  warp.group.index = target;
  if (back && !warp.others.empty() && ++warp.backJumps > maxBackJumps)
    warp.rotates = true;
  return Step::jumped;
}

void splitGroup(Warp &warp, uint32_t lanes, uint32_t index) {
  LaneGroup rest = warp.group;
  rest.lanes &= ~lanes;
  rest.index = index;
  rest.waits = false;
  rest.token = 0;
  warp.group.lanes &= lanes;
  if (!rest.lanes)
    return;
  for (LaneGroup &group : warp.others)
    if (canMerge(group, rest)) {
      group.lanes |= rest.lanes;
      group.waits = false;
      return;
    }
  warp.others.push_back(rest);
}

Pause runWarp(Warp &warp, uint64_t budget) {
  const uint64_t whole = budget;
  auto pause = [&](Pause reason) {
    warp.executed += whole - budget;
    warp.yields = false;
    return reason;
  };
  bool moved = true;
  const bool isSlow = warp.observer || warp.block->cluster->interleaving;
  bool resumes = std::exchange(warp.resumes, false);
  for (LaneGroup &group : warp.others)
    group.waits = false;
  warp.group.waits = false;
  while (true) {
    // Lane groups change where they would without other warps.
    if (!std::exchange(resumes, false) && !select(warp)) {
      if (!warp.alive)
        return pause(Pause::ended);
      if (!std::exchange(moved, false))
        return pause(Pause::waits);
      for (LaneGroup &group : warp.others)
        group.waits = false;
      continue;
    }
    Step step;
    do {
      uint64_t before = budget;
      step = isSlow ? runSlowGroup(warp, budget)
                    : runGroup<false, false>(warp, budget);
      moved |= step != Step::waits || before != budget;
    } while (step == Step::jumped && staysFirst(warp) && budget);
    if (step == Step::failed)
      return pause(Pause::failed);
    if (step == Step::waits) {
      // Lanes whose guard is false continue.
      splitGroup(warp, warp.active, warp.group.index + 1);
      warp.group.waits = true;
    }
    if (!warp.alive)
      return pause(Pause::ended);
    if (!budget)
      return pause(Pause::runs);
    if (warp.yields) {
      // Possibly for other lanes of the same group.
      warp.rotates = true;
      return pause(Pause::yields);
    }
  }
}

//===--- Calls ------------------------------------------------------------===//

bool growLocal(Warp &warp, uint64_t bytes) {
  if (bytes <= warp.localStride)
    return true;
  if (bytes > maxLocalBytes)
    return false;
  uint64_t stride = std::max<uint64_t>(
      alignUp(bytes, 64),
      std::min<uint64_t>(maxLocalBytes, uint64_t{warp.localStride} * 2));
  Launch &launch = *warp.block->launch;
  LaunchMemory grown =
      allocate(launch.memoryInUse, launch.options.maxMemory, stride * 32);
  if (!grown)
    return false;
  for (unsigned lane = 0; lane < 32 && warp.localStride; ++lane)
    std::memcpy(&grown[size_t{lane} * stride],
                &warp.local[size_t{lane} * warp.localStride], warp.localStride);
  warp.local = std::move(grown);
  warp.localStride = uint32_t(stride);
  return true;
}

Frame *enterFunction(Warp &warp, const Function &function, uint32_t lanes) {
  Launch &launch = *warp.block->launch;
  auto frame = std::make_unique<Frame>();
  frame->function = &function;
  size_t bytes = size_t{function.frameBytes} + 64;
  frame->memory = allocate(launch.memoryInUse, launch.options.maxMemory, bytes);
  if (!frame->memory)
    return nullptr;
  void *start = frame->memory.get();
  frame->registers = static_cast<std::byte *>(
      std::align(64, function.frameBytes, start, bytes));
  frame->lanes = lanes;
  if (Frame *caller = warp.group.frame) {
    frame->caller = caller;
    frame->depth = caller->depth + 1;
    uint32_t end =
        caller->localBase + caller->function->localBytes + caller->stackBytes;
    frame->localBase = (end + 15) / 16 * 16;
  }
  if (!growLocal(warp, uint64_t{frame->localBase} + function.localBytes))
    return nullptr;
  Frame *entered = frame.get();
  warp.frames.push_back(std::move(frame));
  return entered;
}

void leaveFunction(Warp &warp, Frame &frame, uint32_t lanes) {
  frame.lanes &= ~lanes;
  if (frame.lanes)
    return;
  auto found = std::find_if(warp.frames.begin(), warp.frames.end(),
                            [&](const std::unique_ptr<Frame> &entry) {
                              return entry.get() == &frame;
                            });
  if (found != warp.frames.end())
    warp.frames.erase(found);
}

} // namespace tilewright::emulator
