//===- RunStop.h - What Ctrl-C ends in a run ---------------- -*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_RUNSTOP_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_RUNSTOP_H

#include "tilewright/runtime/Model.h"
#include "tools/tilewright/Interrupt.h"
#include "tools/tilewright/TimeLimit.h"

#include <functional>
#include <memory>
#include <mutex>

namespace tilewright::tool {

/// Ctrl-C, SIGTERM and SIGHUP while a model is compiled and run. A session's
/// run is cancelled, which ends it before its next step or iteration; if that
/// takes a second, and where no session runs, the process ends with an error
/// and exit code 130. Made before other threads start.
class RunStop {
public:
  /// `cleanUp` is called before the process ends.
  explicit RunStop(std::function<void()> cleanUp);
  RunStop(const RunStop &) = delete;
  RunStop &operator=(const RunStop &) = delete;

  /// The session whose runs are cancelled during its lifetime.
  class Watch {
  public:
    Watch(RunStop &stop, runtime::Session &session);
    ~Watch();
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;

  private:
    RunStop &stop;
  };

  /// An error if somebody asked to stop.
  [[nodiscard]] Status check() const;
  /// Nothing ends from now on: what is written, is written whole. The error of
  /// check() of the first call.
  Status finish();

private:
  void stop();
  void end() const;

  std::function<void()> cleanUp;
  std::mutex mutex;
  runtime::Session *session = nullptr;
  bool isFinished = false;
  Status outcome;
  std::unique_ptr<TimeLimit> patience;
  // The last members: its thread uses the others.
  Interrupt interrupt;
  std::stop_callback<std::function<void()>> onStop;
};

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_RUNSTOP_H
