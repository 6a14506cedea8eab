// Barriers of blocks and clusters, fences: PTX sections 9.7.13.1 to 9.7.13.4.
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/machine/Scheduler.h"
#include "support/Format.h"
#include <bit>

namespace tilewright::emulator {

enum class Vote : uint8_t { none, popc, all, any };

//===--- Of a block -------------------------------------------------------===//

struct BarrierOperands {
  BarrierState *barrier = nullptr;
  unsigned index = 0;
  uint32_t threads = 0;
};

/// Operand `first` is the barrier; the next is the thread count, if `counted`.
static bool readBarrier(Warp &warp, const Instruction &in, unsigned first,
                        bool counted, BarrierOperands &out) {
  unsigned lane = unsigned(__builtin_ctz(warp.active));
  uint32_t index = operand<uint32_t>(warp, in, first)[lane];
  uint32_t threads = counted ? operand<uint32_t>(warp, in, first + 1)[lane] : 0;
  if (index >= 16 || threads % 32 || (counted && !threads)) {
    fail(warp, in, FaultCode::undefinedBehavior,
         format("expected a barrier below 16 and a multiple of 32 threads, "
                "found {} and {}",
                {index, threads}),
         lane);
    return false;
  }
  out = {&warp.block->barriers[index], index, threads};
  if (out.barrier->arrived && out.barrier->expected != threads) {
    fail(warp, in, FaultCode::undefinedBehavior,
         format("expected the thread count of those who have arrived at "
                "barrier {}, {}, found {}",
                {index, out.barrier->expected, threads}),
         lane);
    return false;
  }
  return true;
}

/// Waits until the barrier's phase in which the group arrived is over. True:
/// it is.
static bool passed(Warp &warp, const BarrierState &barrier) {
  if (barrier.phase == warp.group.token)
    return false;
  warp.group.token = 0;
  return true;
}

/// The group completed the phase: lanes of its warp that wait for it come
/// first, so that all go on together, as they do on a GPU.
static Step completed(Warp &warp) {
  if (warp.others.empty())
    return Step::next;
  for (LaneGroup &group : warp.others)
    group.waits = false;
  return jump(warp, warp.group.index + 1);
}

static Step runBarrierSync(Warp &warp, const Instruction &in) {
  BarrierOperands at;
  if (warp.group.token) {
    unsigned lane = unsigned(__builtin_ctz(warp.active));
    uint32_t index = operand<uint32_t>(warp, in, 0)[lane];
    return passed(warp, warp.block->barriers[index]) ? Step::next : Step::waits;
  }
  if (!readBarrier(warp, in, 0, in.operands[1].present(), at))
    return Step::failed;
  uint64_t phase = at.barrier->phase;
  at.barrier->expected = at.threads;
  arriveLanes(warp, *at.barrier, at.index, warp.active);
  if (at.barrier->phase != phase)
    return completed(warp);
  warp.group.token = phase;
  return Step::waits;
}
static Step runBarrierArrive(Warp &warp, const Instruction &in) {
  BarrierOperands at;
  if (!readBarrier(warp, in, 0, true, at))
    return Step::failed;
  at.barrier->expected = at.threads;
  arriveLanes(warp, *at.barrier, at.index, warp.active);
  return Step::next;
}

/// The result of `red`, of what all threads brought in the phase before.
static void setReduced(Warp &warp, const Instruction &in,
                       const BarrierState &barrier) {
  Vote vote = Vote(in.mode);
  if (vote == Vote::popc) {
    forActive(warp, operand<uint32_t>(warp, in, 0),
              [&](unsigned) { return barrier.lastCount; });
    return;
  }
  bool holds = vote == Vote::any ? barrier.lastCount > 0
                                 : barrier.lastCount == barrier.lastThreads;
  setPredicate(warp, in.operands[0], holds ? ~uint32_t{0} : 0);
}
static Step runBarrierReduce(Warp &warp, const Instruction &in) {
  BarrierOperands at;
  if (warp.group.token) {
    unsigned lane = unsigned(__builtin_ctz(warp.active));
    uint32_t index = operand<uint32_t>(warp, in, 1)[lane];
    if (!passed(warp, warp.block->barriers[index]))
      return Step::waits;
    setReduced(warp, in, warp.block->barriers[index]);
    return Step::next;
  }
  if (!readBarrier(warp, in, 1, in.operandCount == 4, at))
    return Step::failed;
  uint64_t phase = at.barrier->phase;
  at.barrier->expected = at.threads;
  at.barrier->threads += uint32_t(std::popcount(warp.active));
  at.barrier->count += uint32_t(std::popcount(
      warp.active & predicateOperand(warp, in, in.operandCount - 1)));
  arriveLanes(warp, *at.barrier, at.index, warp.active);
  if (at.barrier->phase != phase) {
    setReduced(warp, in, *at.barrier);
    return completed(warp);
  }
  warp.group.token = phase;
  return Step::waits;
}

static Execute buildBarrierSync(const Match &, Instruction &) {
  return runBarrierSync;
}
static Execute buildBarrierArrive(const Match &, Instruction &) {
  return runBarrierArrive;
}
static Execute buildBarrierReduce(const Match &match, Instruction &in) {
  std::string_view op = match["op"];
  Vote vote = op == "and" ? Vote::all : op == "or" ? Vote::any : Vote::popc;
  in.mode = uint8_t(vote);
  return runBarrierReduce;
}

//===--- Of a cluster -----------------------------------------------------===//

static Step runClusterArrive(Warp &warp, const Instruction &) {
  arriveLanes(warp, warp.block->cluster->barrier, clusterBarrier, warp.active);
  return Step::next;
}
/// Waits for the phase in which the warp arrived last.
static Step runClusterWait(Warp &warp, const Instruction &in) {
  const BarrierState &barrier = warp.block->cluster->barrier;
  const Warp::Arrivals &arrived = warp.arrivals[clusterBarrier];
  if (!arrived.phase)
    return fail(warp, in, FaultCode::undefinedBehavior,
                "expected barrier.cluster.arrive before it",
                unsigned(__builtin_ctz(warp.active)));
  return barrier.phase > arrived.phase ? Step::next : Step::waits;
}
static Execute buildClusterArrive(const Match &, Instruction &) {
  return runClusterArrive;
}
static Execute buildClusterWait(const Match &, Instruction &) {
  return runClusterWait;
}

//===--- Fences -----------------------------------------------------------===//

/// One thread of the host runs all that could see the order.
static Step runFence(Warp &, const Instruction &) { return Step::next; }
static Execute buildFence(const Match &, Instruction &) { return runFence; }

//===--- The table --------------------------------------------------------===//

#define A_B "a:u32, b:u32?"
#define SYNC "9.7.13.1"

#define RED(NAME, ALIGNED)                                                     \
  {NAME, ".cta? .red op=popc " ALIGNED ".u32", "d:u32, a:u32, !p:pred", SYNC,  \
   buildBarrierReduce},                                                        \
      {NAME, ".cta? .red op=popc " ALIGNED ".u32",                             \
       "d:u32, a:u32, b:u32, !p:pred", SYNC, buildBarrierReduce},              \
      {NAME, ".cta? .red op=and|or " ALIGNED ".pred",                          \
       "d:pred, a:u32, !p:pred", SYNC, buildBarrierReduce},                    \
  {                                                                            \
    NAME, ".cta? .red op=and|or " ALIGNED ".pred",                             \
        "d:pred, a:u32, b:u32, !p:pred", SYNC, buildBarrierReduce              \
  }

static constexpr Form table[] = {
    {"bar", ".cta? .sync", A_B, SYNC, buildBarrierSync},
    {"barrier", ".cta? .sync .aligned?", A_B, SYNC, buildBarrierSync},
    {"bar", ".cta? .arrive", "a:u32, b:u32", SYNC, buildBarrierArrive},
    {"barrier", ".cta? .arrive .aligned?", "a:u32, b:u32", SYNC,
     buildBarrierArrive},
    RED("bar", ""),
    RED("barrier", ".aligned? "),
    {"barrier", ".cluster .arrive order?=release|relaxed .aligned?", "",
     "9.7.13.3", buildClusterArrive},
    {"barrier", ".cluster .wait order?=acquire .aligned?", "", "9.7.13.3",
     buildClusterWait},
    {"membar", "level=cta|gl|sys", "", "9.7.13.4", buildFence},
    {"membar", ".proxy .alias", "", "9.7.13.4", buildFence},
    {"membar", ".proxy .async where?=global|shared::cta|shared::cluster", "",
     "9.7.13.4", buildFence},
    {"fence", "order?=sc|acq_rel|acquire|release scope=cta|cluster|gpu|sys", "",
     "9.7.13.4", buildFence},
    {"fence",
     "order=acquire|release kind=sync_restrict::shared::cluster|"
     "sync_restrict::shared::cta .cluster",
     "", "9.7.13.4", buildFence},
    {"fence", ".mbarrier_init .release .cluster", "", "9.7.13.4", buildFence},
    {"fence", ".proxy .alias", "", "9.7.13.4", buildFence},
    {"fence", ".proxy .async where?=global|shared::cta|shared::cluster", "",
     "9.7.13.4", buildFence},
    {"fence",
     ".proxy .async::generic order=acquire|release "
     "kind=sync_restrict::shared::cluster|sync_restrict::shared::cta "
     ".cluster",
     "", "9.7.13.4", buildFence},
    {"fence", ".proxy .tensormap::generic .release scope=cta|cluster|gpu|sys",
     "", "9.7.13.4", buildFence},
    {"fence", ".proxy .tensormap::generic .acquire scope=cta|cluster|gpu|sys",
     "[a], #size:u32", "9.7.13.4", buildFence},
};

std::span<const Form> barrierForms() { return table; }

} // namespace tilewright::emulator
