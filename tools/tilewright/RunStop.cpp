//===- RunStop.cpp - What Ctrl-C ends in a run --------------------------===//
#include "tools/tilewright/RunStop.h"

#include "tools/tilewright/Report.h"
#include <unistd.h>
#include <utility>

namespace tilewright::tool {

static Status stopped() {
  return Status(StatusCode::cancelled, "the run was cancelled");
}

RunStop::RunStop(std::function<void()> cleanUp)
    : cleanUp(std::move(cleanUp)),
      onStop(interrupt.token(), [this] { stop(); }) {}

RunStop::Watch::Watch(RunStop &stop, runtime::Session &session) : stop(stop) {
  std::lock_guard lock(stop.mutex);
  stop.session = &session;
}

RunStop::Watch::~Watch() {
  std::lock_guard lock(stop.mutex);
  stop.session = nullptr;
}

Status RunStop::check() const {
  return interrupt.token().stop_requested() ? stopped() : Status();
}

Status RunStop::finish() {
  std::unique_ptr<TimeLimit> rest;
  std::lock_guard lock(mutex);
  if (!std::exchange(isFinished, true))
    outcome = check();
  rest = std::move(patience);
  return outcome;
}

void RunStop::end() const {
  cleanUp();
  ::_exit(fail(stopped()));
}

void RunStop::stop() {
  std::lock_guard lock(mutex);
  if (isFinished)
    return;
  if (!session)
    end();
  session->cancel();
  // One step may take long.
  auto started = TimeLimit::call(1, [this] { end(); });
  if (!started.ok())
    end();
  patience = *std::move(started);
}

} // namespace tilewright::tool
