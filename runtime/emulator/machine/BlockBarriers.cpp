#include "runtime/emulator/machine/Scheduler.h"

namespace tilewright::emulator {

static void complete(BarrierState &barrier) {
  barrier.lastCount = barrier.count;
  barrier.lastThreads = barrier.threads;
  barrier.arrived = barrier.expected = 0;
  barrier.count = barrier.threads = 0;
  ++barrier.phase;
}

/// Threads that have not exited, by whole warps.
static uint32_t liveThreads(const Warp &warp, unsigned index) {
  if (index != clusterBarrier)
    return warp.block->liveWarps * 32;
  uint32_t warps = 0;
  for (auto &block : warp.block->cluster->blocks)
    warps += block->liveWarps;
  return warps * 32;
}

static BarrierState &barrierOf(Warp &warp, unsigned index) {
  return index == clusterBarrier ? warp.block->cluster->barrier
                                 : warp.block->barriers[index];
}

static void countArrival(Warp &warp, unsigned index, uint32_t threads) {
  BarrierState &barrier = barrierOf(warp, index);
  ++warp.block->cluster->events;
  barrier.arrived += threads;
  uint32_t expected =
      barrier.expected ? barrier.expected : liveThreads(warp, index);
  if (barrier.arrived && barrier.arrived >= expected)
    complete(barrier);
}

void arriveLanes(Warp &warp, BarrierState &barrier, unsigned index,
                 uint32_t lanes) {
  Warp::Arrivals &own = warp.arrivals[index];
  if (own.phase != barrier.phase)
    own = {barrier.phase, 0};
  own.lanes |= lanes;
  if ((own.lanes & warp.alive) == warp.alive)
    countArrival(warp, index, 32);
}

void lanesEnded(Warp &warp, uint32_t lanes) {
  uint32_t before = warp.alive;
  warp.alive &= ~lanes;
  warp.copies.land(lanes);
  warp.bulkCopies.land(lanes);
  for (unsigned index = 0; index <= clusterBarrier; ++index) {
    const Warp::Arrivals &own = warp.arrivals[index];
    if (own.phase != barrierOf(warp, index).phase || !warp.alive)
      continue;
    bool arrived = (own.lanes & before) == before;
    if (!arrived && (own.lanes & warp.alive) == warp.alive)
      countArrival(warp, index, 32);
  }
}

void warpEnded(Warp &warp) {
  Block &block = *warp.block;
  if (block.pendingWords.any())
    block.endedCopies.emplace_back(warp.index, std::move(warp.copies));
  if (--block.liveWarps == 0)
    --block.cluster->liveBlocks;
  for (unsigned index = 0; index <= clusterBarrier; ++index)
    countArrival(warp, index, 0);
}

} // namespace tilewright::emulator
