// The process in which the schedules of one task run.
#ifndef TILEWRIGHT_AUTOTUNE_SESSION_MEASURER_H
#define TILEWRIGHT_AUTOTUNE_SESSION_MEASURER_H

#include "autotune/session/RunContext.h"
#include "autotune/session/TaskResults.h"

namespace tilewright::autotune {

/// Measures candidates of one task in a process of its own: what they do to
/// their process stays there. The process starts with the first request. Used
/// from one thread.
class Measurer {
public:
  /// `number` is the task's in the run. All arguments outlive this.
  Measurer(const RunContext &run, const TaskRecord &task, size_t number);

  /// Interprets the default kernel, with whose results measure() compares.
  /// Called first.
  WorkerFailure runOracle();

  struct Request {
    std::string schedule;
    std::filesystem::path candidate;
    /// Null: the candidate is the default.
    const MeasuredSchedule *defaultSchedule = nullptr;
    /// Null: there is nothing to compare with.
    const MeasuredSchedule *against = nullptr;
  };
  WorkerAnswer<Measured> measure(const Request &request);

  /// Ends the process; the next request starts it again.
  void rest();

private:
  WorkerProcess &process();

  const RunContext &run;
  const TaskRecord &task;
  size_t number;
  std::filesystem::path oracle;
  std::unique_ptr<WorkerProcess> worker;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SESSION_MEASURER_H
