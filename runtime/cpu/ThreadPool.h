// Threads that share the programs of one launch.
#ifndef TILEWRIGHT_RUNTIME_CPU_THREADPOOL_H
#define TILEWRIGHT_RUNTIME_CPU_THREADPOOL_H

#include "tilewright/support/Status.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewright::runtime {

/// 64-byte aligned memory that one thread reuses from launch to launch.
class Scratch {
public:
  Scratch() = default;
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  /// At least `bytes` bytes, or null if there is no memory. Valid until the
  /// next call. Never null for 0 bytes after a success.
  void *get(size_t bytes);

private:
  void *memory = nullptr;
  size_t size = 0;
};

/// A fixed set of threads. They all work on one range at a time; a caller that
/// arrives meanwhile works alone on its own thread, so no caller waits for
/// another and nothing can deadlock.
///
/// A range is split into chunks. Each thread first takes the chunk with its own
/// number, which stays the same from launch to launch and so finds warm
/// caches; the rest, and what late threads did not take, is handed out by an
/// atomic counter. Idle threads spin for some microseconds, then sleep.
class ThreadPool {
public:
  /// Work on [first, last) with scratch memory of the requested size.
  using Function = void (*)(const void *context, int64_t first, int64_t last,
                            void *scratch);

  /// `threads` includes the caller's: a pool of 1 starts no thread. Errors: the
  /// system starts fewer; those that run are ended.
  static StatusOr<std::shared_ptr<ThreadPool>> create(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// How a range is shared.
  struct Sharing {
    /// Items of a chunk; 0: defaultChunk (runtime/abi/Chunks.h).
    int64_t chunk = 0;
    /// The most threads that work, including the caller's; 0: all.
    int64_t threads = 0;
  };

  /// Calls `function` on chunks that make up [0, count) and returns when all
  /// are done. `own` is the scratch memory of the calling thread. Errors: no
  /// memory for scratch. Safe from many threads.
  Status run(int64_t count, size_t scratchBytes, Function function,
             const void *context, Scratch &own, Sharing sharing);
  Status run(int64_t count, size_t scratchBytes, Function function,
             const void *context, Scratch &own) {
    return run(count, scratchBytes, function, context, own, Sharing());
  }
  [[nodiscard]] unsigned threads() const {
    return static_cast<unsigned>(workers.size()) + 1;
  }

private:
  struct Job {
    Function function = nullptr;
    const void *context = nullptr;
    int64_t count = 0;
    int64_t chunk = 1;
    /// Threads that work: those with the lowest numbers.
    int64_t threads = 1;
    size_t scratchBytes = 0;
  };
  struct alignas(64) Worker {
    std::jthread thread;
    Scratch scratch;
  };
  /// Whether a thread's own chunk of the job was taken.
  struct alignas(64) Claim {
    std::atomic<bool> taken = false;
  };

  explicit ThreadPool(unsigned threads);
  void workerMain(unsigned number);
  /// Sleeps until `open` differs from `seen`; returns its new value.
  uint32_t waitForJob(uint32_t seen);
  /// Takes chunks until none is left; the first is that of thread `number`.
  void takeChunks(unsigned number, Scratch &scratch);
  /// Runs the own chunk of thread `number` unless somebody took it.
  void runClaimed(int64_t number, void *memory);
  void runChunk(int64_t index, void *memory);
  void waitForWorkers();

  std::vector<std::unique_ptr<Worker>> workers;
  /// By thread, the caller's first.
  std::vector<Claim> claims;
  /// Held while the threads work on a job.
  std::mutex busy;
  Job job;
  /// The number of the open job; even numbers mean that none is open. A
  /// thread adds itself to `active` before it reads `open` and so either sees
  /// that the job is closed or is waited for.
  alignas(64) std::atomic<uint32_t> open = 0;
  alignas(64) std::atomic<uint32_t> active = 0;
  alignas(64) std::atomic<int64_t> next = 0;
  std::atomic<bool> outOfMemory = false;
  std::atomic<bool> stopping = false;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CPU_THREADPOOL_H
