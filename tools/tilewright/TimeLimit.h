//===- TimeLimit.h - The end of a command that takes too long ---*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_TIMELIMIT_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_TIMELIMIT_H

#include "tilewright/support/Status.h"

#include <functional>
#include <memory>
#include <thread>

namespace tilewright::tool {

/// Ends the process with an error, and exit code 1, unless it is destroyed
/// before the time is over: nothing else stops code that runs on this machine.
class TimeLimit {
public:
  /// `cleanUp` is called before the end. No limit for 0 seconds: null.
  static StatusOr<std::unique_ptr<TimeLimit>>
  start(double seconds, const std::string &what, std::function<void()> cleanUp);

private:
  std::jthread thread;
};

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_TIMELIMIT_H
