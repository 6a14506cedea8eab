//===- Compiler.cpp - From tile kernels to kernel images ------------------===//
#include "tilewright/compiler/Compiler.h"

#include "library/compiler/Diagnostics.h"
#include "library/compiler/Engine.h"
#include "support/Threads.h"
#include <condition_variable>
#include <deque>

namespace tilewright {

StatusOr<KernelImage> compile(const CompileRequest &request,
                              CompileReport *report) {
  CompileResult result = Engine(nullptr, nullptr).run(request, {});
  if (report)
    *report = std::move(result.report);
  return std::move(result.image);
}

/// A request and its result. It is waiting, then running, then done; a
/// cancelled one goes from waiting to done.
struct CompileHandle::Job {
  explicit Job(CompileRequest request) : request(std::move(request)) {}

  /// Whether the caller is to run it.
  bool begin() {
    std::lock_guard lock(mutex);
    if (state != State::waiting)
      return false;
    state = State::running;
    return true;
  }
  void end(CompileResult made) {
    {
      std::lock_guard lock(mutex);
      result = std::move(made);
      state = State::done;
    }
    changed.notify_all();
  }
  void cancel() {
    stop.request_stop();
    if (!begin())
      return;
    Stop inQueue;
    inQueue.where = "the queue";
    CompileReport report;
    Status failure = concludeStop(inQueue, request.kernel, request.module,
                                  report.diagnostics);
    end({failure, std::move(report)});
  }

  enum class State { waiting, running, done };
  const CompileRequest request;
  std::stop_source stop;
  std::mutex mutex;
  std::condition_variable changed;
  State state = State::waiting;
  std::optional<CompileResult> result;
};

void CompileHandle::wait() const {
  std::unique_lock lock(job->mutex);
  job->changed.wait(lock, [&] { return job->state == Job::State::done; });
}

bool CompileHandle::waitFor(std::chrono::milliseconds time) const {
  std::unique_lock lock(job->mutex);
  return job->changed.wait_for(lock, time,
                               [&] { return job->state == Job::State::done; });
}

void CompileHandle::cancel() const { job->cancel(); }

const CompileResult &CompileHandle::get() const {
  wait();
  return *job->result;
}

struct Compiler::Pool {
  using Job = std::shared_ptr<CompileHandle::Job>;

  /// The next request; null when the pool ends.
  Job next() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return isEnding || !queue.empty(); });
    if (isEnding)
      return nullptr;
    Job job = std::move(queue.front());
    queue.pop_front();
    running.push_back(job);
    return job;
  }
  void work() {
    Engine engine(cache, plugins);
    while (Job job = next()) {
      if (job->begin())
        job->end(engine.run(job->request, job->stop.get_token()));
      std::lock_guard lock(mutex);
      std::erase(running, job);
    }
  }
  void end() {
    std::deque<Job> rest;
    {
      std::lock_guard lock(mutex);
      isEnding = true;
      rest.swap(queue);
      rest.insert(rest.end(), running.begin(), running.end());
    }
    changed.notify_all();
    for (const Job &job : rest)
      job->cancel();
    threads.clear();
  }

  std::shared_ptr<Cache> cache;
  std::shared_ptr<const Plugins> plugins;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> queue;
  std::vector<Job> running;
  bool isEnding = false;
  std::vector<std::jthread> threads;
};

StatusOr<std::unique_ptr<Compiler>>
Compiler::create(const CompilerOptions &options) {
  constexpr unsigned mostThreads = 1024;
  if (options.threads > mostThreads)
    return Status::invalidInput(
        "compiler: expected at most " + std::to_string(mostThreads) +
        " threads, found " + std::to_string(options.threads));
  unsigned threads = options.threads;
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  auto pool = std::make_unique<Pool>();
  pool->cache = options.cache;
  pool->plugins = options.plugins;
  for (unsigned i = 0; i < threads; ++i) {
    StatusOr<std::jthread> started =
        startThread([pool = pool.get()] { pool->work(); });
    if (!started.ok()) {
      pool->end();
      return tooFewThreads(i, threads, started.status()).prefixed("compiler");
    }
    pool->threads.push_back(*std::move(started));
  }
  return std::unique_ptr<Compiler>(new Compiler(std::move(pool)));
}

Compiler::Compiler(std::unique_ptr<Pool> pool) : pool(std::move(pool)) {}
Compiler::~Compiler() { pool->end(); }

CompileHandle Compiler::submit(CompileRequest request) {
  auto job = std::make_shared<CompileHandle::Job>(std::move(request));
  {
    std::lock_guard lock(pool->mutex);
    pool->queue.push_back(job);
  }
  pool->changed.notify_one();
  return CompileHandle(job);
}

StatusOr<KernelImage> Compiler::compile(const CompileRequest &request,
                                        CompileReport *report) {
  CompileHandle handle = submit(request);
  handle.wait();
  // Nobody else has this handle.
  CompileResult result = std::move(*handle.job->result);
  if (report)
    *report = std::move(result.report);
  return std::move(result.image);
}

} // namespace tilewright
