// Parts for devices in host memory: buffers, events, and a stream that runs
// work in order.
#ifndef TILEWRIGHT_RUNTIME_CORE_HOSTSTREAM_H
#define TILEWRIGHT_RUNTIME_CORE_HOSTSTREAM_H

#include "tilewright/runtime/Device.h"
#include "tilewright/support/Export.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace tilewright::runtime {

/// Host memory, its own or somebody else's.
class TILEWRIGHT_PRIVATE_API HostBuffer : public Buffer {
public:
  /// Uninitialized memory.
  static StatusOr<std::shared_ptr<Buffer>> allocate(size_t bytes);
  /// `contents` in place if aligned, else a copy.
  static StatusOr<std::shared_ptr<Buffer>>
  constant(std::span<const std::byte> contents,
           std::shared_ptr<const void> owner);
  /// Somebody else's memory, of any alignment.
  static std::shared_ptr<Buffer> inPlace(std::span<std::byte> memory,
                                         std::shared_ptr<const void> owner);

  [[nodiscard]] uint64_t address() const override {
    return reinterpret_cast<uint64_t>(memory.get());
  }
  [[nodiscard]] size_t size() const override { return bytes; }
  [[nodiscard]] std::byte *hostPointer() const override { return memory.get(); }
  [[nodiscard]] const MemorySpace *space() const override {
    return &hostSpace();
  }
  /// The memory of the host, which all devices "cpu" share.
  static const MemorySpace &hostSpace();

private:
  HostBuffer(std::shared_ptr<std::byte> owned, size_t size)
      : memory(std::move(owned)), bytes(size) {}
  std::shared_ptr<std::byte> memory;
  size_t bytes;
};

/// An event that the host signals.
class TILEWRIGHT_PRIVATE_API HostEvent : public Event {
public:
  [[nodiscard]] bool reached() const override;
  Status synchronize() override;
  StatusOr<std::chrono::nanoseconds> since(const Event &start) const override;

  /// Starts a new recording and returns its number.
  uint64_t begin();
  /// Marks recording `number`, and all earlier ones, as reached.
  void complete(uint64_t number);
  /// The number of the last recording; 0 before the first.
  [[nodiscard]] uint64_t last() const;
  [[nodiscard]] bool isComplete(uint64_t number) const;
  /// Blocks until recording `number` is reached.
  void await(uint64_t number) const;

private:
  /// When it was reached; nothing if it was not.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> time() const;

  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  uint64_t begun = 0;
  uint64_t completed = 0;
  std::chrono::nanoseconds when{0};
};

/// A stream over host memory. While nothing is queued, copies and launches
/// run at once on the caller's thread, which costs no hand-over; host calls
/// and waits for events go to a worker thread, and so does everything behind
/// them. A device adds launch(). Its destructor must call drain() first.
class TILEWRIGHT_PRIVATE_API HostStream : public Stream {
public:
  using Stream::launch;
  ~HostStream() override;
  Status copyToDevice(Buffer &target, size_t targetOffset, const void *source,
                      size_t bytes) override;
  Status copyToHost(void *target, const Buffer &source, size_t sourceOffset,
                    size_t bytes) override;
  Status copy(Buffer &target, size_t targetOffset, const Buffer &source,
              size_t sourceOffset, size_t bytes) override;
  Status hostCall(std::function<void()> function) override;
  Status record(Event &event) override;
  Status wait(Event &event) override;
  Status synchronize() override;

protected:
  /// Whether nothing is queued, so that work may run on the caller's thread.
  [[nodiscard]] bool idle() const {
    return queued.load(std::memory_order_acquire) == 0;
  }
  /// Runs `work` now or enqueues it. It is skipped after a failure, which
  /// synchronize() returns.
  template <typename Work> Status submit(Work work) {
    if (!idle())
      return enqueue(std::move(work), false);
    if (failure.ok())
      failure = work();
    return {};
  }
  /// Waits for all queued work and ends the worker.
  void drain();

private:
  struct Task {
    std::function<Status()> work;
    /// Whether it runs even after a failure.
    bool always;
  };
  /// Errors: the worker does not start.
  Status enqueue(std::function<Status()> work, bool always);
  void work();

  /// Tasks that are queued or running.
  std::atomic<size_t> queued = 0;
  /// Touched by the caller while idle, else by the worker.
  Status failure;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> tasks;
  bool stopping = false;
  std::jthread worker;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_HOSTSTREAM_H
