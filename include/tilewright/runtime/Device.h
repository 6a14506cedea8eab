// What every device does: memory, streams, events, modules.
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

namespace tilewright::runtime {

/// Programs in each of three grid dimensions; unused ones are 1.
using Grid = std::array<int64_t, 3>;

/// A memory that the kernels of a device reach. Two that are the same object
/// are the same memory.
struct MemorySpace {
  /// The device's name, for messages: "cuda:0".
  std::string device;
};

/// Memory of a device. Freed when the last reference goes; the caller keeps
/// it until work that uses it has finished.
class TILEWRIGHT_API Buffer {
public:
  virtual ~Buffer();
  /// The address that kernels see; 64-byte aligned, except of memory that the
  /// caller lent (Device::inPlace).
  [[nodiscard]] virtual uint64_t address() const = 0;
  /// Size in bytes.
  [[nodiscard]] virtual size_t size() const = 0;
  /// The memory, where the host can reach it; else null.
  [[nodiscard]] virtual std::byte *hostPointer() const { return nullptr; }
  /// Where it lies, alive as long as the buffer; null where that is not known.
  [[nodiscard]] virtual const MemorySpace *space() const { return nullptr; }
};

/// A point in a stream's work that others can wait for. Safe to use from
/// many threads. An event that was never recorded counts as reached.
class TILEWRIGHT_API Event {
public:
  virtual ~Event();
  /// Whether the work before the last record has finished.
  [[nodiscard]] virtual bool reached() const = 0;
  /// Blocks until reached.
  virtual Status synchronize() = 0;
  /// The time from when `start` was last reached to when this was. Errors
  /// where one was not, they are of different devices, or the device keeps no
  /// time.
  virtual StatusOr<std::chrono::nanoseconds>
  since(const Event &start) const = 0;
};

/// A kernel ready to launch on its device. Keeps its module alive.
class TILEWRIGHT_API Kernel {
public:
  virtual ~Kernel();
  [[nodiscard]] virtual const KernelManifest &manifest() const = 0;
};

/// Work that was captured from a stream, ready to be enqueued as a whole. The
/// memory and the kernels in it must live as long as it does. Use it from one
/// thread at a time.
class TILEWRIGHT_API Graph {
public:
  virtual ~Graph();
};

/// Loaded code. Safe to use from many threads.
class TILEWRIGHT_API Module {
public:
  virtual ~Module();
  /// The kernel that `manifest` describes. Errors: the entry is not in the
  /// code, or the device cannot launch it so.
  virtual StatusOr<std::shared_ptr<Kernel>>
  kernel(const KernelManifest &manifest) = 0;
};

/// Ordered work. Calls return when the work is enqueued; a device may also
/// have finished it by then. Memory, kernels and events must live until the
/// work is done. The first failure of enqueued work makes the later work be
/// skipped (host calls and events still happen), and is returned once, by
/// synchronize(). Use a stream from one thread at a time. Destruction waits.
class TILEWRIGHT_API Stream {
public:
  virtual ~Stream();
  /// Copies `bytes` bytes between host and device, or within the device.
  /// Ranges beyond a buffer's end are errors at the call.
  virtual Status copyToDevice(Buffer &target, size_t targetOffset,
                              const void *source, size_t bytes) = 0;
  virtual Status copyToHost(void *target, const Buffer &source,
                            size_t sourceOffset, size_t bytes) = 0;
  virtual Status copy(Buffer &target, size_t targetOffset, const Buffer &source,
                      size_t sourceOffset, size_t bytes) = 0;
  /// Runs `kernel` on `grid` with argument words as in its manifest; the
  /// words are copied. A grid with a 0 in it does nothing. Errors at the call:
  /// wrong number of words, negative or too large grid, foreign kernel.
  virtual Status launch(const Kernel &kernel, std::span<const uint64_t> words,
                        const Grid &grid) = 0;
  /// Calls `function` on some host thread. It must use no function of a
  /// device, and not wait for work: a device may have one thread for the host
  /// calls of all streams.
  virtual Status hostCall(std::function<void()> function) = 0;
  /// Moves `event` to this point.
  virtual Status record(Event &event) = 0;
  /// Later work starts after `event`, as recorded now, is reached.
  virtual Status wait(Event &event) = 0;
  /// The memory that its kernels reach, alive as long as the stream; null where
  /// that is not known.
  [[nodiscard]] virtual const MemorySpace *space() const { return nullptr; }
  /// Blocks until all work is done; returns the first failure since the last
  /// call.
  virtual Status synchronize() = 0;

  /// From here to endCapture(), launches and copies within the device are not
  /// done but kept in a graph; everything else is an error. Errors: a capture
  /// is under way; `unsupported` where the device has no graphs, as here.
  virtual Status beginCapture();
  /// The graph. Errors: no capture is under way, or it failed.
  virtual StatusOr<std::shared_ptr<Graph>> endCapture();
  /// Enqueues what `graph` holds. Errors: it is of another device.
  virtual Status launch(const Graph &graph);
};

/// Facts about a device, for people and for choosing kernels.
struct DeviceInfo {
  /// As it is opened: "cpu", "cuda:0".
  std::string name;
  /// "AMD EPYC 9354, 2 threads".
  std::string description;
  /// The targets whose kernels it runs, best first.
  std::vector<std::string> targets;
  /// Bytes of memory; 0 if not known.
  uint64_t memory = 0;
};

/// A device. All calls are safe from many threads. What it makes may outlive
/// the caller's reference to it.
class TILEWRIGHT_API Device {
public:
  virtual ~Device();
  [[nodiscard]] virtual const DeviceInfo &info() const = 0;
  /// Whether it can run the kernel; the error says what is missing.
  virtual Status accepts(const KernelManifest &manifest) const = 0;
  /// Uninitialized memory, 64-byte aligned. 0 bytes are allowed.
  virtual StatusOr<std::shared_ptr<Buffer>> allocate(size_t bytes) = 0;
  /// Constant memory with the given contents, alive as long as `owner`. A
  /// device that reads host memory may use it in place if it is 64-byte
  /// aligned; kernels must not write to it.
  virtual StatusOr<std::shared_ptr<Buffer>>
  constant(std::span<const std::byte> contents,
           std::shared_ptr<const void> owner) = 0;
  /// Memory of the host that kernels read and write where it lies, alive as
  /// long as `owner`. It must be aligned to its elements; guards of a kernel
  /// may ask for more. Errors: `unsupported` where kernels reach no memory of
  /// the host, as here; copy to and from memory of the device there.
  virtual StatusOr<std::shared_ptr<Buffer>>
  inPlace(std::span<std::byte> memory, std::shared_ptr<const void> owner);
  virtual StatusOr<std::unique_ptr<Stream>> createStream() = 0;
  virtual StatusOr<std::shared_ptr<Event>> createEvent() = 0;
  /// Loads code. Errors: malformed, for another machine, unresolved symbols.
  virtual StatusOr<std::shared_ptr<Module>>
  loadModule(std::span<const std::byte> image) = 0;
};

/// The number of programs in `grid`. Errors on negative sizes and overflow.
TILEWRIGHT_API StatusOr<int64_t> programCount(const Grid &grid);

/// Checks that [offset, offset + bytes) lies in `buffer`; `what` starts the
/// message.
TILEWRIGHT_API Status checkRange(const Buffer &buffer, size_t offset,
                                 size_t bytes, std::string_view what);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_DEVICE_H
