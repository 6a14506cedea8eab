#include "autotune/session/TrialHistory.h"

#include <algorithm>

namespace tilewright::autotune {

/// The trials of a task that a run's own can be compared with.
static TrialFilter filterFor(const RunContext &run, const TaskRecord &task) {
  TrialFilter filter;
  filter.task = task.task;
  filter.device = run.options.device;
  filter.metric = run.metric;
  return filter;
}

StatusOr<std::map<std::string, TrialRecord>>
earlierTrials(const RunContext &run, const TaskRecord &task) {
  std::map<std::string, TrialRecord> known;
  if (!run.options.resume)
    return known;
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<TrialRecord> trials,
                              run.database.trials(filterFor(run, task)));
  for (TrialRecord &trial : trials)
    if (trial.hardware == run.hardware && trial.driver == run.driver &&
        trial.compiler == run.run.compiler && trial.origin != "confirmation")
      known.try_emplace(trial.schedule, std::move(trial));
  return known;
}

std::vector<Point> transferredPoints(const RunContext &run,
                                     const TaskRecord &task,
                                     const Space &space) {
  StatusOr<std::optional<Nearest>> nearest = run.database.nearest(
      task.family, task.shape, task.target, run.options.device);
  if (!nearest.ok() || !*nearest || (*nearest)->task.task == task.task)
    return {};
  StatusOr<Point> point = space.parse((*nearest)->trial.schedule);
  if (!point.ok())
    return {};
  return {*point};
}

/// The texts of the best known schedules, the fastest first.
static std::vector<std::string> bestKnown(const RunContext &run,
                                          const TaskRecord &task) {
  constexpr size_t most = 3;
  TrialFilter filter = filterFor(run, task);
  filter.verdict = Verdict::ok;
  StatusOr<std::vector<TrialRecord>> trials = run.database.trials(filter);
  StatusOr<std::optional<TrialRecord>> best =
      run.database.best({task.task, run.options.device});
  std::vector<std::string> schedules;
  if (best.ok() && *best)
    schedules.push_back((*best)->schedule);
  if (!trials.ok())
    return schedules;
  std::ranges::sort(*trials, {}, &TrialRecord::median);
  for (const TrialRecord &trial : *trials)
    if (schedules.size() < most &&
        std::ranges::find(schedules, trial.schedule) == schedules.end())
      schedules.push_back(trial.schedule);
  return schedules;
}

std::vector<Point> bestKnownPoints(const RunContext &run,
                                   const TaskRecord &task, const Space &space) {
  std::vector<Point> points;
  for (const std::string &schedule : bestKnown(run, task))
    if (StatusOr<Point> point = space.parse(schedule);
        point.ok() && *point != space.defaultPoint())
      points.push_back(*point);
  return points;
}

} // namespace tilewright::autotune
