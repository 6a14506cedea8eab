#include "runtime/cpu/ThreadPool.h"

#include "runtime/abi/Chunks.h"
#include "support/Format.h"
#include "support/Threads.h"
#include <algorithm>
#include <cstdlib>

namespace tilewright::runtime {

/// Rounds of the spin loop before a thread sleeps: some 20 microseconds.
static constexpr int spinRounds = 1000;

static void pauseSpin() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

Scratch::~Scratch() { std::free(memory); }

void *Scratch::get(size_t bytes) {
  if (memory && bytes <= size)
    return memory;
  std::free(memory);
  size = (bytes / 4096 + 1) * 4096;
  memory = std::aligned_alloc(64, size);
  if (!memory)
    size = 0;
  return memory;
}

//===----------------------------------------------------------------------===//
// ThreadPool
//===----------------------------------------------------------------------===//

ThreadPool::ThreadPool(unsigned threads) : claims(threads) {
  // Complete before the first thread starts, which reads it.
  for (unsigned i = 1; i < threads; ++i)
    workers.push_back(std::make_unique<Worker>());
}

StatusOr<std::shared_ptr<ThreadPool>> ThreadPool::create(unsigned threads) {
  std::shared_ptr<ThreadPool> pool(new ThreadPool(threads));
  for (unsigned i = 1; i < threads; ++i) {
    StatusOr<std::jthread> started =
        startThread([pool = pool.get(), i] { pool->workerMain(i); });
    if (!started.ok())
      return tooFewThreads(i, threads, started.status());
    pool->workers[i - 1]->thread = *std::move(started);
  }
  return pool;
}

ThreadPool::~ThreadPool() {
  stopping = true;
  open += 2; // Still even: no job, but the sleepers look up.
  open.notify_all();
  for (auto &worker : workers)
    if (worker->thread.joinable())
      worker->thread.join();
}

uint32_t ThreadPool::waitForJob(uint32_t seen) {
  for (int round = 0; round < spinRounds; ++round) {
    if (uint32_t now = open.load(); now != seen)
      return now;
    pauseSpin();
  }
  open.wait(seen);
  return open.load();
}

void ThreadPool::workerMain(unsigned number) {
  uint32_t seen = 0;
  Scratch &scratch = workers[number - 1]->scratch;
  while (!stopping) {
    seen = waitForJob(seen);
    active.fetch_add(1);
    seen = open.load();
    if ((seen & 1) && number < job.threads)
      takeChunks(number, scratch);
    if (active.fetch_sub(1) == 1)
      active.notify_all();
  }
}

void ThreadPool::runChunk(int64_t index, void *memory) {
  int64_t first = index * job.chunk;
  job.function(job.context, first, std::min(first + job.chunk, job.count),
               memory);
}

void ThreadPool::takeChunks(unsigned number, Scratch &scratch) {
  void *memory = scratch.get(job.scratchBytes);
  if (!memory) {
    outOfMemory = true;
    return;
  }
  int64_t chunks = (job.count + job.chunk - 1) / job.chunk;
  int64_t claimed = std::min<int64_t>(chunks, job.threads);
  if (number < claimed)
    runClaimed(number, memory);
  // The shared chunks, then what late threads have not yet begun.
  for (int64_t i; (i = next.fetch_add(1)) < chunks;)
    if (int64_t shared = chunks - claimed; i < shared)
      runChunk(claimed + i, memory);
    else
      runClaimed(i - shared, memory);
}

void ThreadPool::runClaimed(int64_t number, void *memory) {
  if (!claims[size_t(number)].taken.exchange(true))
    runChunk(number, memory);
}

void ThreadPool::waitForWorkers() {
  for (int round = 0; round < spinRounds; ++round) {
    if (active.load() == 0)
      return;
    pauseSpin();
  }
  while (uint32_t now = active.load())
    active.wait(now);
}

Status ThreadPool::run(int64_t count, size_t scratchBytes, Function function,
                       const void *context, Scratch &own, Sharing sharing) {
  if (count <= 0)
    return {};
  int64_t sharers = threads();
  if (sharing.threads > 0)
    sharers = std::min(sharers, sharing.threads);
  const int64_t chunk =
      sharing.chunk > 0 ? sharing.chunk : defaultChunk(count, sharers);
  std::unique_lock lock(busy, std::defer_lock);
  if (count <= chunk || sharers == 1 || workers.empty() || !lock.try_lock()) {
    void *memory = own.get(scratchBytes);
    if (!memory)
      return Status::resourceExhausted(
          format("no memory for {} bytes of scratch", {scratchBytes}));
    function(context, 0, count, memory);
    return {};
  }
  waitForWorkers(); // A late thread may still look at the last job.
  job = {function, context, count, chunk, sharers, scratchBytes};
  for (Claim &claim : claims)
    claim.taken = false;
  next = 0;
  outOfMemory = false;
  open += 1;
  open.notify_all();
  takeChunks(0, own);
  open += 1;
  waitForWorkers();
  if (outOfMemory)
    return Status::resourceExhausted(format(
        "no memory for {} bytes of scratch in each thread", {scratchBytes}));
  return {};
}

} // namespace tilewright::runtime
