// Instructions with a member mask: the lanes wait for one another.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_WARPSYNC_H
#define TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_WARPSYNC_H

#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/machine/Scheduler.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// Runs `function` for each set of lanes that share a mask, with
/// Warp::active set to it, once all of the mask's lanes that have not exited
/// are here. Sets that are not complete wait.
inline Step together(Warp &warp, const Instruction &in, const uint32_t *masks,
                     Execute function) {
  const uint32_t active = warp.active;
  const unsigned first = unsigned(__builtin_ctz(active));
  uint32_t members = masks[first] & warp.alive;
  if (members == active &&
      (maskOf([&](unsigned lane) { return masks[lane] == masks[first]; }) &
       active) == active)
    return function(warp, in);
  uint32_t ready = 0;
  for (uint32_t rest = active; rest;) {
    unsigned lane = unsigned(__builtin_ctz(rest));
    uint32_t mask = masks[lane];
    uint32_t same =
        rest & maskOf([&](unsigned other) { return masks[other] == mask; });
    rest &= ~same;
    if (!(mask >> lane & 1))
      return fail(warp, in, FaultCode::undefinedBehavior,
                  "expected the lane itself in the member mask", lane);
    if ((mask & warp.alive) & ~same)
      continue;
    ready |= same;
    warp.active = same;
    Step step = function(warp, in);
    if (step != Step::next)
      return step;
  }
  warp.active = active;
  if (!ready)
    return Step::waits;
  // Lanes that were ready continue, as do those whose guard is false.
  uint32_t waiting = active & ~ready;
  if (!waiting)
    return Step::next;
  uint32_t index = warp.group.index;
  splitGroup(warp, warp.group.lanes & ~waiting, index);
  warp.group.index = index + 1;
  return Step::jumped;
}

/// For instructions that all lanes of a warp must run together (.aligned).
/// Returns Step::next where they do; lanes that have run apart are waited for.
inline Step wholeWarp(Warp &warp, const Instruction &in) {
  if (warp.active == ~uint32_t{0})
    return Step::next;
  if (warp.alive == ~uint32_t{0} && warp.active == warp.group.lanes)
    return Step::waits;
  return fail(warp, in, FaultCode::undefinedBehavior,
              "expected all 32 lanes of the warp to run it",
              unsigned(__builtin_ctz(warp.active)));
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_WARPSYNC_H
