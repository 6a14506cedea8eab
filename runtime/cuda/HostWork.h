// Host functions in a stream.
#ifndef TILEWRIGHT_RUNTIME_CUDA_HOSTWORK_H
#define TILEWRIGHT_RUNTIME_CUDA_HOSTWORK_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace tilewright::runtime::cuda {

/// The host functions that a stream still has to call, in order. The driver
/// calls none of them once its context is lost, so they are kept here, and
/// the stream calls the rest itself.
class HostWork {
public:
  /// Pinned memory through which the stream moves pageable memory; the
  /// stream's, or that of the context that adopted this.
  void *staging = nullptr;

  /// Adds a function. `always`: also to be called when the context is lost.
  void add(std::function<void()> function, bool always);
  /// Takes back the function that was added last and was not enqueued.
  void retract();
  /// Calls the first function; what a stream gets as its CUhostFn.
  static void callFirst(void *work);
  /// Calls what is left and is to be called always; waits for a function that
  /// is running. For a lost context.
  void callRest();

private:
  struct Entry {
    std::function<void()> function;
    bool always;
  };
  /// Calls the first function, if there is one. `lock` has locked the mutex.
  bool callOne(std::unique_lock<std::mutex> &lock, bool isLost);

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Entry> entries;
  bool running = false;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_HOSTWORK_H
