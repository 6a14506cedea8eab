// What happens when a kernel destroys the context.
#ifndef TILEWRIGHT_RUNTIME_CUDA_CONTEXTLOSS_H
#define TILEWRIGHT_RUNTIME_CUDA_CONTEXTLOSS_H

#include "runtime/cuda/Driver.h"
#include "runtime/cuda/LaunchLog.h"
#include <atomic>
#include <mutex>
#include <set>
#include <string>

namespace tilewright::runtime::cuda {

/// Whether a context is lost, and how. Safe from many threads.
///
/// A kernel that fails destroys the whole context: the driver returns the same
/// code from every later call. The call that notices reports where and why; all
/// later ones return that without calling the driver.
class ContextLoss {
public:
  /// Both outlive this.
  ContextLoss(const Driver &driver, const std::string &device)
      : driver(driver), device(device) {}

  /// Success, or an error for the user. Notes it if the context is lost.
  [[nodiscard]] Status check(Result result);
  /// Why the context is of no more use; success while it is of use.
  [[nodiscard]] Status status() const;

  /// The log is read when the context is lost.
  void watch(const LaunchLog *log);
  void unwatch(const LaunchLog *log);

private:
  Status lose(Result result);
  /// Called with the mutex locked; locks those of the logs, one by one.
  [[nodiscard]] std::string suspects() const;

  const Driver &driver;
  const std::string &device;
  /// True once `loss` is set: status() locks the mutex only then.
  std::atomic<bool> isLost = false;
  /// Guards what follows.
  mutable std::mutex mutex;
  Status loss;
  std::set<const LaunchLog *> logs;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_CONTEXTLOSS_H
