// Which lanes, warps and blocks run next.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_SCHEDULER_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_SCHEDULER_H

#include "runtime/emulator/machine/Warp.h"
#include "tilewright/support/Export.h"

namespace tilewright::emulator {

/// Why a warp stopped running.
enum class Pause : uint8_t {
  ended,
  /// It waits for other warps.
  waits,
  /// It yields to others.
  yields,
  /// It has run for as long as it may.
  runs,
  failed,
};

/// Runs `warp` for about `budget` instructions. Of the groups of lanes, the one
/// that is deepest in calls, and there at the lowest index, runs; groups that
/// meet are merged. One that often jumps back while others are stopped lets
/// them run, so that lanes may wait for one another.
Pause runWarp(Warp &warp, uint64_t budget);

/// Sends the running group to `target`. Returns Step::jumped.
Step jump(Warp &warp, uint32_t target);

/// Splits the running group: `lanes` of it stay, the others go on at `index`.
void splitGroup(Warp &warp, uint32_t lanes, uint32_t index);

/// The clusters of a launch, and those of them that its options let run.
struct ClusterSample {
  explicit ClusterSample(const Launch &launch);
  /// The linear index of the cluster that runs as number `turn` of `run`.
  [[nodiscard]] uint64_t operator[](uint64_t turn) const;

  uint64_t all = 1, run = 1;
};

/// Runs the blocks of `launch`. Afterwards launch.fault has the fault, if any.
TILEWRIGHT_PRIVATE_API void run(Launch &launch);

/// `lanes` of the warp arrive at a barrier, the one with `index` of its block
/// or, with clusterBarrier, of its cluster. Barriers count whole warps, when
/// the last lane of one that has not exited arrives.
void arriveLanes(Warp &warp, BarrierState &barrier, unsigned index,
                 uint32_t lanes);
constexpr unsigned clusterBarrier = 16;

/// `lanes` exit; warpEnded: the warp has none any more. Barriers do not wait
/// for them (PTX section 9.7.13.1).
void lanesEnded(Warp &warp, uint32_t lanes);
void warpEnded(Warp &warp);

/// Frames of calls, and how many there may be at a time. Null: no memory.
constexpr uint32_t maxCallDepth = 4096;
Frame *enterFunction(Warp &warp, const Function &function, uint32_t lanes);
void leaveFunction(Warp &warp, Frame &frame, uint32_t lanes);

/// Makes each lane's local memory at least `bytes` large. False: no memory.
bool growLocal(Warp &warp, uint64_t bytes);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_SCHEDULER_H
