#include "autotune/session/Trials.h"

#include "autotune/database/Text.h"
#include "autotune/session/TrialRow.h"
#include "support/Format.h"

namespace tilewright::autotune {

using Clock = std::chrono::steady_clock;

namespace {
/// A schedule on its way through compilation and measurement.
struct Attempt {
  Proposal proposal;
  CompileJob job;
  const TrialRecord *known = nullptr;
};
} // namespace

static std::filesystem::path fileFor(TaskContext &context,
                                     const std::string &schedule) {
  auto [file, isNew] = context.files.try_emplace(schedule);
  if (isNew)
    file->second =
        context.run.folder /
        format("task{}-{}.candidate", {context.number, context.files.size()});
  return file->second;
}

static bool isMissing(const std::filesystem::path &file) {
  std::error_code error;
  return !std::filesystem::exists(file, error);
}

static void accept(TaskContext &context, const TrialRecord &trial,
                   const Attempt &attempt) {
  context.search->report(attempt.proposal.point,
                         context.results.accept(trial, attempt.job.file));
}

/// Takes over the result of an earlier run.
static void replay(TaskContext &context, const Attempt &attempt) {
  accept(context, *attempt.known, attempt);
  // What others are measured against must be there.
  for (const MeasuredSchedule *needed :
       {context.results.defaultSchedule(), context.results.incumbent()})
    if (needed && isMissing(needed->file)) {
      CompileJob job{needed->schedule, needed->file};
      context.run.compilers->setTask(context.task->record());
      context.run.compilers->compile(job);
    }
}

static void addMeasured(const RunContext &run, const Attempt &attempt,
                        const Measured &measured,
                        const MeasuredSchedule *against, TrialRecord &trial) {
  takeOver(measured, trial);
  trial.against = against ? against->schedule : "";
  if (!measured.counted.empty())
    trial.terms = termsOf(attempt.proposal.estimate, measured.counted);
  // Costs that are no times are exact, and so are their ratios.
  if (run.metric != Metric::time && against)
    trial.ratio = trial.ratioLow = trial.ratioHigh =
        trial.median / against->cost;
}

static void addVerdict(const RunContext &run, const WorkerFailure &failure,
                       TrialRecord &trial) {
  trial.verdict = failure.verdict;
  trial.reason = cleanText(failure.reason);
  if (failure.verdict == Verdict::timedOut && run.metric == Metric::counters)
    trial.reason += format(" on device '{}', which is far slower than a GPU: "
                           "use smaller shapes, or a longer timeout",
                           {run.options.device});
}

static TrialRecord measure(TaskContext &context, const Attempt &attempt,
                           const MeasuredSchedule *against) {
  const RunContext &run = context.run;
  const CompileJob &job = attempt.job;
  Clock::time_point start = Clock::now();
  TrialRecord trial =
      startTrial(run, *context.task, attempt.proposal, job.schedule);
  WorkerFailure failure = job.result;
  if (failure.verdict == Verdict::ok) {
    WorkerAnswer<Measured> answer = context.measurer->measure(
        {job.schedule, job.file, context.results.defaultSchedule(), against});
    failure = answer.failure;
    if (answer.ok())
      addMeasured(run, attempt, answer.value, against, trial);
  }
  addVerdict(run, failure, trial);
  trial.seconds =
      job.seconds + std::chrono::duration<double>(Clock::now() - start).count();
  return trial;
}

static Status record(RunContext &run, const TrialRecord &trial) {
  ++run.trials;
  run.measuring += trial.measuring;
  if (trial.verdict != Verdict::ok)
    ++run.failures[std::string(verdictName(trial.verdict))];
  return run.database.add(trial);
}

static Status finish(TaskContext &context, const Attempt &attempt) {
  RunContext &run = context.run;
  if (attempt.known) {
    replay(context, attempt);
    return Status();
  }
  if (run.isOver() && context.results.defaultSchedule())
    return Status();
  TrialRecord trial = measure(context, attempt, context.results.incumbent());
  accept(context, trial, attempt);
  Status status = record(run, trial);
  if (run.tried)
    run.tried(context.number);
  return status;
}

Status tryAll(TaskContext &context, std::vector<Proposal> proposals) {
  RunContext &run = context.run;
  std::vector<Attempt> attempts(proposals.size());
  CompilePool::Batch batch;
  for (size_t i = 0; i < attempts.size(); ++i) {
    Attempt &attempt = attempts[i];
    attempt.job.schedule = context.space.text(proposals[i].point);
    attempt.job.file = fileFor(context, attempt.job.schedule);
    attempt.proposal = std::move(proposals[i]);
    if (auto earlier = context.known.find(attempt.job.schedule);
        earlier != context.known.end())
      attempt.known = &earlier->second;
    batch.jobs.push_back(attempt.known ? nullptr : &attempt.job);
  }
  const bool isFirst = !context.results.defaultSchedule();
  batch.isOver = [&run, isFirst] { return !isFirst && run.isOver(); };
  batch.then = [&](size_t i) { return finish(context, attempts[i]); };
  batch.overlaps = run.overlaps;
  run.compilers->setTask(context.task->record());
  return run.compilers->compile(batch);
}

Status confirmIncumbent(TaskContext &context) {
  TaskResults &results = context.results;
  const MeasuredSchedule *first = results.defaultSchedule();
  const MeasuredSchedule *best = results.incumbent();
  if (!first || first->schedule == best->schedule)
    return Status();
  StatusOr<Point> point = context.space.parse(best->schedule);
  if (!point.ok())
    return Status();
  Attempt attempt;
  attempt.job = {best->schedule, best->file};
  attempt.proposal = {*point, context.task->estimate(best->schedule),
                      "confirmation"};
  TrialRecord trial = measure(context, attempt, first);
  results.confirm(trial);
  return record(context.run, trial);
}

} // namespace tilewright::autotune
