#include "runtime/emulator/machine/Scheduler.h"
#include "runtime/emulator/program/AddressMap.h"
#include "runtime/emulator/program/Layout.h"
#include "support/Format.h"
#include "support/Threads.h"
#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

namespace tilewright::emulator {

namespace {

/// Instructions that a warp, and a cluster, runs before others do.
constexpr uint64_t warpSlice = 20'000;
constexpr uint64_t clusterSlice = 1'000'000;
/// Rounds in which all warps wait or poll before the launch counts as stuck.
/// Loops that give up after some tries end before.
constexpr unsigned maxIdleRounds = 2000;
/// Clusters that one thread runs at a time.
constexpr size_t maxResident = 4096;

uint32_t volume(const Dim3 &dims) { return dims[0] * dims[1] * dims[2]; }

/// The index in each dimension of the `linear`-th, x first.
Dim3 delinearized(uint64_t linear, const Dim3 &dims) {
  Dim3 index;
  for (unsigned dim = 0; dim < 3; ++dim) {
    index[dim] = uint32_t(linear % dims[dim]);
    linear /= dims[dim];
  }
  return index;
}

//===--- Making blocks ----------------------------------------------------===//

// Null below: there is no memory.

std::unique_ptr<Warp> makeWarp(Block &block, uint32_t index,
                               Observer *observer) {
  const Program &program = *block.launch->program;
  auto warp = std::make_unique<Warp>();
  warp->block = &block;
  warp->observer = observer;
  warp->index = index;
  uint32_t threads = volume(block.location.block) - index * 32;
  warp->alive = threads >= 32 ? ~uint32_t{0} : (uint32_t{1} << threads) - 1;
  WarpLocation location = block.location;
  location.warp = index;
  // Lane vectors start at multiples of 64 bytes.
  size_t bytes = program.specialRegisters.size() * specialStride;
  warp->specialRegisters.resize(bytes + 64);
  void *start = warp->specialRegisters.data();
  size_t room = warp->specialRegisters.size();
  auto *bank = static_cast<std::byte *>(std::align(64, bytes, start, room));
  for (size_t i = 0; i < program.specialRegisters.size(); ++i) {
    const SpecialRegister &special =
        specialRegisters()[program.specialRegisters[i]];
    size_t width = typeBits(special.type) / 8;
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint64_t value = special.value(location, lane);
      std::memcpy(bank + i * specialStride + lane * width, &value, width);
    }
  }
  warp->banks[Ref::specialRegisters] = bank;
  warp->banks[Ref::constants] =
      const_cast<std::byte *>(program.constants.data());
  Frame *frame = enterFunction(*warp, program.kernel(), warp->alive);
  if (!frame)
    return nullptr;
  warp->group = {frame, 0, warp->alive, false, 0};
  return warp;
}

std::unique_ptr<Block> makeBlock(Launch &launch, Cluster &cluster,
                                 const Dim3 &index, Observer *observer) {
  auto block = std::make_unique<Block>();
  block->launch = &launch;
  block->cluster = &cluster;
  block->sharedBytes = launch.program->sharedBytes + launch.dynamicShared;
  WarpLocation &location = block->location;
  location.block = launch.block;
  location.grid = launch.grid;
  location.cluster = launch.cluster;
  location.blockIndex = index;
  location.warps = (volume(launch.block) + 31) / 32;
  location.dynamicShared = launch.dynamicShared;
  location.totalShared = block->sharedBytes;
  size_t bytes = block->sharedBytes + 1024;
  block->sharedMemory = std::make_unique<std::byte[]>(bytes);
  void *start = block->sharedMemory.get();
  block->shared = static_cast<std::byte *>(
      std::align(1024, block->sharedBytes, start, bytes));
  if (launch.options.checkInitialized)
    block->sharedWritten =
        std::make_unique<uint8_t[]>(block->sharedBytes / 8 + 1);
  block->checksShared = launch.options.checkInitialized;
  block->liveWarps = location.warps;
  for (uint32_t i = 0; i < location.warps; ++i) {
    block->warps.push_back(makeWarp(*block, i, observer));
    if (!block->warps.back())
      return nullptr;
  }
  return block;
}

std::unique_ptr<Cluster> makeCluster(Launch &launch, uint64_t linear,
                                     Observer *observer) {
  auto cluster = std::make_unique<Cluster>();
  Dim3 clusters;
  for (unsigned dim = 0; dim < 3; ++dim)
    clusters[dim] = launch.grid[dim] / launch.cluster[dim];
  Dim3 first = delinearized(linear, clusters);
  uint32_t count = volume(launch.cluster);
  cluster->liveBlocks = count;
  if (launch.options.interleave)
    // So the numbers of one seed are not those of the next, one later.
    cluster->interleaving.emplace(
        *launch.options.interleave * 0xD1342543DE82EF95, linear);
  for (uint32_t rank = 0; rank < count; ++rank) {
    Dim3 index = delinearized(rank, launch.cluster);
    for (unsigned dim = 0; dim < 3; ++dim)
      index[dim] += first[dim] * launch.cluster[dim];
    cluster->blocks.push_back(makeBlock(launch, *cluster, index, observer));
    if (!cluster->blocks.back())
      return nullptr;
  }
  return cluster;
}

/// Bytes that a cluster takes at its start.
uint64_t bytesOfCluster(const Launch &launch) {
  const Function &kernel = launch.program->kernel();
  uint64_t warp =
      uint64_t{kernel.frameBytes} + 64 + alignUp(kernel.localBytes, 64) * 32;
  uint64_t shared =
      uint64_t{launch.program->sharedBytes} + launch.dynamicShared;
  uint64_t warps = (volume(launch.block) + 31) / 32;
  return volume(launch.cluster) * (warps * warp + shared);
}

//===--- Running them -----------------------------------------------------===//

/// Runs a share of the clusters of a launch, on one host thread.
class Worker {
public:
  Worker(Launch &launch, std::atomic<uint64_t> &nextTurn,
         const ClusterSample &clusters, Observer *observer)
      : launch(launch), nextTurn(nextTurn), clusters(clusters),
        observer(observer) {}
  void run();

private:
  enum class Slice : uint8_t {
    /// All of its warps have, or the launch has.
    ended,
    moved,
    /// All of its warps wait, or look whether they must.
    idle,
  };
  [[nodiscard]] bool hasRoom() const;
  bool admit();
  Slice runCluster(Cluster &cluster);
  Pause runTurn(std::unique_ptr<Warp> &warp, uint64_t budget, uint64_t &used);
  Pause runRound(Cluster &cluster, uint64_t &used);
  Pause interleaveRound(Cluster &cluster, uint64_t &used);
  bool countInstructions(Warp &warp);
  void reportStuck();

  Launch &launch;
  std::atomic<uint64_t> &nextTurn;
  const ClusterSample &clusters;
  Observer *observer;
  std::deque<std::unique_ptr<Cluster>> resident;
};

/// Clusters besides the first run only where the budget leaves room.
bool Worker::hasRoom() const {
  return resident.empty() || (resident.size() < maxResident &&
                              launch.memoryInUse + bytesOfCluster(launch) <=
                                  launch.options.maxMemory);
}

bool Worker::admit() {
  uint64_t turn = nextTurn.fetch_add(1);
  if (turn >= clusters.run)
    return false;
  std::unique_ptr<Cluster> cluster =
      makeCluster(launch, clusters[turn], observer);
  if (!cluster) {
    failForMemory(launch);
    return false;
  }
  resident.push_back(std::move(cluster));
  return true;
}

/// False: the limit was exceeded.
bool Worker::countInstructions(Warp &warp) {
  uint64_t total = launch.executed.fetch_add(warp.executed) + warp.executed;
  warp.executed = 0;
  uint64_t limit = launch.options.maxInstructions;
  // A finished warp has no position; the next one is used.
  if (!limit || total <= limit || !warp.alive)
    return true;
  const LaneGroup &group =
      warp.group.lanes || warp.others.empty() ? warp.group : warp.others[0];
  if (group.frame) {
    warp.group = group;
    fail(warp, group.frame->function->code[group.index], FaultCode::limit,
         format("expected at most {} instructions of warps", {limit}));
  }
  return false;
}

/// Runs a warp, and adds what it executed to `used`. Pause::failed: the launch
/// is to end.
Pause Worker::runTurn(std::unique_ptr<Warp> &warp, uint64_t budget,
                      uint64_t &used) {
  Pause pause = runWarp(*warp, budget);
  used += warp->executed;
  if (!countInstructions(*warp))
    return Pause::failed;
  if (pause == Pause::ended) {
    warpEnded(*warp);
    warp.reset();
  }
  return pause;
}

/// Runs each warp once. Returns Pause::runs if one ran for as long as it may,
/// and Pause::failed as above.
Pause Worker::runRound(Cluster &cluster, uint64_t &used) {
  Pause all = Pause::waits;
  for (auto &block : cluster.blocks)
    for (auto &warp : block->warps) {
      if (!warp || launch.stops)
        continue;
      Pause pause = runTurn(warp, warpSlice, used);
      if (pause == Pause::failed)
        return pause;
      if (pause == Pause::runs)
        all = pause;
    }
  return all;
}

/// As above, in many short turns of warps in random order. Those that wait or
/// yield try again when something has come that they may wait for.
Pause Worker::interleaveRound(Cluster &cluster, uint64_t &used) {
  struct Turn {
    std::unique_ptr<Warp> *warp;
    uint64_t left;
  };
  std::vector<Turn> ready, waiting;
  for (auto &block : cluster.blocks)
    for (auto &warp : block->warps)
      if (warp)
        ready.push_back({&warp, warpSlice});
  Pause all = Pause::waits;
  while (!ready.empty() && !launch.stops) {
    Turn &next = ready[cluster.interleaving->below(ready.size())];
    const uint64_t before = used, events = cluster.events;
    const uint64_t slice = std::min(next.left, cluster.interleaving->slice());
    Pause pause = runTurn(*next.warp, slice, used);
    if (pause == Pause::failed)
      return pause;
    next.left -= std::min(next.left, used - before);
    if (!next.left)
      all = Pause::runs;
    else if (pause == Pause::waits || pause == Pause::yields)
      waiting.push_back(next);
    if (!next.left || pause != Pause::runs) {
      next = ready.back();
      ready.pop_back();
    }
    if (cluster.events == events)
      continue;
    ready.insert(ready.end(), waiting.begin(), waiting.end());
    waiting.clear();
  }
  return all;
}

Worker::Slice Worker::runCluster(Cluster &cluster) {
  uint64_t used = 0;
  const uint64_t eventsBefore = cluster.events;
  bool progress = true, moved = false;
  while (progress && used < clusterSlice && !launch.stops) {
    uint64_t events = cluster.events;
    Pause pause = cluster.interleaving ? interleaveRound(cluster, used)
                                       : runRound(cluster, used);
    if (pause == Pause::failed || !cluster.liveBlocks)
      return Slice::ended;
    progress = pause == Pause::runs || cluster.events != events;
    moved |= progress;
  }
  return moved || cluster.events != eventsBefore ? Slice::moved : Slice::idle;
}

/// Reports the position of each warp of the first cluster.
void Worker::reportStuck() {
  std::string message = "no warp can go on:";
  Warp *first = nullptr;
  const Instruction *at = nullptr;
  unsigned told = 0;
  for (auto &block : resident.front()->blocks)
    for (auto &warp : block->warps) {
      if (!warp)
        continue;
      std::vector<LaneGroup> groups = warp->others;
      if (warp->group.lanes)
        groups.push_back(warp->group);
      for (const LaneGroup &group : groups) {
        const Instruction &stands = group.frame->function->code[group.index];
        if (!first) {
          first = warp.get();
          at = &stands;
          warp->group = group;
        }
        if (++told <= 8)
          message +=
              format(" warp {} at line {};", {warp->index, stands.at.line});
      }
    }
  if (told > 8)
    message += format(" and {} more", {told - 8});
  else
    message.pop_back();
  if (first)
    fail(*first, *at, FaultCode::deadlock, message);
}

void Worker::run() {
  unsigned idleRounds = 0;
  admit();
  while (!resident.empty() && !launch.stops) {
    bool moved = false;
    for (size_t slices = resident.size(); slices && !launch.stops; --slices) {
      std::unique_ptr<Cluster> cluster = std::move(resident.front());
      resident.pop_front();
      Slice slice = runCluster(*cluster);
      moved |= slice != Slice::idle;
      if (slice != Slice::ended)
        resident.push_back(std::move(cluster));
    }
    // Blocks may wait for blocks that have not begun.
    bool admitted =
        (resident.empty() || !moved) && hasRoom() && !launch.stops && admit();
    idleRounds = moved || admitted ? 0 : idleRounds + 1;
    if (idleRounds > maxIdleRounds)
      return reportStuck();
  }
}
} // namespace

//===--- Barriers ---------------------------------------------------------===//

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

//===--- The launch -------------------------------------------------------===//

ClusterSample::ClusterSample(const Launch &launch) {
  for (unsigned dim = 0; dim < 3; ++dim)
    all *= launch.grid[dim] / launch.cluster[dim];
  run = all;
  if (uint64_t blocks = launch.options.blocks)
    run = std::min(all, (blocks - 1) / volume(launch.cluster) + 1);
}

uint64_t ClusterSample::operator[](uint64_t turn) const {
  // turn * all / run, which may overflow.
  return turn * (all / run) + turn * (all % run) / run;
}

/// Host threads that run clusters, each at least one at a time.
static uint64_t threadsOf(const Launch &launch, uint64_t clusters) {
  // Blocks communicate in a fixed order.
  if (launch.program->communicates)
    return 1;
  uint64_t threads = launch.options.threads
                         ? launch.options.threads
                         : std::max(1u, std::thread::hardware_concurrency());
  uint64_t fit = launch.options.maxMemory / bytesOfCluster(launch);
  return std::min({threads, clusters, fit});
}

void run(Launch &launch) {
  if (bytesOfCluster(launch) > launch.options.maxMemory)
    return failForMemory(launch);
  const ClusterSample clusters(launch);
  std::atomic<uint64_t> next = 0;
  std::mutex observers;
  auto observer = [&]() -> Observer * {
    std::lock_guard lock(observers);
    return launch.makeObserver ? launch.makeObserver() : nullptr;
  };
  auto work = [&] {
    try {
      Worker(launch, next, clusters, observer()).run();
    } catch (const std::bad_alloc &) {
      failForMemory(launch);
    }
  };
  shareWork(threadsOf(launch, clusters.run), work);
}

} // namespace tilewright::emulator
