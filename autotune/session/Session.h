// A run of the tuner.
#ifndef TILEWRIGHT_AUTOTUNE_SESSION_SESSION_H
#define TILEWRIGHT_AUTOTUNE_SESSION_SESSION_H

#include "autotune/database/Database.h"
#include "autotune/report/TerminalView.h"
#include "autotune/search/Search.h"
#include "autotune/task/Workload.h"
#include "tilewright/support/Export.h"
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::autotune {

struct TuneOptions {
  /// As it is opened: "cpu", "emulator", "cuda:0".
  std::string device = "cpu";
  /// Threads of the cpu device; 0: all.
  unsigned threads = 0;
  /// The time that the run may take, and the schedules that it may try of each
  /// task; 0: no limit.
  double seconds = 600;
  size_t trials = 0;
  /// Processes that compile; 0: the number of the machine's cores.
  unsigned jobs = 0;
  SearchOptions search;
  /// Reuse trials of these tasks with the same device and build from the
  /// database instead of repeating them.
  bool resume = false;
  /// Try only the default schedule and the best known ones of each task,
  /// again.
  bool revalidates = false;
  /// Launch on caches that hold the data of the launch before.
  bool warmCaches = false;
  /// The longest duration of one measurement, and of compiling or running one
  /// schedule before it counts as hanging, in seconds.
  double measureSeconds = 0.5, timeoutSeconds = 20;
  /// The most seconds for which the interpreter runs the default kernel,
  /// program by program, to have something to compare with; less where that
  /// would be more than a twentieth of the run's time over all tasks.
  double oracleSeconds = 1;
  /// Memory that a process may use in which schedules are tried.
  size_t memoryBytes = size_t(8) << 30;
  /// The command that calls serveWorker() (WorkerProcess.h).
  std::vector<std::string> worker;
  /// As Task::open takes them; `worker` loads the same.
  std::shared_ptr<const Plugins> plugins;
  /// The parent of a temporary folder for the run.
  std::filesystem::path scratch;
  /// For the record: the command line, the version, the build (as
  /// RunRecord::compiler), the machine's name.
  std::string command, version, compiler, host;
  /// Called after each trial.
  std::function<void(const RunProgress &)> progress;
};

/// What a run found out about one task.
struct TunedTask {
  TaskRecord task;
  int64_t count = 1;
  /// Costs of the default schedule and of the best known one, which is the
  /// default's where none was faster beyond noise; both at the load when the
  /// default was measured (levelled in report/Summary.h). 0: unknown.
  Metric metric = Metric::time;
  double defaultCost = 0, best = 0;
  std::string schedule;
  size_t trials = 0;
  /// Whether there was time for no more than the default schedule.
  bool triedDefaultOnly = false;
  /// Why the task could not be tuned, or was not finished; empty if it was.
  std::string trouble;
};

struct TuneReport {
  RunRecord run;
  std::vector<TunedTask> tasks;
  size_t trials = 0;
  std::map<std::string, size_t> failures;
  /// Schedules not tried, by reason, over all tasks; and how many were
  /// modelled.
  std::map<std::string, size_t> rejections;
  size_t modelled = 0;
  double seconds = 0, measuring = 0;
};

/// Tunes the tasks of `workload`: each trial is in `database` when the next
/// begins. Tasks that take most of the workload's time and improved recently
/// get the most time. Errors: the device does not open, the database cannot be
/// written. Errors of single tasks are in the report.
TILEWRIGHT_PRIVATE_API StatusOr<TuneReport>
tune(const Workload &workload, Database &database, const TuneOptions &options);

/// The present time in UTC: "2026-03-01T12:00:00Z".
[[nodiscard]] std::string timeStamp();

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SESSION_SESSION_H
