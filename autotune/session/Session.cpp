#include "autotune/session/Session.h"

#include "autotune/database/Best.h"
#include "autotune/report/Summary.h"
#include "autotune/session/TaskTuner.h"
#include "support/Format.h"
#include "tilewright/runtime/CounterSource.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>
#include <thread>

namespace tilewright::autotune {

using Clock = std::chrono::steady_clock;

std::string timeStamp() {
  std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

namespace {
/// A temporary folder, removed with the object.
class RunFolder {
public:
  static StatusOr<RunFolder> make(const std::filesystem::path &parent) {
    RunFolder folder;
    std::string pattern = (parent / "tilewright-tune-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      return Status::ioError("cannot make a folder in " + parent.string());
    folder.path = pattern;
    return folder;
  }
  RunFolder(RunFolder &&other) noexcept : path(std::move(other.path)) {
    other.path.clear();
  }
  RunFolder &operator=(RunFolder &&) = delete;
  ~RunFolder() {
    std::error_code ignored;
    if (!path.empty())
      std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;

private:
  RunFolder() = default;
};

class Run {
public:
  Run(RunContext &context, const Workload &workload)
      : context(context), workload(workload) {}
  StatusOr<TuneReport> tuneAll();

private:
  Status begin();
  Status improve();
  Status confirm();
  void report(const TaskTuner &tuner) const;
  StatusOr<TuneReport> summary() const;
  Status takeOver(TunedTask &task) const;
  Status give(TaskTuner &tuner, size_t rounds);

  RunContext &context;
  const Workload &workload;
  std::vector<std::unique_ptr<TaskTuner>> tuners;
};
} // namespace

void Run::report(const TaskTuner &tuner) const {
  const TuneOptions &options = context.options;
  if (!options.progress)
    return;
  RunProgress progress;
  tuner.fill(progress);
  progress.taskCount = workload.tasks.size();
  progress.trials = size_t(context.trials);
  for (const auto &failure : context.failures)
    progress.rejected.push_back(failure);
  progress.seconds = context.seconds();
  progress.measuring = context.measuring;
  if (options.seconds > 0)
    progress.secondsLeft = std::max(0.0, options.seconds - progress.seconds);
  options.progress(progress);
}

/// Measures each task's default, to see where the time goes. This takes at most
/// half of the time; tasks that were begun get a step.
Status Run::begin() {
  for (size_t i = 0; i < workload.tasks.size(); ++i) {
    if (i > 0 && context.options.seconds > 0 &&
        context.seconds() >= context.options.seconds / 2)
      break;
    tuners.push_back(
        std::make_unique<TaskTuner>(context, workload.tasks[i], i));
    TILEWRIGHT_RETURN_IF_ERROR(tuners.back()->begin());
    report(*tuners.back());
    if (workload.tasks.size() > 1)
      tuners.back()->rest();
  }
  return Status();
}

Status Run::give(TaskTuner &tuner, size_t rounds) {
  for (size_t i = 0; i < rounds && !tuner.isDone() && !context.isOver(); ++i) {
    TILEWRIGHT_RETURN_IF_ERROR(tuner.step());
    report(tuner);
  }
  return Status();
}

/// One step for each task, the most promising first; then steps for the most
/// promising task until none is left.
Status Run::improve() {
  // With their indices: equals stay in order.
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < tuners.size(); ++i)
    order.emplace_back(-tuners[i]->promise(), i);
  std::ranges::sort(order);
  if (order.size() > 1)
    for (auto [promise, i] : order) {
      TaskTuner *tuner = tuners[i].get();
      TILEWRIGHT_RETURN_IF_ERROR(give(*tuner, 1));
      tuner->rest();
    }
  TaskTuner *last = nullptr;
  while (!context.isOver()) {
    auto next = std::ranges::max_element(
        tuners, {}, [](const auto &tuner) { return tuner->promise(); });
    if (next == tuners.end() || (*next)->promise() <= 0)
      return Status();
    if (last && last != next->get())
      last->rest();
    last = next->get();
    // Several steps, to amortize the start of its process; half of its steps so
    // far, so that it starts seldom.
    constexpr size_t fewest = 4;
    TILEWRIGHT_RETURN_IF_ERROR(give(
        *last,
        std::max(fewest, last->result().trials / TaskTuner::trialsOfStep / 2)));
  }
  return Status();
}

Status Run::confirm() {
  for (const auto &tuner : tuners) {
    TILEWRIGHT_RETURN_IF_ERROR(tuner->confirm());
    tuner->rest();
    report(*tuner);
  }
  return Status();
}

/// The metrics for `list` and `show`, and the schedule for compilations.
Status Run::takeOver(TunedTask &task) const {
  TrialFilter filter;
  filter.task = task.task.task;
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<TrialRecord> trials,
                              context.database.trials(filter));
  const std::string_view kind = deviceKind(context.options.device);
  for (const TaskSummary &found : summarize({&task.task, 1}, trials)) {
    if (found.device != kind || found.hardware != context.hardware ||
        !found.best)
      continue;
    TaskSummary summary = levelled(found);
    task.metric = summary.best->metric;
    task.best = summary.best->median;
    task.schedule = summary.best->schedule;
    task.defaultCost = summary.defaultTrial ? summary.defaultTrial->median : 0;
  }
  return Status();
}

StatusOr<TuneReport> Run::summary() const {
  TuneReport report;
  report.run = context.run;
  for (const auto &tuner : tuners) {
    TunedTask &task = report.tasks.emplace_back(tuner->result());
    if (task.trouble.empty())
      TILEWRIGHT_RETURN_IF_ERROR(takeOver(task));
    task.triedDefaultOnly =
        task.trouble.empty() && task.trials == 1 && !tuner->isDone();
    if (const Search *search = tuner->search()) {
      report.modelled += search->estimated();
      for (const auto &[reason, count] : search->rejections())
        report.rejections[reason] += count;
    }
  }
  for (size_t i = tuners.size(); i < workload.tasks.size(); ++i) {
    TunedTask &task = report.tasks.emplace_back();
    task.task = workload.tasks[i].task;
    task.count = workload.tasks[i].count;
    task.trouble = "there was no time left for it";
  }
  report.trials = size_t(context.trials);
  report.failures = context.failures;
  report.seconds = context.seconds();
  report.measuring = context.measuring;
  return report;
}

StatusOr<TuneReport> Run::tuneAll() {
  context.tried = [this](size_t task) { report(*tuners[task]); };
  TILEWRIGHT_RETURN_IF_ERROR(begin());
  TILEWRIGHT_RETURN_IF_ERROR(improve());
  TILEWRIGHT_RETURN_IF_ERROR(confirm());
  return summary();
}

/// 32 hexadecimal digits that no other run has.
static std::string newRunName() {
  static constexpr char digits[] = "0123456789abcdef";
  std::random_device source;
  std::string name;
  for (int word = 0; word < 4; ++word)
    for (uint32_t bits = source(), i = 0; i < 8; ++i, bits >>= 4)
      name += digits[bits & 15];
  return name;
}

static RunRecord runRecord(const TuneOptions &options) {
  RunRecord run;
  run.run = newRunName();
  run.command = options.command;
  run.version = options.version;
  run.compiler = options.compiler;
  run.host = options.host;
  run.started = timeStamp();
  run.seed = options.search.seed;
  run.shard =
      format("{}/{}", {options.search.shard + 1, options.search.shards});
  return run;
}

static WorkerOptions workerOptions(const RunContext &run) {
  const TuneOptions &options = run.options;
  WorkerOptions worker;
  worker.command = options.worker;
  worker.memoryBytes = options.memoryBytes;
  worker.folder = run.folder;
  worker.bench.device = options.device;
  worker.bench.threads = options.threads;
  worker.bench.seconds = options.measureSeconds;
  // Twice what the caches next to a few cores hold.
  constexpr size_t cacheBytes = size_t(8) << 20;
  worker.bench.coldBytes = options.warmCaches ? 0 : cacheBytes;
  return worker;
}

StatusOr<TuneReport> tune(const Workload &workload, Database &database,
                          const TuneOptions &options) {
  RunContext context{
      .options = options, .database = database, .run = runRecord(options)};
  {
    runtime::DeviceOptions deviceOptions;
    deviceOptions.threads = options.threads;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        std::shared_ptr<runtime::Device> device,
        runtime::openDevice(options.device, deviceOptions));
    context.hardware = device->info().description;
    // What is counted is the same on every machine.
    if (runtime::counterSource(*device)) {
      context.metric = Metric::counters;
      context.hardware = options.device;
    }
  }
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  context.jobs = options.jobs ? options.jobs : cores;
  const unsigned threads = options.threads ? options.threads : cores;
  context.overlaps = options.device != "cpu" || context.jobs + threads <= cores;
  context.oracleSeconds = options.oracleSeconds;
  if (options.seconds > 0 && !workload.tasks.empty())
    context.oracleSeconds =
        std::min(options.oracleSeconds,
                 options.seconds / 20 / double(workload.tasks.size()));
  Clock::time_point start = Clock::now();
  context.seconds = [start] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  TILEWRIGHT_ASSIGN_OR_RETURN(RunFolder folder,
                              RunFolder::make(options.scratch));
  context.folder = folder.path;
  context.makeWorker = [&context](const std::string &name) {
    return std::make_unique<WorkerProcess>(workerOptions(context), name);
  };
  context.compilers = std::make_unique<CompilePool>(
      context.jobs,
      std::chrono::milliseconds(int64_t(options.timeoutSeconds * 1000)),
      context.makeWorker);
  TILEWRIGHT_RETURN_IF_ERROR(database.add(context.run));
  return Run(context, workload).tuneAll();
}

} // namespace tilewright::autotune
