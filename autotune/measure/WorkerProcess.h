// A worker, seen from the process that started it.
#ifndef TILEWRIGHT_AUTOTUNE_MEASURE_WORKERPROCESS_H
#define TILEWRIGHT_AUTOTUNE_MEASURE_WORKERPROCESS_H

#include "autotune/database/Trial.h"
#include "autotune/measure/Measurement.h"
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::autotune {

struct WorkerOptions {
  /// The command that calls serveWorker(), to which two arguments are added:
  /// the socket's descriptor and the bytes of memory.
  std::vector<std::string> command;
  size_t memoryBytes = size_t(8) << 30;
  BenchOptions bench;
  /// The folder for the worker's standard output and for candidates.
  std::filesystem::path folder;
};

/// Why there is no answer.
struct WorkerFailure {
  Verdict verdict = Verdict::ok;
  std::string reason;
};

/// An answer of type T, or what went wrong.
template <class T> struct WorkerAnswer {
  T value = {};
  WorkerFailure failure;
  [[nodiscard]] bool ok() const { return failure.verdict == Verdict::ok; }
};

/// A process that compiles and runs candidates of one task after the other, and
/// may crash or hang: it is started again for the next request then. Used from
/// one thread.
class WorkerProcess {
public:
  using Milliseconds = std::chrono::milliseconds;

  /// `name` is part of the name of the file of its output.
  WorkerProcess(WorkerOptions options, const std::string &name);
  /// Ends the process.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess &) = delete;
  WorkerProcess &operator=(const WorkerProcess &) = delete;

  /// What requests are about from now on. Called before the first; the process
  /// opens the task with the next request.
  void setTask(const TaskRecord &task);

  WorkerFailure compile(const std::string &schedule,
                        const std::filesystem::path &file,
                        Milliseconds timeout);

  struct OracleRun {
    int64_t interpreted = 0, programs = 0;
  };
  WorkerAnswer<OracleRun> runOracle(double seconds,
                                    const std::filesystem::path &file,
                                    Milliseconds timeout);

  struct Measurement {
    std::string schedule;
    std::filesystem::path candidate, defaultSchedule, oracle;
    /// Empty: there is nothing to compare with.
    std::filesystem::path against;
  };
  WorkerAnswer<Measured> measure(const Measurement &what, Milliseconds timeout);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_MEASURE_WORKERPROCESS_H
