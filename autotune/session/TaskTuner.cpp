#include "autotune/session/TaskTuner.h"

#include "autotune/session/TrialHistory.h"
#include "autotune/session/Trials.h"
#include "support/Threads.h"
#include <algorithm>
#include <cmath>

namespace tilewright::autotune {

TaskTuner::TaskTuner(RunContext &run, const WeightedTask &weighted,
                     size_t number)
    : context{.run = run, .number = number, .results = TaskResults(run.metric)},
      weighted(weighted) {}

void TaskTuner::giveUp(const std::string &reason) {
  trouble = reason;
  done = true;
  rest();
}

void TaskTuner::rest() {
  if (context.measurer)
    context.measurer->rest();
}

/// Decides what is tried, and how much.
void TaskTuner::planSearch() {
  const RunContext &run = context.run;
  const TaskRecord &task = context.task->record();
  SearchOptions options = run.options.search;
  options.transferred = run.options.revalidates
                            ? bestKnownPoints(run, task, context.space)
                            : transferredPoints(run, task, context.space);
  options.ranked = std::min(options.ranked, context.task->rankedPoints());
  limit = run.options.revalidates ? 1 + options.transferred.size()
                                  : run.options.trials;
  context.search = std::make_unique<Search>(
      context.space,
      [this](const Point &point) {
        return context.task->estimate(context.space.text(point));
      },
      options);
}

Status TaskTuner::begin() {
  RunContext &run = context.run;
  StatusOr<std::unique_ptr<Task>> opened =
      Task::open(weighted.task, run.options.threads, run.options.plugins);
  if (!opened.ok()) {
    giveUp(opened.status().message());
    return Status();
  }
  context.task = std::move(*opened);
  const TaskRecord &task = context.task->record();
  TILEWRIGHT_RETURN_IF_ERROR(run.database.add(task));
  TILEWRIGHT_ASSIGN_OR_RETURN(context.known, earlierTrials(run, task));
  StatusOr<Space> chosen =
      context.task->space().only(run.options.search.onlyParameters);
  if (!chosen.ok()) {
    giveUp(chosen.status().message());
    return Status();
  }
  context.space = *std::move(chosen);
  context.measurer.emplace(run, task, context.number);
  planSearch();
  {
    // The interpreter and the model take one core each.
    StatusOr<std::jthread> ranking =
        startThread([this] { context.search->prepare(); });
    if (!ranking.ok())
      context.search->prepare();
    WorkerFailure failure = context.measurer->runOracle();
    if (failure.verdict != Verdict::ok) {
      giveUp("the interpreter has no result to compare with: " +
             failure.reason);
      return Status();
    }
  }
  TILEWRIGHT_RETURN_IF_ERROR(tryAll(context, context.search->next(1)));
  if (!context.results.defaultSchedule())
    giveUp("the default schedule does not run: " +
           context.results.lastFailure());
  return Status();
}

Status TaskTuner::step() {
  const size_t before = context.results.trials();
  size_t count = trialsOfStep;
  if (limit > 0)
    count = std::min(count, limit - std::min(limit, before));
  std::vector<Proposal> proposals;
  if (!done && count > 0)
    proposals = context.search->next(count);
  const size_t proposed = proposals.size();
  if (proposed == 0) {
    done = true;
    return Status();
  }
  TILEWRIGHT_RETURN_IF_ERROR(tryAll(context, std::move(proposals)));
  // Some stay untried only when the run is over.
  done = context.results.trials() - before < proposed;
  return Status();
}

Status TaskTuner::confirm() { return confirmIncumbent(context); }

double TaskTuner::promise() const {
  const MeasuredSchedule *incumbent = context.results.incumbent();
  if (done || !incumbent)
    return 0;
  // Half as much after each eight trials in which nothing was gained.
  return double(weighted.count) * incumbent->cost *
         std::exp2(-double(context.search->sinceBest()) / 8);
}

TunedTask TaskTuner::result() const {
  TunedTask tuned;
  tuned.task = context.task ? context.task->record() : weighted.task;
  tuned.count = weighted.count;
  tuned.trials = context.results.trials();
  tuned.trouble = trouble;
  if (const auto *schedule = context.results.defaultSchedule())
    tuned.defaultCost = schedule->cost;
  if (const auto *schedule = context.results.incumbent()) {
    tuned.best = schedule->cost;
    tuned.schedule = schedule->schedule;
  }
  return tuned;
}

void TaskTuner::fill(RunProgress &progress) const {
  progress.task = weighted.task.label;
  progress.taskNumber = context.number + 1;
  progress.done = context.results.trials();
  progress.planned = limit;
  if (context.run.metric != Metric::time)
    progress.metric = metricName(context.run.metric);
  if (const auto *schedule = context.results.defaultSchedule())
    progress.defaultCost = schedule->cost;
  if (const auto *schedule = context.results.incumbent()) {
    progress.best = schedule->cost;
    progress.bestSchedule = schedule->schedule;
  }
  if (!context.search)
    return;
  progress.rejected.assign(context.search->rejections().begin(),
                           context.search->rejections().end());
  std::ranges::sort(progress.rejected, [](const auto &a, const auto &b) {
    return std::pair(b.second, a.first) < std::pair(a.second, b.first);
  });
}

} // namespace tilewright::autotune
