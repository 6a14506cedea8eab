#include "runtime/null/NullDevice.h"
#include "support/Format.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include <atomic>
#include <mutex>

namespace tilewright::runtime {

namespace {

/// What the device, its streams and its buffers share.
struct Log {
  void add(std::string call) {
    std::lock_guard lock(mutex);
    calls.push_back(std::move(call));
  }
  std::mutex mutex;
  std::vector<std::string> calls;
  const MemorySpace space = {"null"};
  /// The next made-up address.
  std::atomic<uint64_t> nextAddress = uint64_t{1} << 40;
};

class NullBuffer : public Buffer {
public:
  NullBuffer(std::shared_ptr<Log> log, uint64_t address, size_t bytes)
      : log(std::move(log)), start(address), bytes(bytes) {}
  [[nodiscard]] uint64_t address() const override { return start; }
  [[nodiscard]] size_t size() const override { return bytes; }
  [[nodiscard]] const MemorySpace *space() const override {
    return &log->space;
  }

private:
  std::shared_ptr<Log> log;
  uint64_t start;
  size_t bytes;
};

/// Work is done when it is enqueued, so each event is always reached.
class NullEvent : public Event {
public:
  [[nodiscard]] bool reached() const override { return true; }
  Status synchronize() override { return {}; }
  StatusOr<std::chrono::nanoseconds> since(const Event &) const override {
    return Status::unsupported("the null device keeps no time");
  }
};

class NullKernel : public Kernel {
public:
  using Kernel::Kernel;
};

StatusOr<std::shared_ptr<Buffer>> allocateIn(std::shared_ptr<Log> log,
                                             size_t bytes) {
  if (bytes > size_t{1} << 40)
    return Status::resourceExhausted(
        format("no memory for a buffer of {} bytes", {bytes}));
  uint64_t step = (bytes / tensorAlignment + 1) * tensorAlignment;
  const uint64_t start = log->nextAddress.fetch_add(step);
  return std::shared_ptr<Buffer>(
      std::make_shared<NullBuffer>(std::move(log), start, bytes));
}

class NullModule : public Module {
public:
  explicit NullModule(std::shared_ptr<Log> log) : log(std::move(log)) {}
  StatusOr<std::shared_ptr<Kernel>>
  kernel(const KernelManifest &manifest) override {
    KernelDevice device = {
        1, [log = log](size_t bytes) { return allocateIn(log, bytes); }};
    return std::shared_ptr<Kernel>(
        std::make_shared<NullKernel>(manifest, std::move(device)));
  }

private:
  std::shared_ptr<Log> log;
};

class NullStream : public Stream {
public:
  using Stream::launch;
  explicit NullStream(std::shared_ptr<Log> log) : log(std::move(log)) {}
  [[nodiscard]] const MemorySpace *space() const override {
    return &log->space;
  }

  Status copyToDevice(Buffer &target, size_t targetOffset, const void *,
                      size_t bytes) override {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkRange(target, targetOffset, bytes, "copy to device"));
    log->add(format("copy to device {} bytes", {bytes}));
    return {};
  }
  Status copyToHost(void *, const Buffer &source, size_t sourceOffset,
                    size_t bytes) override {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkRange(source, sourceOffset, bytes, "copy to host"));
    log->add(format("copy to host {} bytes", {bytes}));
    return {};
  }
  Status copy(Buffer &target, size_t targetOffset, const Buffer &source,
              size_t sourceOffset, size_t bytes) override {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkRange(target, targetOffset, bytes, "target of copy"));
    TILEWRIGHT_RETURN_IF_ERROR(
        checkRange(source, sourceOffset, bytes, "source of copy"));
    log->add(format("copy {} bytes", {bytes}));
    return {};
  }
  Status launch(const Kernel &kernel, std::span<const uint64_t> words,
                const Grid &grid) override {
    if (!dynamic_cast<const NullKernel *>(&kernel))
      return Status::invalidInput(format(
          "kernel '{}' belongs to another device", {kernel.manifest().name}));
    if (words.size() != kernel.wordCount())
      return Status::invalidInput(
          format("kernel '{}' takes {} words, found {}",
                 {kernel.manifest().name, kernel.wordCount(), words.size()}));
    TILEWRIGHT_RETURN_IF_ERROR(programCount(grid).status());
    log->add(format("launch {} {} {} words",
                    {kernel.manifest().name, printShape(grid), words.size()}));
    return {};
  }
  Status hostCall(std::function<void()> function) override {
    log->add("host call");
    function();
    return {};
  }
  Status record(Event &event) override {
    log->add("record event");
    return checkEvent(event);
  }
  Status wait(Event &event) override {
    log->add("wait for event");
    return checkEvent(event);
  }
  Status synchronize() override {
    log->add("synchronize");
    return {};
  }

private:
  static Status checkEvent(Event &event) {
    if (dynamic_cast<NullEvent *>(&event))
      return {};
    return Status::invalidInput("the event belongs to another device");
  }
  std::shared_ptr<Log> log;
};

class NullDeviceImpl : public NullDevice {
public:
  NullDeviceImpl() {
    facts.name = "null";
    facts.description = "records calls, executes nothing";
    facts.targets = {"any"};
  }
  [[nodiscard]] const DeviceInfo &info() const override { return facts; }
  [[nodiscard]] std::vector<std::string> calls() const override {
    std::lock_guard lock(log->mutex);
    return log->calls;
  }
  Status accepts(const KernelManifest &) const override { return {}; }
  StatusOr<std::shared_ptr<Buffer>> allocate(size_t bytes) override {
    return allocateIn(log, bytes);
  }
  StatusOr<std::shared_ptr<Buffer>>
  constant(std::span<const std::byte> contents,
           std::shared_ptr<const void>) override {
    return allocate(contents.size());
  }
  StatusOr<std::unique_ptr<Stream>> createStream() override {
    return std::unique_ptr<Stream>(std::make_unique<NullStream>(log));
  }
  StatusOr<std::shared_ptr<Event>> createEvent() override {
    return std::shared_ptr<Event>(std::make_shared<NullEvent>());
  }
  StatusOr<std::shared_ptr<Module>>
  loadModule(std::span<const std::byte>) override {
    return std::shared_ptr<Module>(std::make_shared<NullModule>(log));
  }

private:
  std::shared_ptr<Log> log = std::make_shared<Log>();
  DeviceInfo facts;
};

const DeviceRegistration registration(
    "null",
    [](unsigned ordinal,
       const DeviceOptions &) -> StatusOr<std::shared_ptr<Device>> {
      if (ordinal != 0)
        return Status::notFound("there is one null device, null:0");
      return std::shared_ptr<Device>(NullDevice::create());
    });

} // namespace

std::shared_ptr<NullDevice> NullDevice::create() {
  return std::make_shared<NullDeviceImpl>();
}

} // namespace tilewright::runtime
