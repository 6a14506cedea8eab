// What the trials of one task have shown.
#ifndef TILEWRIGHT_AUTOTUNE_SESSION_TASKRESULTS_H
#define TILEWRIGHT_AUTOTUNE_SESSION_TASKRESULTS_H

#include "autotune/database/Trial.h"
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace tilewright::autotune {

/// A schedule that ran, its compiled file and its cost.
struct MeasuredSchedule {
  std::string schedule;
  std::filesystem::path file;
  double cost = 0;
};

/// The costs of a task's schedules, and the one that others have to beat. Costs
/// are in nanoseconds, free of drift: that of the default schedule times ratios
/// of pairs.
class TaskResults {
public:
  explicit TaskResults(Metric metric) : metric(metric) {}

  /// Learns from a trial, of this run or an earlier one; `file` has its code.
  /// The cost of its schedule, none if it failed. The first that runs is the
  /// default's.
  std::optional<double> accept(const TrialRecord &trial,
                               const std::filesystem::path &file);
  /// Learns from a trial of the incumbent against the default schedule, which
  /// takes its place if that shows no gain.
  void confirm(const TrialRecord &trial);

  /// How many trials were accepted.
  [[nodiscard]] size_t trials() const { return count; }
  /// The reason of the last trial that failed.
  [[nodiscard]] const std::string &lastFailure() const { return failure; }
  /// Null: it did not run, and neither did any other.
  [[nodiscard]] const MeasuredSchedule *defaultSchedule() const {
    return first ? &*first : nullptr;
  }
  /// The schedule that others have to beat; null as above.
  [[nodiscard]] const MeasuredSchedule *incumbent() const {
    return best ? &*best : nullptr;
  }

private:
  Metric metric;
  std::optional<MeasuredSchedule> first, best;
  std::map<std::string, double> costs;
  size_t count = 0;
  std::string failure;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SESSION_TASKRESULTS_H
