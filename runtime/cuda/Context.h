// A device's primary context: what all objects of a cuda device share.
#ifndef TILEWRIGHT_RUNTIME_CUDA_CONTEXT_H
#define TILEWRIGHT_RUNTIME_CUDA_CONTEXT_H

#include "runtime/cuda/ContextLoss.h"
#include "runtime/cuda/DeviceFacts.h"
#include "runtime/cuda/HostWork.h"
#include "runtime/cuda/MemoryPool.h"
#include "tilewright/runtime/Device.h"
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::runtime::cuda {

/// The primary context of one GPU, which other libraries of the process share.
/// It is released with the last object that needs it. Safe from many threads.
class Context {
public:
  static StatusOr<std::shared_ptr<Context>>
  open(std::shared_ptr<const Driver> driver, unsigned ordinal);
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context();

  /// "cuda:0".
  [[nodiscard]] const std::string &name() const { return memorySpace.device; }
  [[nodiscard]] const MemorySpace &space() const { return memorySpace; }
  [[nodiscard]] const Driver &driver() const { return *library; }
  [[nodiscard]] const DeviceFacts &facts() const { return deviceFacts; }
  [[nodiscard]] MemoryPool &memory() { return *pool; }
  [[nodiscard]] ContextLoss &loss() { return contextLoss; }

  /// Success, or an error for the user.
  [[nodiscard]] Status check(Result result) {
    return contextLoss.check(result);
  }
  /// Why the context is of no more use; success while it is of use.
  [[nodiscard]] Status lost() const { return contextLoss.status(); }

  /// Keeps objects that a stream could not wait for until the context is
  /// destroyed.
  void adopt(std::unique_ptr<HostWork> work);

private:
  Context(std::shared_ptr<const Driver> driver, unsigned ordinal);

  const std::shared_ptr<const Driver> library;
  MemorySpace memorySpace;
  ContextLoss contextLoss;
  DeviceFacts deviceFacts;
  CUcontext handle = nullptr;
  std::unique_ptr<MemoryPool> pool;
  /// Guards what is adopted.
  std::mutex mutex;
  std::vector<std::unique_ptr<HostWork>> adopted;

  friend class CurrentContext;
};

/// Makes a context current on this thread during its lifetime, then restores
/// the caller's.
class CurrentContext {
public:
  explicit CurrentContext(Context &context);
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;
  /// Why the context cannot be used. Destructors do not check: the driver
  /// validates the handles that they destroy.
  [[nodiscard]] const Status &status() const { return state; }

private:
  Context &context;
  bool pushed = false;
  Status state;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_CONTEXT_H
