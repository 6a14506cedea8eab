// The search for the schedule of one task.
#ifndef TILEWRIGHT_AUTOTUNE_SESSION_TASKTUNER_H
#define TILEWRIGHT_AUTOTUNE_SESSION_TASKTUNER_H

#include "autotune/session/TaskContext.h"

namespace tilewright::autotune {

/// One task of a run. Used from one thread.
class TaskTuner {
public:
  TaskTuner(RunContext &run, const WeightedTask &weighted, size_t number);
  TaskTuner(const TaskTuner &) = delete;
  TaskTuner &operator=(const TaskTuner &) = delete;

  /// Opens the task and tries the default schedule. Errors: the database.
  /// What is wrong with the task is in the result().
  Status begin();
  /// Of a step(), at most.
  static constexpr size_t trialsOfStep = 8;
  /// Tries some more; nothing when it isDone(). Errors: the database.
  Status step();
  /// Measures the best against the default's once more, for the record.
  /// Errors: the database.
  Status confirm();
  /// Ends its process; step() starts it again.
  void rest();

  [[nodiscard]] bool isDone() const { return done; }
  /// What a run of the workload spends in this task, in nanoseconds, less what
  /// trials without a gain make unlikely to be saved.
  [[nodiscard]] double promise() const;
  [[nodiscard]] TunedTask result() const;
  [[nodiscard]] const Search *search() const { return context.search.get(); }
  void fill(RunProgress &progress) const;

private:
  void giveUp(const std::string &reason);
  void planSearch();

  TaskContext context;
  WeightedTask weighted;
  /// The most trials that are made; 0: no limit.
  size_t limit = 0;
  /// Why it gave up.
  std::string trouble;
  bool done = false;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SESSION_TASKTUNER_H
