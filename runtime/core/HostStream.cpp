#include "runtime/core/HostStream.h"
#include "support/Format.h"
#include "support/Threads.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tilewright::runtime {

//===----------------------------------------------------------------------===//
// HostBuffer
//===----------------------------------------------------------------------===//

const MemorySpace &HostBuffer::hostSpace() {
  static const MemorySpace space = {"cpu"};
  return space;
}

StatusOr<std::shared_ptr<Buffer>> HostBuffer::allocate(size_t bytes) {
  void *memory = nullptr;
  if (bytes < size_t(PTRDIFF_MAX) - tensorAlignment)
    memory = std::aligned_alloc(tensorAlignment, (bytes / tensorAlignment + 1) *
                                                     tensorAlignment);
  if (!memory)
    return Status::resourceExhausted(
        format("no memory for a buffer of {} bytes", {bytes}));
  std::shared_ptr<std::byte> owned(static_cast<std::byte *>(memory),
                                   [](void *p) { std::free(p); });
  return std::shared_ptr<Buffer>(new HostBuffer(std::move(owned), bytes));
}

StatusOr<std::shared_ptr<Buffer>>
HostBuffer::constant(std::span<const std::byte> contents,
                     std::shared_ptr<const void> owner) {
  auto *data = const_cast<std::byte *>(contents.data());
  if (data && reinterpret_cast<uintptr_t>(data) % tensorAlignment == 0)
    return std::shared_ptr<Buffer>(new HostBuffer(
        std::shared_ptr<std::byte>(
            std::const_pointer_cast<void>(std::move(owner)), data),
        contents.size()));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> copy,
                              allocate(contents.size()));
  if (!contents.empty())
    std::memcpy(copy->hostPointer(), contents.data(), contents.size());
  return copy;
}

std::shared_ptr<Buffer> HostBuffer::inPlace(std::span<std::byte> memory,
                                            std::shared_ptr<const void> owner) {
  return std::shared_ptr<Buffer>(new HostBuffer(
      std::shared_ptr<std::byte>(
          std::const_pointer_cast<void>(std::move(owner)), memory.data()),
      memory.size()));
}

//===----------------------------------------------------------------------===//
// HostEvent
//===----------------------------------------------------------------------===//

bool HostEvent::reached() const {
  std::lock_guard lock(mutex);
  return completed == begun;
}

Status HostEvent::synchronize() {
  await(last());
  return {};
}

std::optional<std::chrono::nanoseconds> HostEvent::time() const {
  std::lock_guard lock(mutex);
  if (completed == 0 || completed != begun)
    return std::nullopt;
  return when;
}

StatusOr<std::chrono::nanoseconds> HostEvent::since(const Event &start) const {
  const auto *first = dynamic_cast<const HostEvent *>(&start);
  if (!first)
    return Status::invalidInput("the events belong to different devices");
  auto from = first->time(), to = time();
  if (!from || !to)
    return Status::invalidInput("an event was not reached");
  return *to - *from;
}

uint64_t HostEvent::begin() {
  std::lock_guard lock(mutex);
  return ++begun;
}

void HostEvent::complete(uint64_t number) {
  // Notify under the lock: a waiter may destroy the event as soon as it wakes.
  std::lock_guard lock(mutex);
  completed = std::max(completed, number);
  when = std::chrono::steady_clock::now().time_since_epoch();
  changed.notify_all();
}

uint64_t HostEvent::last() const {
  std::lock_guard lock(mutex);
  return begun;
}

bool HostEvent::isComplete(uint64_t number) const {
  std::lock_guard lock(mutex);
  return completed >= number;
}

void HostEvent::await(uint64_t number) const {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return completed >= number; });
}

//===----------------------------------------------------------------------===//
// HostStream
//===----------------------------------------------------------------------===//

HostStream::~HostStream() { drain(); }

void HostStream::drain() {
  if (!worker.joinable())
    return;
  {
    std::lock_guard lock(mutex);
    stopping = true;
    changed.notify_all();
  }
  worker.join();
}

Status HostStream::enqueue(std::function<Status()> work, bool always) {
  std::lock_guard lock(mutex);
  if (!worker.joinable()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(worker, startThread([this] { this->work(); }));
  }
  queued.fetch_add(1, std::memory_order_relaxed);
  tasks.push_back({std::move(work), always});
  changed.notify_all();
  return {};
}

void HostStream::work() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return stopping || !tasks.empty(); });
    if (tasks.empty())
      return;
    Task task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    if (failure.ok() || task.always)
      if (Status status = task.work(); failure.ok())
        failure = std::move(status);
    task.work = nullptr; // Its captures are destroyed before it counts as done.
    lock.lock();
    if (queued.fetch_sub(1, std::memory_order_release) == 1)
      changed.notify_all();
  }
}

Status HostStream::synchronize() {
  if (!idle()) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return idle(); });
  }
  return std::exchange(failure, Status());
}

static Status needsHostMemory(const Buffer &buffer) {
  if (buffer.hostPointer() || buffer.size() == 0)
    return {};
  return Status::invalidInput("the buffer belongs to another device");
}

static void move(void *target, const void *source, size_t bytes) {
  if (bytes)
    std::memmove(target, source, bytes);
}

Status HostStream::copyToDevice(Buffer &target, size_t targetOffset,
                                const void *source, size_t bytes) {
  TILEWRIGHT_RETURN_IF_ERROR(
      checkRange(target, targetOffset, bytes, "copy to device"));
  TILEWRIGHT_RETURN_IF_ERROR(needsHostMemory(target));
  std::byte *to = target.hostPointer() + targetOffset;
  return submit([=] {
    move(to, source, bytes);
    return Status();
  });
}

Status HostStream::copyToHost(void *target, const Buffer &source,
                              size_t sourceOffset, size_t bytes) {
  TILEWRIGHT_RETURN_IF_ERROR(
      checkRange(source, sourceOffset, bytes, "copy to host"));
  TILEWRIGHT_RETURN_IF_ERROR(needsHostMemory(source));
  const std::byte *from = source.hostPointer() + sourceOffset;
  return submit([=] {
    move(target, from, bytes);
    return Status();
  });
}

Status HostStream::copy(Buffer &target, size_t targetOffset,
                        const Buffer &source, size_t sourceOffset,
                        size_t bytes) {
  TILEWRIGHT_RETURN_IF_ERROR(
      checkRange(target, targetOffset, bytes, "target of copy"));
  TILEWRIGHT_RETURN_IF_ERROR(
      checkRange(source, sourceOffset, bytes, "source of copy"));
  TILEWRIGHT_RETURN_IF_ERROR(needsHostMemory(source));
  return copyToDevice(target, targetOffset, source.hostPointer() + sourceOffset,
                      bytes);
}

Status HostStream::hostCall(std::function<void()> function) {
  return enqueue(
      [function = std::move(function)] {
        function();
        return Status();
      },
      true);
}

static StatusOr<HostEvent *> hostEvent(Event &event) {
  if (auto *result = dynamic_cast<HostEvent *>(&event))
    return result;
  return Status::invalidInput("the event belongs to another device");
}

Status HostStream::record(Event &event) {
  TILEWRIGHT_ASSIGN_OR_RETURN(HostEvent * host, hostEvent(event));
  uint64_t number = host->begin();
  if (!idle())
    return enqueue(
        [=] {
          host->complete(number);
          return Status();
        },
        true);
  host->complete(number);
  return {};
}

Status HostStream::wait(Event &event) {
  TILEWRIGHT_ASSIGN_OR_RETURN(HostEvent * host, hostEvent(event));
  uint64_t number = host->last();
  if (host->isComplete(number))
    return {};
  return enqueue(
      [=] {
        host->await(number);
        return Status();
      },
      true);
}

} // namespace tilewright::runtime
