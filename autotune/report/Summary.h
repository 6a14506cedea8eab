// What is known of each task, and what changed between two databases.
#ifndef TILEWRIGHT_AUTOTUNE_REPORT_SUMMARY_H
#define TILEWRIGHT_AUTOTUNE_REPORT_SUMMARY_H

#include "autotune/database/Database.h"
#include "tilewright/support/Export.h"

namespace tilewright::autotune {

/// The trials of one task on one kind of device and one hardware: costs beyond
/// that are not comparable.
struct TaskSummary {
  TaskRecord task;
  /// The kind: "cuda" for trials on "cuda:0" and "cuda:1".
  std::string device, hardware;
  /// Sorted by run and sequence.
  std::vector<TrialRecord> trials;
  /// By the rule of database/Best.h.
  std::optional<TrialRecord> best;
  /// The latest trial of the default schedule, in the metric of `best`.
  std::optional<TrialRecord> defaultTrial;
  /// How many times longer the default schedule takes than the best one,
  /// by pairs of launches (see levelled); 0 if that is not known.
  double gain = 0;
};

/// The same with all times at the machine's load when the default was timed.
/// Medians of two moments say little of two schedules: another program may have
/// run. So a time becomes the default's time times the ratios of the pairs that
/// connect the schedule to the default. Trials that no pairs connect to it are
/// left out; where the best is one of them nothing is changed, and there is no
/// `defaultTrial`. Costs by counters or the model are exact: nothing is
/// changed.
[[nodiscard]] TILEWRIGHT_PRIVATE_API TaskSummary levelled(TaskSummary summary);

/// "610 us"; of a cost that is no time "1,234 (counters)".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string costText(double cost,
                                                          Metric metric);
/// The model's result for a trial; "-" where it has none.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
modelledText(const TrialRecord &trial);

/// Sorted by label, device and hardware. Tasks without trials come too.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::vector<TaskSummary>
summarize(std::span<const TaskRecord> tasks,
          std::span<const TrialRecord> trials);

/// Of all that is in a database.
TILEWRIGHT_PRIVATE_API StatusOr<std::vector<TaskSummary>>
summarize(const Database &database);

/// How often something that went wrong did so.
struct ReasonCount {
  Verdict verdict = Verdict::rejected;
  /// Up to the first colon, with N for each number, so that reasons that differ
  /// in numbers are one line: "registers", "no result after N s".
  std::string reason;
  size_t count = 0;
};

/// What went wrong, most frequent first.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::vector<ReasonCount>
countReasons(std::span<const TrialRecord> trials);

/// The least cost first, of each schedule the latest trial, where it is ok and
/// of the metric of the best; `most` at most. Of a levelled() summary.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::vector<TrialRecord>
rankedTrials(const TaskSummary &summary, size_t most);

/// The best of a task before and after.
struct Comparison {
  enum class Change {
    /// Neither of the next two.
    same,
    /// The intervals of the medians do not overlap in 95 % of all pairs of one
    /// trial before and one after, and the medians of medians differ by more
    /// than the threshold. Trials are all of the best's schedule and build.
    slower,
    faster,
    /// No schedule is good any more, of trials in the metric that there was.
    broken,
    /// Only one of the databases has it, or not in this metric.
    onlyBefore,
    onlyAfter,
    metricsDiffer,
  };
  TaskRecord task;
  std::string device, hardware;
  std::optional<TrialRecord> before, after;
  /// Time after over time before, and between what 95 % of the pairs of
  /// intervals allow; 0 where there is no such ratio.
  double ratio = 0, low = 0, high = 0;
  Change change = Change::same;
};

/// "same", "slower", "faster", "broken", "only before", ..
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string_view
changeName(Comparison::Change change);

/// Compares tasks with the same hash, device and hardware. `threshold`: the
/// ratio from which a task counts as slower, 1.05 is 5 %.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::vector<Comparison>
compare(std::span<const TaskSummary> before, std::span<const TaskSummary> after,
        double threshold);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_REPORT_SUMMARY_H
