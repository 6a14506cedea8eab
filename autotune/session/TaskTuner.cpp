#include "autotune/session/TaskTuner.h"

#include "autotune/database/Text.h"
#include "autotune/session/TrialRow.h"
#include "support/Format.h"
#include <algorithm>
#include <cmath>
#include <thread>

namespace tilewright::autotune {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

static Milliseconds milliseconds(double seconds) {
  return Milliseconds(int64_t(seconds * 1000));
}

TaskTuner::TaskTuner(RunContext &run, const WeightedTask &weighted,
                     size_t number)
    : run(run), weighted(weighted), number(number) {}

TaskTuner::~TaskTuner() = default;

void TaskTuner::giveUp(const std::string &why) {
  reason = why;
  done = true;
  rest();
}

void TaskTuner::rest() { worker.reset(); }

WorkerProcess &TaskTuner::measurer() {
  if (!worker) {
    worker = run.makeWorker(format("measure{}", {number}));
    worker->setTask(task->record());
  }
  return *worker;
}

/// Reads what an earlier run tried.
Status TaskTuner::remember() {
  if (!run.options.resume)
    return Status();
  TrialFilter filter;
  filter.task = task->record().task;
  filter.device = run.options.device;
  filter.metric = run.metric;
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<TrialRecord> trials,
                              run.database.trials(filter));
  for (TrialRecord &trial : trials)
    if (trial.hardware == run.hardware && trial.driver == run.driver &&
        trial.compiler == run.run.compiler && trial.origin != "confirmation")
      known.try_emplace(trial.schedule, std::move(trial));
  return Status();
}

/// Where a kernel that differs in sizes only is fast.
std::vector<Point> TaskTuner::transferred() const {
  const TaskRecord &own = task->record();
  StatusOr<std::optional<Nearest>> nearest = run.database.nearest(
      own.family, own.shape, own.target, run.options.device);
  if (!nearest.ok() || !*nearest || (*nearest)->task.task == own.task)
    return {};
  StatusOr<Point> point = space.parse((*nearest)->trial.schedule);
  if (!point.ok())
    return {};
  return {*point};
}

/// The schedules that were fastest when they were tried, whoever did.
std::vector<Point> TaskTuner::bestKnown() const {
  constexpr size_t most = 3;
  TrialFilter filter;
  filter.task = task->record().task;
  filter.device = run.options.device;
  filter.metric = run.metric;
  filter.verdict = Verdict::ok;
  StatusOr<std::vector<TrialRecord>> trials = run.database.trials(filter);
  StatusOr<std::optional<TrialRecord>> best =
      run.database.best({task->record().task, run.options.device});
  std::vector<std::string> schedules;
  if (best.ok() && *best)
    schedules.push_back((*best)->schedule);
  if (trials.ok()) {
    std::ranges::sort(*trials, {}, &TrialRecord::median);
    for (const TrialRecord &trial : *trials)
      if (schedules.size() < most &&
          std::ranges::find(schedules, trial.schedule) == schedules.end())
        schedules.push_back(trial.schedule);
  }
  std::vector<Point> points;
  for (const std::string &schedule : schedules)
    if (StatusOr<Point> point = space.parse(schedule);
        point.ok() && *point != space.defaultPoint())
      points.push_back(*point);
  return points;
}

std::filesystem::path TaskTuner::fileFor(const std::string &schedule) {
  auto [file, isNew] = files.try_emplace(schedule);
  if (isNew)
    file->second =
        run.folder / format("task{}-{}.candidate", {number, files.size()});
  return file->second;
}

bool TaskTuner::runOracle() {
  oracle = run.folder / format("task{}.oracle", {number});
  WorkerAnswer<WorkerProcess::OracleRun> interpreted = measurer().runOracle(
      run.oracleSeconds, oracle,
      milliseconds(run.oracleSeconds + 3 * run.options.timeoutSeconds));
  if (!interpreted.ok())
    giveUp("the interpreter has no result to compare with: " +
           interpreted.failure.reason);
  return interpreted.ok();
}

Status TaskTuner::begin() {
  StatusOr<std::unique_ptr<Task>> opened =
      Task::open(weighted.task, run.options.threads, run.options.plugins);
  if (!opened.ok()) {
    giveUp(opened.status().message());
    return Status();
  }
  task = std::move(*opened);
  TILEWRIGHT_RETURN_IF_ERROR(run.database.add(task->record()));
  TILEWRIGHT_RETURN_IF_ERROR(remember());
  SearchOptions options = run.options.search;
  StatusOr<Space> chosen = task->space().only(options.onlyParameters);
  if (!chosen.ok()) {
    giveUp(chosen.status().message());
    return Status();
  }
  space = *std::move(chosen);
  options.transferred = run.options.revalidates ? bestKnown() : transferred();
  options.ranked = std::min(options.ranked, task->rankedPoints());
  limit = run.options.revalidates ? 1 + options.transferred.size()
                                  : run.options.trials;
  plan = std::make_unique<Search>(
      space,
      [this](const Point &point) { return task->estimate(space.text(point)); },
      options);
  {
    // The interpreter and the model take one core each.
    std::jthread ranking([this] { plan->prepare(); });
    if (!runOracle())
      return Status();
  }
  TILEWRIGHT_RETURN_IF_ERROR(tryAll(plan->next(1)));
  if (!done && !defaultSchedule)
    giveUp("the default schedule does not run: " + reason);
  return Status();
}

Status TaskTuner::step() {
  size_t count = trialsOfStep;
  if (limit > 0)
    count = std::min(count, limit - std::min(limit, trials));
  std::vector<Proposal> proposals;
  if (!done && count > 0)
    proposals = plan->next(count);
  if (proposals.empty()) {
    done = true;
    return Status();
  }
  return tryAll(std::move(proposals));
}

Status TaskTuner::tryAll(std::vector<Proposal> proposals) {
  std::vector<Attempt> attempts(proposals.size());
  CompilePool::Batch batch;
  for (size_t i = 0; i < attempts.size(); ++i) {
    Attempt &attempt = attempts[i];
    attempt.job.schedule = space.text(proposals[i].point);
    attempt.job.file = fileFor(attempt.job.schedule);
    attempt.proposal = std::move(proposals[i]);
    if (auto earlier = known.find(attempt.job.schedule); earlier != known.end())
      attempt.known = &earlier->second;
    batch.jobs.push_back(attempt.known ? nullptr : &attempt.job);
  }
  // The default schedule is always tried.
  const bool isFirst = !defaultSchedule;
  batch.isOver = [this, isFirst] { return !isFirst && run.isOver(); };
  batch.then = [&](size_t i) { return finish(attempts[i]); };
  batch.overlaps = run.overlaps;
  run.compilers->setTask(task->record());
  return run.compilers->compile(batch);
}

static bool isMissing(const std::filesystem::path &file) {
  std::error_code error;
  return !std::filesystem::exists(file, error);
}

/// Takes over the result of an earlier run.
void TaskTuner::replay(Attempt &attempt) {
  const TrialRecord &trial = *attempt.known;
  accept(trial, attempt.proposal.point, attempt.job.file);
  // What others are measured against must be there.
  for (const std::optional<Incumbent> *needed : {&defaultSchedule, &incumbent})
    if (*needed && isMissing((*needed)->file)) {
      CompileJob job{(*needed)->schedule, (*needed)->file};
      run.compilers->setTask(task->record());
      run.compilers->compile(job);
    }
}

Status TaskTuner::finish(Attempt &attempt) {
  // What is over stays untried; the default schedule is always tried.
  if (run.isOver() && defaultSchedule && !attempt.known) {
    done = true;
    return Status();
  }
  if (attempt.known) {
    replay(attempt);
    return Status();
  }
  TrialRecord trial = measure(attempt, incumbent ? &*incumbent : nullptr);
  accept(trial, attempt.proposal.point, attempt.job.file);
  Status status = record(std::move(trial));
  if (run.tried)
    run.tried(*this);
  return status;
}

TrialRecord TaskTuner::measure(Attempt &attempt, const Incumbent *against) {
  Clock::time_point start = Clock::now();
  TrialRecord trial =
      startTrial(run, *task, attempt.proposal, attempt.job.schedule);
  WorkerFailure failure = attempt.job.result;
  if (failure.verdict == Verdict::ok) {
    WorkerProcess::Measurement what;
    what.schedule = attempt.job.schedule;
    what.candidate = attempt.job.file;
    what.defaultSchedule =
        defaultSchedule ? defaultSchedule->file : attempt.job.file;
    what.oracle = oracle;
    if (against)
      what.against = against->file;
    // Some launches of a slow default take their time.
    double slow = defaultSchedule ? defaultSchedule->cost * 1e-9 * 40 : 0;
    WorkerAnswer<Measured> answer = measurer().measure(
        what, milliseconds(run.options.timeoutSeconds +
                           run.options.measureSeconds + slow));
    failure = answer.failure;
    if (answer.ok()) {
      takeOver(answer.value, trial);
      trial.against = against ? against->schedule : "";
      if (!answer.value.counted.empty())
        trial.terms = termsOf(attempt.proposal.estimate, answer.value.counted);
      // Costs that are no times are exact, and so are their ratios.
      if (run.metric != Metric::time && against)
        trial.ratio = trial.ratioLow = trial.ratioHigh =
            trial.median / against->cost;
    }
  }
  trial.verdict = failure.verdict;
  trial.reason = cleanText(failure.reason);
  if (failure.verdict == Verdict::timedOut && run.metric == Metric::counters)
    trial.reason += format(" on device '{}', which is far slower than a GPU: "
                           "use smaller shapes, or a longer timeout",
                           {run.options.device});
  trial.seconds = attempt.job.seconds + secondsSince(start);
  return trial;
}

/// Learns from a trial, of this run or an earlier one.
void TaskTuner::accept(const TrialRecord &trial, const Point &point,
                       const std::filesystem::path &file) {
  ++trials;
  if (trial.verdict != Verdict::ok) {
    reason = trial.reason;
    plan->report(point, std::nullopt);
    return;
  }
  auto reference = costs.find(trial.against);
  bool isExact = run.metric != Metric::time;
  double cost = isExact || reference == costs.end()
                    ? trial.median
                    : reference->second * trial.ratio;
  costs[trial.schedule] = cost;
  plan->report(point, cost);
  if (!defaultSchedule) {
    defaultSchedule = incumbent = {trial.schedule, file, cost};
    return;
  }
  // What was measured against another than the present incumbent (in another
  // shard's run) has not beaten this one.
  if (trial.ratioHigh < 1 && trial.against == incumbent->schedule)
    incumbent = {trial.schedule, file, cost};
}

Status TaskTuner::record(TrialRecord trial) {
  ++run.trials;
  run.measuring += trial.measuring;
  if (trial.verdict != Verdict::ok)
    ++run.failures[std::string(verdictName(trial.verdict))];
  return run.database.add(trial);
}

Status TaskTuner::confirm() {
  if (!defaultSchedule || defaultSchedule->schedule == incumbent->schedule)
    return Status();
  Attempt attempt;
  attempt.job = {incumbent->schedule, incumbent->file};
  StatusOr<Point> point = space.parse(incumbent->schedule);
  if (!point.ok())
    return Status();
  attempt.proposal = {*point, task->estimate(incumbent->schedule),
                      "confirmation"};
  TrialRecord trial = measure(attempt, &*defaultSchedule);
  if (trial.verdict == Verdict::ok && trial.ratioHigh < 1)
    incumbent->cost = run.metric == Metric::time
                          ? defaultSchedule->cost * trial.ratio
                          : trial.median;
  else
    incumbent = defaultSchedule;
  return record(std::move(trial));
}

double TaskTuner::promise() const {
  if (done || !incumbent)
    return 0;
  // Half as much after each eight trials in which nothing was gained.
  return double(weighted.count) * incumbent->cost *
         std::exp2(-double(plan->sinceBest()) / 8);
}

TunedTask TaskTuner::result() const {
  TunedTask tuned;
  tuned.task = task ? task->record() : weighted.task;
  tuned.count = weighted.count;
  tuned.trials = trials;
  if (defaultSchedule)
    tuned.defaultCost = defaultSchedule->cost;
  if (incumbent) {
    tuned.best = incumbent->cost;
    tuned.schedule = incumbent->schedule;
  } else {
    tuned.trouble = reason;
  }
  return tuned;
}

void TaskTuner::fill(RunProgress &progress) const {
  progress.task = weighted.task.label;
  progress.taskNumber = number + 1;
  progress.done = trials;
  progress.planned = limit;
  if (run.metric != Metric::time)
    progress.metric = metricName(run.metric);
  if (defaultSchedule)
    progress.defaultCost = defaultSchedule->cost;
  if (incumbent) {
    progress.best = incumbent->cost;
    progress.bestSchedule = incumbent->schedule;
  }
  if (!plan)
    return;
  progress.rejected.assign(plan->rejections().begin(),
                           plan->rejections().end());
  std::ranges::sort(progress.rejected, [](const auto &a, const auto &b) {
    return std::pair(b.second, a.first) < std::pair(a.second, b.first);
  });
}

} // namespace tilewright::autotune
