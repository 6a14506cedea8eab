// Threads that the system may refuse to start: it has no more of them, or no
// memory for one.
#ifndef TILEWRIGHT_SUPPORT_THREADS_H
#define TILEWRIGHT_SUPPORT_THREADS_H

#include "tilewright/support/Status.h"

#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace tilewright {

/// A thread that runs `work`, or an error: resourceExhausted.
template <typename Work> StatusOr<std::jthread> startThread(Work work) {
  // The standard library has no other way to say it.
  try {
    return std::jthread(std::move(work));
  } catch (const std::exception &error) {
    return Status::resourceExhausted(std::string("cannot start a thread: ") +
                                     error.what());
  }
}

/// The error of `started` threads where `expected` were asked for.
[[nodiscard]] inline Status tooFewThreads(size_t started, size_t expected,
                                          const Status &why) {
  return Status(why.code(), "the system starts " + std::to_string(started) +
                                " threads, expected " +
                                std::to_string(expected) + ": " +
                                why.message());
}

/// Calls `work` on up to `count` threads, of which one is the caller's, and
/// returns when all calls have returned. It is for work that any number of
/// threads can share: where the system starts fewer, those that run do it.
inline void shareWork(size_t count, const std::function<void()> &work) {
  std::vector<std::jthread> others;
  try {
    others.reserve(count);
    while (others.size() + 1 < count)
      others.emplace_back([&work] { work(); });
  } catch (const std::exception &) {
    // They share the work with the caller.
  }
  work();
}

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_THREADS_H
