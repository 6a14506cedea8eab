// The search for the schedule of one task.
#ifndef TILEWRIGHT_AUTOTUNE_SESSION_TASKTUNER_H
#define TILEWRIGHT_AUTOTUNE_SESSION_TASKTUNER_H

#include "autotune/search/Search.h"
#include "autotune/session/RunContext.h"
#include "autotune/task/Task.h"
#include <map>
#include <memory>
#include <optional>

namespace tilewright::autotune {

/// One task of a run. Used from one thread.
class TaskTuner {
public:
  TaskTuner(RunContext &run, const WeightedTask &weighted, size_t number);
  ~TaskTuner();

  /// Opens the task and tries the default schedule. Errors: the database.
  /// What is wrong with the task is in the result().
  Status begin();
  /// Of a step(), at most.
  static constexpr size_t trialsOfStep = 8;
  /// Tries some more; nothing when it isDone().
  Status step();
  /// Measures the best against the default's once more, for the record.
  Status confirm();
  /// Ends its process; step() starts it again.
  void rest();

  [[nodiscard]] bool isDone() const { return done; }
  /// What a run of the workload spends in this task, in nanoseconds, less what
  /// trials without a gain make unlikely to be saved.
  [[nodiscard]] double promise() const;
  [[nodiscard]] TunedTask result() const;
  [[nodiscard]] const Search *search() const { return plan.get(); }
  void fill(RunProgress &progress) const;

private:
  /// A schedule on its way through compilation and measurement.
  struct Attempt {
    Proposal proposal;
    CompileJob job;
    const TrialRecord *known = nullptr;
  };
  /// The schedule that others have to beat.
  struct Incumbent {
    std::string schedule;
    std::filesystem::path file;
    double cost = 0;
  };

  Status remember();
  std::vector<Point> transferred() const;
  std::vector<Point> bestKnown() const;
  std::filesystem::path fileFor(const std::string &schedule);
  bool runOracle();
  void giveUp(const std::string &reason);
  Status tryAll(std::vector<Proposal> proposals);
  Status finish(Attempt &attempt);
  void replay(Attempt &attempt);
  TrialRecord measure(Attempt &attempt, const Incumbent *against);
  Status record(TrialRecord trial);
  void accept(const TrialRecord &trial, const Point &point,
              const std::filesystem::path &file);
  WorkerProcess &measurer();

  RunContext &run;
  WeightedTask weighted;
  size_t number;
  std::unique_ptr<Task> task;
  Space space;
  std::unique_ptr<Search> plan;
  /// Of this task alone: what its candidates do to their process stays there.
  std::unique_ptr<WorkerProcess> worker;
  std::map<std::string, TrialRecord> known;
  std::map<std::string, std::filesystem::path> files;
  std::filesystem::path oracle;
  std::optional<Incumbent> defaultSchedule, incumbent;
  /// Costs of what was tried, in nanoseconds, free of drift: those of the
  /// default schedule times ratios of pairs.
  std::map<std::string, double> costs;
  /// Trials so far, and the most that are made; 0: no limit.
  size_t trials = 0, limit = 0;
  std::string reason;
  bool done = false;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SESSION_TASKTUNER_H
