//===- TimeLimit.h - The end of a command that takes too long ---*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_TIMELIMIT_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_TIMELIMIT_H

#include "tilewright/support/Status.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace tilewright::tool {

/// Ends something, unless it is destroyed before the time is over. No limit for
/// 0 seconds: null.
class TimeLimit {
public:
  /// Ends the process with an error, and exit code 1: nothing else stops code
  /// that runs on this machine. `cleanUp` is called before.
  static StatusOr<std::unique_ptr<TimeLimit>>
  start(double seconds, const std::string &what, std::function<void()> cleanUp);
  /// Calls `end`, on a thread of its own.
  static StatusOr<std::unique_ptr<TimeLimit>> call(double seconds,
                                                   std::function<void()> end);
  /// "it takes longer than 5 s (--time-limit)".
  static std::string message(double seconds);

private:
  std::jthread thread;
};

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_TIMELIMIT_H
