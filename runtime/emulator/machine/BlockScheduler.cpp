#include "runtime/emulator/machine/Blocks.h"
#include "runtime/emulator/machine/Scheduler.h"
#include "runtime/emulator/machine/Waits.h"
#include "support/Format.h"
#include "support/Threads.h"
#include <algorithm>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

namespace tilewright::emulator {

namespace {

/// Instructions that a warp, and a cluster, runs before others do.
constexpr uint64_t warpSlice = 20'000;
constexpr uint64_t clusterSlice = 1'000'000;
/// Rounds in which all warps wait or poll before the launch counts as stuck,
/// and such rounds in which that is made sure of. Loops that give up after some
/// tries end before.
constexpr unsigned maxIdleRounds = 2000, maxSureRounds = 64;
/// Clusters that one thread runs at a time.
constexpr size_t maxResident = 4096;
/// If no cluster has begun in so many instructions, and blocks have
/// communicated so often in them, another begins.
constexpr uint64_t maxAlone = 64 * clusterSlice, muchTraffic = 16'000;
/// Instructions between two looks at the state of a cluster, when nothing has
/// changed for a slice.
constexpr uint64_t checkStep = 100'000;
/// Instructions between two calls of Launch::progress.
constexpr uint64_t progressStep = 2 * clusterSlice;

//===--- Running them -----------------------------------------------------===//

/// Runs a share of the clusters of a launch, on one host thread.
class Worker {
public:
  Worker(Launch &launch, std::atomic<uint64_t> &nextTurn,
         const ClusterSample &clusters, Observer *observer)
      : launch(launch), nextTurn(nextTurn), clusters(clusters),
        observer(observer) {}
  /// Runs `begun`, and those that have not begun. Returns those that only wait
  /// for what other threads may write; `isAlone`: there are none.
  Residents run(Residents begun, bool isAlone);

private:
  enum class Slice : uint8_t {
    /// All of its warps have, or the launch has.
    ended,
    moved,
    /// It looks at memory, but only to see what it has seen before.
    polls,
    /// It comes only to states in which it was before.
    circles,
    /// All of its warps wait, or look whether they must.
    idle,
  };
  /// What came of running each cluster once.
  struct Round {
    bool moved = false, polled = false;
    /// Clusters that wait for others came to new states.
    bool counted = false;
  };
  [[nodiscard]] bool hasRoom() const;
  bool admit();
  bool admitAfter(const Round &round);
  Round runAll(bool makesSure);
  Slice runCluster(Cluster &cluster);
  void judge(Cluster &cluster, Slice slice, bool makesSure, Round &round);
  Pause runTurn(std::unique_ptr<Warp> &warp, uint64_t budget, uint64_t &used);
  Pause runRound(Cluster &cluster, uint64_t &used);
  Pause interleaveRound(Cluster &cluster, uint64_t &used);
  bool countInstructions(Warp &warp, bool ended);
  bool exceedsLimit(Warp &warp, uint64_t total);
  void tellProgress();
  void wakeAll();
  void reportStuck();

  Launch &launch;
  std::atomic<uint64_t> &nextTurn;
  const ClusterSample &clusters;
  Observer *observer;
  /// The one that runs is the first.
  Residents resident;
  /// Of global memory, and ends of warps; instructions since the last.
  uint64_t changes = 0, idleInstructions = 0;
  /// In the latest round, each cluster waited for others.
  bool allWait = false;
  /// Since a cluster began, and since the last call of Launch::progress.
  uint64_t sinceAdmission = 0, traffic = 0, sinceProgress = 0;
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
  sinceAdmission = traffic = 0;
  return true;
}

/// False: a limit was exceeded.
bool Worker::countInstructions(Warp &warp, bool ended) {
  const uint64_t executed = std::exchange(warp.executed, 0);
  const uint64_t total = launch.executed.fetch_add(executed) + executed;
  if (std::exchange(warp.changed, false) || ended) {
    ++changes;
    idleInstructions = 0;
    warp.block->cluster->looks.restart();
  } else {
    const uint64_t half = launch.options.maxIdleInstructions / 2;
    if (idleInstructions <= half && idleInstructions + executed > half)
      forgetLooks(resident);
    idleInstructions += executed;
  }
  // A finished warp has no position; the next one is used.
  return ended || !exceedsLimit(warp, total);
}

/// True: it does, and the fault is recorded.
bool Worker::exceedsLimit(Warp &warp, uint64_t total) {
  const LaunchOptions &options = launch.options;
  if (launch.interrupted) {
    forgetLooks(resident);
    reportWaits(resident, FaultCode::limit, launch.interruptedBecause + ":");
    return true;
  }
  if (options.maxIdleInstructions &&
      idleInstructions > options.maxIdleInstructions) {
    reportWaits(
        resident, allWait ? FaultCode::deadlock : FaultCode::limit,
        format("expected that global memory changes or a warp ends within {} "
               "instructions of warps:",
               {options.maxIdleInstructions}));
    return true;
  }
  if (!options.maxInstructions || total <= options.maxInstructions)
    return false;
  const LaneGroup &group =
      warp.group.lanes || warp.others.empty() ? warp.group : warp.others[0];
  if (group.frame) {
    warp.group = group;
    fail(warp, group.frame->function->code[group.index], FaultCode::limit,
         format("expected at most {} instructions of warps",
                {options.maxInstructions}));
  }
  return true;
}

/// Runs a warp, and adds what it executed to `used`. Pause::failed: the launch
/// is to end.
Pause Worker::runTurn(std::unique_ptr<Warp> &warp, uint64_t budget,
                      uint64_t &used) {
  Pause pause = runWarp(*warp, budget);
  used += warp->executed;
  if (!countInstructions(*warp, !warp->alive))
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
  const uint64_t trafficBefore = cluster.looks.traffic;
  auto count = [&](Slice slice) {
    sinceAdmission += used;
    sinceProgress += used;
    traffic += cluster.looks.traffic - trafficBefore;
    return slice;
  };
  bool progress = true, moved = false;
  uint64_t nextCheck = 0;
  while (progress && used < clusterSlice && !launch.stops) {
    uint64_t events = cluster.events;
    Pause pause = cluster.interleaving ? interleaveRound(cluster, used)
                                       : runRound(cluster, used);
    if (pause == Pause::failed || !cluster.liveBlocks)
      return count(Slice::ended);
    progress = pause == Pause::runs || cluster.events != events;
    moved |= progress;
    if (moved && cluster.looks.areSame()) {
      cluster.looks.restart();
      return count(cluster.states.repeats(cluster, changes) ? Slice::circles
                                                            : Slice::polls);
    }
    if (idleInstructions < clusterSlice || used < nextCheck)
      continue;
    nextCheck = used + checkStep;
    if (cluster.states.repeats(cluster, changes))
      return count(Slice::circles);
  }
  return count(moved || cluster.events != eventsBefore ? Slice::moved
                                                       : Slice::idle);
}

/// Whether a warp has looked at memory that others write, since forgetLooks().
static bool looks(const Cluster &cluster) {
  for (const std::unique_ptr<Block> &block : cluster.blocks)
    for (const std::unique_ptr<Warp> &warp : block->warps)
      if (warp && warp->look)
        return true;
  return false;
}

/// Puts a cluster to sleep until something changes, if it is in a circle.
/// `makesSure`: looks closer at clusters that wait.
void Worker::judge(Cluster &cluster, Slice slice, bool makesSure,
                   Round &round) {
  switch (slice) {
  case Slice::ended:
  case Slice::moved:
    round.moved = true;
    return;
  case Slice::polls:
    round.polled = round.counted = true;
    return;
  case Slice::circles:
    round.polled = true;
    cluster.sleepsSince = changes;
    return;
  case Slice::idle:
    // A warp that counts while it sleeps goes on one day.
    if (makesSure && !looks(cluster))
      round.counted |= cluster.states.addsNew(cluster, changes);
    return;
  }
}

/// Runs each cluster once, but for those that sleep.
Worker::Round Worker::runAll(bool makesSure) {
  Round round;
  for (size_t slices = resident.size(); slices && !launch.stops; --slices) {
    Cluster &cluster = *resident.front();
    Slice slice = Slice::idle;
    if (cluster.sleepsSince != changes) {
      slice = runCluster(cluster);
      judge(cluster, slice, makesSure, round);
      tellProgress();
    }
    if (slice != Slice::ended)
      resident.push_back(std::move(resident.front()));
    else if (!launch.stops)
      launch.endedBlocks += cluster.blocks.size();
    resident.pop_front();
  }
  allWait = !round.moved;
  return round;
}

/// Blocks may wait for blocks that have not begun. Those that poll cost time:
/// as many again begin at a time. Whether any has begun.
bool Worker::admitAfter(const Round &round) {
  size_t wanted = 1;
  if (round.moved && !resident.empty())
    wanted = launch.program->communicates && sinceAdmission > maxAlone &&
             traffic > muchTraffic;
  else if (round.polled)
    wanted = std::max<size_t>(1, resident.size());
  bool any = false;
  while (wanted-- && hasRoom() && !launch.stops && admit())
    any = true;
  return any;
}

void Worker::tellProgress() {
  if (!launch.progress || sinceProgress < progressStep)
    return;
  sinceProgress = 0;
  std::lock_guard lock(launch.progressMutex);
  launch.progress({clusters.run * volume(launch.cluster), launch.endedBlocks,
                   launch.executed, idleInstructions});
}

void Worker::wakeAll() {
  for (const std::unique_ptr<Cluster> &cluster : resident)
    cluster->sleepsSince.reset();
}

void Worker::reportStuck() {
  const uint64_t blocks = volume(launch.cluster);
  const uint64_t begun = std::min<uint64_t>(nextTurn, clusters.run);
  std::string behind;
  if (begun < clusters.run)
    behind = format("; {} of {} blocks have not begun: there is only room for "
                    "{} at a time, with {} bytes for registers, local and "
                    "shared memory",
                    {(clusters.run - begun) * blocks, clusters.run * blocks,
                     resident.size() * blocks, launch.options.maxMemory});
  reportWaits(resident, FaultCode::deadlock, "no warp can go on:", behind);
}

Residents Worker::run(Residents begun, bool isAlone) {
  resident = std::move(begun);
  wakeAll();
  unsigned idleRounds = 0;
  bool makesSure = false;
  if (resident.empty())
    admit();
  while (!resident.empty() && !launch.stops) {
    const Round round = runAll(makesSure && idleRounds > maxSureRounds / 2);
    const bool admitted = admitAfter(round);
    if (round.moved || round.counted || admitted) {
      idleRounds = 0;
      makesSure = false;
      continue;
    }
    if (++idleRounds <= (makesSure ? maxSureRounds : maxIdleRounds))
      continue;
    const bool isAsleep =
        std::any_of(resident.begin(), resident.end(), [](const auto &cluster) {
          return cluster->sleepsSince.has_value();
        });
    if (makesSure && isAsleep && !isAlone)
      return std::move(resident);
    if (makesSure) {
      reportStuck();
      break;
    }
    makesSure = true;
    idleRounds = 0;
    wakeAll();
    forgetLooks(resident);
  }
  return {};
}
} // namespace

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
  std::mutex mutex;
  Residents waiting;
  auto work = [&](Residents begun, bool isAlone) {
    try {
      std::unique_lock lock(mutex);
      Observer *observer =
          launch.makeObserver ? launch.makeObserver() : nullptr;
      lock.unlock();
      Residents left = Worker(launch, next, clusters, observer)
                           .run(std::move(begun), isAlone);
      lock.lock();
      std::move(left.begin(), left.end(), std::back_inserter(waiting));
    } catch (const std::bad_alloc &) {
      failForMemory(launch);
    }
  };
  const uint64_t threads = threadsOf(launch, clusters.run);
  shareWork(threads, [&] { work({}, threads == 1); });
  // Clusters that read, without order, what those of other threads wrote.
  if (waiting.empty() || launch.stops)
    return;
  std::sort(waiting.begin(), waiting.end(),
            [](const auto &a, const auto &b) { return a->index < b->index; });
  work(std::move(waiting), true);
}

void Launch::interrupt(std::string why) {
  interruptedBecause = std::move(why);
  interrupted = true;
}

} // namespace tilewright::emulator
