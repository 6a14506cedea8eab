#include "autotune/session/CompilePool.h"
#include "support/Format.h"
#include "support/Threads.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tilewright::autotune {

using Clock = std::chrono::steady_clock;

void CompilePool::start(size_t count) {
  while (workers.size() < count) {
    workers.push_back(makeWorker(format("compile{}", {workers.size()})));
    workers.back()->setTask(task);
  }
}

void CompilePool::setTask(const TaskRecord &newTask) {
  task = newTask;
  for (const auto &worker : workers)
    worker->setTask(task);
}

void CompilePool::compile(WorkerProcess &worker, CompileJob &job) const {
  Clock::time_point start = Clock::now();
  job.result = worker.compile(job.schedule, job.file, timeout);
  job.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

void CompilePool::compile(CompileJob &job) {
  start(1);
  compile(*workers.front(), job);
}

/// One process compiles what no other has begun, one after the other.
void CompilePool::compileSome(
    WorkerProcess &worker, const Batch &batch, std::atomic<size_t> &next,
    const std::function<void(size_t)> &finished) const {
  for (size_t i; (i = next.fetch_add(1)) < batch.jobs.size();) {
    if (batch.jobs[i] && !batch.isOver())
      compile(worker, *batch.jobs[i]);
    finished(i);
  }
}

Status CompilePool::compile(const Batch &batch) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> ready(batch.jobs.size());
  auto finished = [&](size_t i) {
    std::lock_guard<std::mutex> lock(mutex);
    ready[i] = true;
    changed.notify_all();
  };
  size_t count = std::min<size_t>(most, batch.jobs.size());
  start(count);
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < count; ++i) {
    StatusOr<std::jthread> started = startThread(
        [&, i] { compileSome(*workers[i], batch, next, finished); });
    // Any of them can compile all jobs.
    if (!started.ok() && threads.empty())
      return started.status().prefixed("compile");
    if (!started.ok())
      break;
    threads.push_back(*std::move(started));
  }
  if (!batch.overlaps)
    threads.clear();
  Status status;
  for (size_t i = 0; i < batch.jobs.size() && status.ok(); ++i) {
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return ready[i]; });
    }
    status = batch.then(i);
  }
  return status;
}

} // namespace tilewright::autotune
