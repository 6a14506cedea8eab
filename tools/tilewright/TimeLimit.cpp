//===- TimeLimit.cpp - The end of a command that takes too long -----------===//
#include "tools/tilewright/TimeLimit.h"

#include "support/Format.h"
#include "support/Threads.h"
#include "tools/tilewright/Report.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unistd.h>

namespace tilewright::tool {

/// Until the stop is requested, or the time is over: whether it is.
static bool sleepFor(double seconds, const std::stop_token &stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, std::chrono::duration<double>(seconds),
                 [] { return false; });
  return !stop.stop_requested();
}

std::string TimeLimit::message(double seconds) {
  return format("it takes longer than {} s (--time-limit)",
                {formatGeneral(seconds, 6)});
}

StatusOr<std::unique_ptr<TimeLimit>>
TimeLimit::call(double seconds, std::function<void()> end) {
  if (seconds <= 0)
    return std::unique_ptr<TimeLimit>();
  auto limit = std::make_unique<TimeLimit>();
  auto work = [=, end = std::move(end)](const std::stop_token &stop) {
    // More than 30 years, which a clock can add up.
    if (sleepFor(std::min(seconds, 1e9), stop))
      end();
  };
  TILEWRIGHT_ASSIGN_OR_RETURN(limit->thread, startThread(std::move(work)));
  return limit;
}

StatusOr<std::unique_ptr<TimeLimit>>
TimeLimit::start(double seconds, const std::string &what,
                 std::function<void()> cleanUp) {
  const Status over =
      Status::resourceExhausted(message(seconds)).prefixed(what);
  return call(seconds, [over, cleanUp = std::move(cleanUp)] {
    cleanUp();
    ::_exit(fail(over));
  });
}

} // namespace tilewright::tool
