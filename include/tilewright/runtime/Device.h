// The interface of all devices: memory, streams, events, modules.
#ifndef TILEWRIGHT_RUNTIME_DEVICE_H
#define TILEWRIGHT_RUNTIME_DEVICE_H

#include "tilewright/manifest/KernelManifest.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// The number of programs in each of three grid dimensions; unused ones are 1.
using Grid = std::array<int64_t, 3>;

/// A memory that the kernels of a device can access. It is identified by the
/// address of this object.
struct MemorySpace {
  /// The device's name, for messages: "cuda:0".
  std::string device;
};

/// Memory of a device. Freed with its last reference; the caller keeps it until
/// all work that uses it has finished.
class TILEWRIGHT_API Buffer {
public:
  virtual ~Buffer();
  /// The address that kernels use; 64-byte aligned, except for memory of the
  /// caller (Device::inPlace).
  [[nodiscard]] virtual uint64_t address() const = 0;
  /// Size in bytes.
  [[nodiscard]] virtual size_t size() const = 0;
  /// The memory if the host can access it, else null.
  [[nodiscard]] virtual std::byte *hostPointer() const { return nullptr; }
  /// The memory space, which lives as long as the buffer; null if unknown.
  [[nodiscard]] virtual const MemorySpace *space() const { return nullptr; }
};

/// A point in the work of a stream that others can wait for. Safe to use from
/// many threads. An event that was never recorded counts as reached.
class TILEWRIGHT_API Event {
public:
  virtual ~Event();
  /// Whether the work before the last record has finished.
  [[nodiscard]] virtual bool reached() const = 0;
  /// Blocks until the event is reached.
  virtual Status synchronize() = 0;
  /// The time between the last completions of `start` and of this event.
  /// Errors: an event was not reached, the events belong to different devices,
  /// or the device does not measure time.
  virtual StatusOr<std::chrono::nanoseconds>
  since(const Event &start) const = 0;
};

/// What the launches of a kernel ask of its device.
struct KernelDevice {
  /// The multiprocessors of a GPU, the threads of a CPU.
  int64_t multiprocessors = 1;
  /// Allocates memory for workspaces, as Device::allocate. May be called from
  /// many threads, also after the device is gone.
  std::function<StatusOr<std::shared_ptr<Buffer>>(size_t bytes)> allocate;
};

class LaunchFormulas;

/// A kernel that is ready to launch on its device. Keeps its module alive.
class TILEWRIGHT_API Kernel {
public:
  /// Parses the guards.
  explicit Kernel(KernelManifest manifest, KernelDevice device = {});
  virtual ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  [[nodiscard]] const KernelManifest &manifest() const { return description; }
  [[nodiscard]] const KernelDevice &device() const { return owner; }
  /// Tells this kernel from all others; it expires with the kernel.
  [[nodiscard]] const std::shared_ptr<const void> &identity() const {
    return self;
  }
  /// The words that a launch takes: those of all arguments, and of the
  /// workspace.
  [[nodiscard]] size_t wordCount() const { return words; }
  /// What launches evaluate of the manifest; for planLaunch.
  [[nodiscard]] const LaunchFormulas &formulas() const { return *evaluated; }

private:
  KernelManifest description;
  KernelDevice owner;
  std::shared_ptr<const void> self;
  size_t words = 0;
  std::unique_ptr<const LaunchFormulas> evaluated;
};

/// Work captured from a stream, which is enqueued as a whole. Its memory and
/// kernels must outlive it. Use it from one thread at a time.
class TILEWRIGHT_API Graph {
public:
  virtual ~Graph();
};

class WorkspacePool;

/// Loaded code. Safe to use from many threads.
class TILEWRIGHT_API Module {
public:
  virtual ~Module();
  /// The kernel described by `manifest`. Errors: the code does not contain the
  /// entry, or the device cannot launch it with this manifest.
  virtual StatusOr<std::shared_ptr<Kernel>>
  kernel(const KernelManifest &manifest) = 0;
};

/// A queue of work that runs in order. Calls return when the work is enqueued;
/// some devices have finished it by then. Memory, kernels and events must live
/// until the work is done. After enqueued work fails, later work is skipped,
/// except host calls and events; synchronize() returns the failure once. Use a
/// stream from one thread at a time. The destructor waits.
class TILEWRIGHT_API Stream {
public:
  Stream();
  virtual ~Stream();
  /// Copies `bytes` bytes between host and device, or within the device. A
  /// range beyond a buffer's end is an error of the call.
  virtual Status copyToDevice(Buffer &target, size_t targetOffset,
                              const void *source, size_t bytes) = 0;
  virtual Status copyToHost(void *target, const Buffer &source,
                            size_t sourceOffset, size_t bytes) = 0;
  virtual Status copy(Buffer &target, size_t targetOffset, const Buffer &source,
                      size_t sourceOffset, size_t bytes) = 0;
  /// Runs `kernel` on `grid` with the argument words of its manifest; the words
  /// are copied. A grid with a dimension of 0 does nothing. Errors of the call:
  /// wrong number of words, negative or too large grid, kernel of another
  /// device.
  virtual Status launch(const Kernel &kernel, std::span<const uint64_t> words,
                        const Grid &grid) = 0;
  /// Calls `function` on some host thread. It must neither use functions of a
  /// device nor wait for work: a device may run the host calls of all streams
  /// on one thread.
  virtual Status hostCall(std::function<void()> function) = 0;
  /// Records `event` here: it is reached when the work before this point is
  /// done.
  virtual Status record(Event &event) = 0;
  /// Delays later work until the last recording of `event` is reached.
  virtual Status wait(Event &event) = 0;
  /// The memory that kernels of this stream can access, which lives as long as
  /// the stream; null if unknown.
  [[nodiscard]] virtual const MemorySpace *space() const { return nullptr; }
  /// The workspaces of kernels that were launched on this stream, which live as
  /// long as it does.
  [[nodiscard]] WorkspacePool &workspaces() { return *pool; }
  /// Blocks until all work is done; returns the first failure since the last
  /// call.
  virtual Status synchronize() = 0;

  /// Begins a capture. Until endCapture(), launches and copies within the
  /// device are recorded into a graph instead of being run; everything else is
  /// an error. Errors: a capture has already begun; `unsupported` (the default)
  /// if the device has no graphs.
  virtual Status beginCapture();
  /// Ends the capture and returns the graph. Errors: no capture has begun, or
  /// it failed.
  virtual StatusOr<std::shared_ptr<Graph>> endCapture();
  /// Enqueues the work of `graph`. Errors: it belongs to another device.
  virtual Status launch(const Graph &graph);

private:
  std::unique_ptr<WorkspacePool> pool;
};

/// Facts about a device, to print and to choose kernels by.
struct DeviceInfo {
  /// The name that opens it: "cpu", "cuda:0".
  std::string name;
  /// "AMD EPYC 9354, 2 threads".
  std::string description;
  /// The targets that it can run, best first.
  std::vector<std::string> targets;
  /// Bytes of memory; 0 if unknown.
  uint64_t memory = 0;
};

/// A device. All calls are safe from many threads. Objects that it creates may
/// outlive the caller's reference to it.
class TILEWRIGHT_API Device {
public:
  virtual ~Device();
  [[nodiscard]] virtual const DeviceInfo &info() const = 0;
  /// Whether the device can run the kernel; the error says what is missing.
  virtual Status accepts(const KernelManifest &manifest) const = 0;
  /// Uninitialized memory, 64-byte aligned. 0 bytes are allowed.
  virtual StatusOr<std::shared_ptr<Buffer>> allocate(size_t bytes) = 0;
  /// Constant memory with the given contents. `owner` keeps them alive. A
  /// device that reads host memory may use them in place if they are 64-byte
  /// aligned. Kernels must not write to it.
  virtual StatusOr<std::shared_ptr<Buffer>>
  constant(std::span<const std::byte> contents,
           std::shared_ptr<const void> owner) = 0;
  /// Host memory that kernels access in place. `owner` keeps it alive. It must
  /// be aligned to its elements; guards of a kernel may require more. Errors:
  /// `unsupported` (the default) if kernels cannot access host memory; copy to
  /// and from device memory instead.
  virtual StatusOr<std::shared_ptr<Buffer>>
  inPlace(std::span<std::byte> memory, std::shared_ptr<const void> owner);
  virtual StatusOr<std::unique_ptr<Stream>> createStream() = 0;
  virtual StatusOr<std::shared_ptr<Event>> createEvent() = 0;
  /// Loads code. Errors: malformed code, another architecture, unresolved
  /// symbols.
  virtual StatusOr<std::shared_ptr<Module>>
  loadModule(std::span<const std::byte> image) = 0;
};

/// The number of programs in `grid`. Errors: negative sizes, overflow.
TILEWRIGHT_API StatusOr<int64_t> programCount(const Grid &grid);

/// Checks that [offset, offset + bytes) is inside `buffer`; the message starts
/// with `what`.
TILEWRIGHT_API Status checkRange(const Buffer &buffer, size_t offset,
                                 size_t bytes, std::string_view what);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_DEVICE_H
