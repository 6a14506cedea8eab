// What the tasks of a run have in common.
#ifndef TILEWRIGHT_AUTOTUNE_SESSION_RUNCONTEXT_H
#define TILEWRIGHT_AUTOTUNE_SESSION_RUNCONTEXT_H

#include "autotune/session/CompilePool.h"
#include "autotune/session/Session.h"

namespace tilewright::autotune {

/// What all tasks of a run share.
struct RunContext {
  const TuneOptions &options;
  Database &database;
  RunRecord run;
  /// Of the device.
  std::string hardware = {}, driver = {};
  Metric metric = Metric::time;
  std::filesystem::path folder = {};
  unsigned jobs = 1;
  /// Makes a process; the argument is part of its output's name.
  CompilePool::MakeWorker makeWorker = {};
  std::unique_ptr<CompilePool> compilers = nullptr;
  /// Of each task.
  double oracleSeconds = 1;
  /// Whether compilation does not use the device, so that both can overlap.
  bool overlaps = false;
  /// Trials so far, and those that failed by verdict.
  int64_t trials = 0;
  std::map<std::string, size_t> failures = {};
  double measuring = 0;
  /// Seconds since the run began, and when it must end (0: never).
  std::function<double()> seconds = {};
  /// Called after each trial with its task's index in the workload.
  std::function<void(size_t)> tried = {};
  [[nodiscard]] bool isOver() const {
    return options.seconds > 0 && seconds() >= options.seconds;
  }
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SESSION_RUNCONTEXT_H
