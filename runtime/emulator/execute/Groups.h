// Copies that threads wait for by groups: cp.async and bulk copies.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_GROUPS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_GROUPS_H

#include "runtime/emulator/execute/Lanes.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// Starts a copy of `lane` to global memory, in its open group: land() makes
/// it, either now or when the group is waited for; both are correct.
template <typename F>
inline void startCopy(Warp &warp, CopyGroups Warp::*groups, unsigned lane,
                      F land) {
  auto copy = [land, &warp] {
    land();
    warp.changed = true;
  };
  if (warp.block->launch->options.copiesLandLate)
    (warp.*groups).start({.lane = lane, .land = copy});
  else
    copy();
}

template <CopyGroups Warp::*groups>
Step runCommit(Warp &warp, const Instruction &) {
  (warp.*groups).commit(warp.active);
  return Step::next;
}
/// The operand: how many groups may be left.
template <CopyGroups Warp::*groups>
Step runWaitGroup(Warp &warp, const Instruction &in) {
  (warp.*groups)
      .wait(warp.active, operand<uint32_t>(warp, in, 0)[0],
            warp.block->pendingWords);
  return Step::next;
}
template <Step (*Run)(Warp &, const Instruction &)>
Execute buildGroups(const Match &, Instruction &) {
  return Run;
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_GROUPS_H
