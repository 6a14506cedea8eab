//===- SessionThreads.h - The threads of passes -----------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_SESSION_SESSIONTHREADS_H
#define TILEWRIGHT_LIBRARY_MODEL_SESSION_SESSIONTHREADS_H

#include "llvm/Support/ThreadPool.h"
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewright {

/// The threads on which a context runs passes over kernels: as many as the
/// machine has cores, started when they are first needed. LLVM's own pool ends
/// the process where the system starts no further thread; here those that run
/// do the work, in the end the one that waits for it. Safe from many threads.
class SessionThreads : public llvm::ThreadPoolInterface {
public:
  SessionThreads();
  ~SessionThreads() override;

  void wait() override;
  void wait(llvm::ThreadPoolTaskGroup &group) override;
  unsigned getMaxConcurrency() const override { return most; }

private:
  using Group = llvm::ThreadPoolTaskGroup *;
  struct Task {
    llvm::unique_function<void()> work;
    Group group;
  };

  void asyncEnqueue(llvm::unique_function<void()> work, Group group) override;
  /// Starts one more thread, if all are busy. Expects the lock.
  void startThreadIfNeeded();
  void work();
  /// Runs the first task of the group, or of any for null, if there is one.
  bool runOne(Group group, std::unique_lock<std::mutex> &lock);
  /// Runs tasks until all of the group, or all, are done.
  void finish(Group group);

  const unsigned most;
  std::mutex mutex;
  /// A task came, or was done, or no more will come.
  std::condition_variable changed;
  std::deque<Task> queue;
  /// How many tasks run or are queued; null stands for all groups.
  std::map<Group, size_t> open;
  size_t idle = 0;
  bool isRefused = false, isEnding = false;
  std::vector<std::jthread> threads;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_SESSION_SESSIONTHREADS_H
