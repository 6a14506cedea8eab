//===- Tune.h - The parts of tilewright tune --------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_TUNE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_TUNE_H

#include "autotune/report/Summary.h"
#include "autotune/session/Session.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Compiler.h"

namespace tilewright::tool {

/// The options of `tilewright tune INPUT`.
struct TuneArguments {
  /// A kernel or model, or a table of shapes.
  std::string input;
  std::string device = "cpu";
  /// Empty: the device's best.
  std::string target;
  std::filesystem::path database = "tuning.db";
  /// As "90s", "10m", "2h"; "0" is no limit.
  std::string time = "10m";
  std::string strategy = "evolution";
  /// "1/1": all of it.
  std::string shard = "1/1";
  /// Of a kernel's arguments in their order; of a model's inputs by name.
  std::vector<std::string> arguments, inputShapes;
  /// Names of the parameters to search; empty: all.
  std::vector<std::string> only;
  std::vector<std::string> pluginFiles;
  unsigned threads = 0, jobs = 0;
  uint64_t seed = 1, trials = 0;
  /// Seconds that one schedule may take, and the memory.
  double timeout = 20, memoryGiB = 8;
  bool resume = false, warm = false, tryRejected = false, json = false;
};

/// Tunes.
int tuneRun(const TuneArguments &arguments);

/// The tuner's options from the command line, plug-ins loaded. Errors have the
/// option's name.
StatusOr<autotune::TuneOptions> tuneOptions(const TuneArguments &arguments);

/// Reads what there is to tune. Errors: as readWorkload.
StatusOr<autotune::Workload>
workloadOf(const TuneArguments &arguments,
           const std::shared_ptr<const Plugins> &plugins,
           const std::string &target);

/// Runs, and shows progress and the result.
StatusOr<int> tuneWorkload(const autotune::Workload &workload,
                           autotune::Database &database,
                           autotune::TuneOptions options, bool json);

/// revalidate and explain, which try schedules, too.
void addTuneAgain(CLI::App &tune, Action &action);

/// Adds the options that decide how schedules are tried.
void addTrialOptions(CLI::App &command, TuneArguments &arguments);

/// Adds the hidden command `tune-worker`, the process that tries schedules.
void addTuneWorker(CLI::App &app, Action &action);

// Each adds sub-commands of `tune` that read or join databases.
/// list, show and best.
void addTuneShow(CLI::App &tune, Action &action);
/// merge and export.
void addTuneFiles(CLI::App &tune, Action &action);
/// compare.
void addTuneCompare(CLI::App &tune, Action &action);

/// What is in the database `path`.
StatusOr<std::vector<autotune::TaskSummary>>
readSummaries(const std::filesystem::path &path);

/// Those that `task` means: a prefix of the task's hash or a part of its label;
/// all for the empty text. An error if there are none.
StatusOr<std::vector<autotune::TaskSummary>>
selectTasks(std::vector<autotune::TaskSummary> summaries,
            const std::string &task);

/// Writes all of a file; an error has its name.
Status writeText(const std::filesystem::path &path, const std::string &text);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_TUNE_H
