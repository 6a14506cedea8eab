// What the trials of one task have in common.
#ifndef TILEWRIGHT_AUTOTUNE_SESSION_TASKCONTEXT_H
#define TILEWRIGHT_AUTOTUNE_SESSION_TASKCONTEXT_H

#include "autotune/search/Search.h"
#include "autotune/session/Measurer.h"
#include "autotune/session/RunContext.h"
#include "autotune/session/TaskResults.h"
#include "autotune/task/Task.h"

namespace tilewright::autotune {

/// One task of a run, and the state of its search. Used from one thread.
struct TaskContext {
  RunContext &run;
  /// The index in the workload.
  size_t number;
  TaskResults results;
  /// This and what follows is set when the task is opened.
  std::unique_ptr<Task> task = nullptr;
  /// The schedules that may be tried.
  Space space = {};
  std::unique_ptr<Search> search = nullptr;
  std::optional<Measurer> measurer = {};
  /// What earlier runs tried, and the files of candidates; by schedule.
  std::map<std::string, TrialRecord> known = {};
  std::map<std::string, std::filesystem::path> files = {};
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SESSION_TASKCONTEXT_H
