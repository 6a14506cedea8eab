// A device's primary context: what all objects of a cuda device share.
#ifndef TILEWRIGHT_RUNTIME_CUDA_CONTEXT_H
#define TILEWRIGHT_RUNTIME_CUDA_CONTEXT_H

#include "runtime/cuda/Driver.h"
#include "runtime/cuda/HostWork.h"
#include "tilewright/runtime/Device.h"
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tilewright::runtime::cuda {

/// What the hardware allows; the unit of memory is bytes.
struct DeviceLimits {
#define DEVICE_LIMIT(NAME, ATTRIBUTE) int NAME = 0;
#include "runtime/cuda/DeviceLimits.inc"
#undef DEVICE_LIMIT
  size_t memory = 0;
};

/// The names of the kernels that a stream launched since its work was last
/// known to be done, for messages. Safe from many threads.
class LaunchLog {
public:
  using Name = std::shared_ptr<const std::string>;
  void add(Name name);
  void clear();
  /// Appends the latest names, the newest last; returns how many launches
  /// there were in all.
  size_t collect(std::vector<Name> &names) const;

private:
  mutable std::mutex mutex;
  std::array<Name, 8> latest;
  size_t count = 0;
};

/// The primary context of one GPU, which other libraries of the process share.
/// It is released with the last object that needs it. Safe from many threads.
///
/// A kernel that fails destroys the whole context: the driver returns the same
/// code from every later call. The call that notices reports where and why; all
/// later ones return that without calling the driver.
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
  [[nodiscard]] const DeviceLimits &limits() const { return facts; }
  /// "NVIDIA H100 80GB HBM3".
  [[nodiscard]] const std::string &model() const { return product; }

  /// Success, or an error for the user.
  [[nodiscard]] Status check(Result result);
  /// Why the context is of no more use; success while it is of use.
  [[nodiscard]] Status lost() const;

  // Memory is from our own pool, which keeps freed memory for the next
  // allocation: the driver merges and splits it by page tables, and releases it
  // before an allocation fails.

  /// Uninitialized memory, ready for every stream.
  StatusOr<CUdeviceptr> allocate(size_t bytes);
  /// Nothing may use the memory any more.
  void free(CUdeviceptr address);
  /// Copies to device memory and waits.
  Status upload(CUdeviceptr target, const void *source, size_t bytes);

  /// The log is read when the context is lost.
  void watch(const LaunchLog *log);
  void unwatch(const LaunchLog *log);
  /// Keeps objects that a stream could not wait for until the context is
  /// destroyed.
  void adopt(std::unique_ptr<HostWork> work);

private:
  Context() = default;
  Status readFacts();
  Status createPool();
  /// Notes that the context is lost.
  Status lose(Result result);
  [[nodiscard]] std::string suspects();

  std::shared_ptr<const Driver> library;
  MemorySpace memorySpace;
  std::string product;
  DeviceLimits facts;
  CUdevice device = 0;
  CUcontext handle = nullptr;
  CUmemoryPool pool = nullptr;
  /// Allocations and frees are ordered on this stream.
  CUstream memoryStream = nullptr;

  std::atomic<bool> isLost = false;
  mutable std::mutex mutex;
  Status loss;
  std::set<const LaunchLog *> logs;
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
