// Compiles candidates in several processes at once.
#ifndef TILEWRIGHT_AUTOTUNE_SESSION_COMPILEPOOL_H
#define TILEWRIGHT_AUTOTUNE_SESSION_COMPILEPOOL_H

#include "autotune/measure/WorkerProcess.h"
#include <atomic>
#include <functional>
#include <span>

namespace tilewright::autotune {

/// A schedule that becomes a file, and what came of it.
struct CompileJob {
  std::string schedule;
  std::filesystem::path file;
  WorkerFailure result = {};
  double seconds = 0;
};

/// Starts its processes when they are needed. Used from one thread.
class CompilePool {
public:
  /// Makes a process whose name begins with the argument.
  using MakeWorker =
      std::function<std::unique_ptr<WorkerProcess>(const std::string &)>;

  CompilePool(unsigned workers, std::chrono::milliseconds timeout,
              MakeWorker makeWorker)
      : most(workers), timeout(timeout), makeWorker(std::move(makeWorker)) {}

  /// What is compiled from now on; called before the first job.
  void setTask(const TaskRecord &task);
  void compile(CompileJob &job);

  struct Batch {
    /// In their order; null: there is nothing to compile.
    std::vector<CompileJob *> jobs;
    /// No more jobs are begun when this is true; called from any thread.
    std::function<bool()> isOver;
    /// Takes each number of a job in order, from the caller's thread: as soon
    /// as it is done if `overlaps`, else when all are.
    std::function<Status(size_t)> then;
    bool overlaps = false;
  };
  /// The first error of `then`, after which it is not called again.
  Status compile(const Batch &batch);

private:
  void start(size_t count);
  void compileSome(WorkerProcess &worker, const Batch &batch,
                   std::atomic<size_t> &next,
                   const std::function<void(size_t)> &finished) const;
  void compile(WorkerProcess &worker, CompileJob &job) const;

  unsigned most;
  std::chrono::milliseconds timeout;
  MakeWorker makeWorker;
  TaskRecord task;
  std::vector<std::unique_ptr<WorkerProcess>> workers;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SESSION_COMPILEPOOL_H
