//===- InterpreterDevice.cpp - Kernels as they are written, op by op ------===//
#include "verify/device/InterpreterDevice.h"

#include "runtime/core/HostStream.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/FindingSource.h"
#include "verify/device/InterpretedModule.h"

namespace tilewright::verify {

using namespace runtime;

namespace {

class InterpreterKernel : public Kernel {
public:
  InterpreterKernel(KernelManifest manifest, KernelDevice device,
                    std::shared_ptr<InterpretedModule> module,
                    std::shared_ptr<InterpretedKernel> kernel)
      : Kernel(std::move(manifest), std::move(device)),
        module(std::move(module)), kernel(std::move(kernel)),
        gridRank(this->kernel->signature.getGrid().getValue().getNumResults()) {
  }

  const std::shared_ptr<InterpretedModule> module;
  const std::shared_ptr<InterpretedKernel> kernel;
  const size_t gridRank;
};

class InterpreterModule : public Module {
public:
  InterpreterModule(std::shared_ptr<InterpretedModule> module,
                    KernelDevice device)
      : module(std::move(module)), device(std::move(device)) {}
  StatusOr<std::shared_ptr<Kernel>>
  kernel(const KernelManifest &manifest) override {
    TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<InterpretedKernel> kernel,
                                module->kernel(manifest));
    return std::shared_ptr<Kernel>(std::make_shared<InterpreterKernel>(
        manifest, device, module, std::move(kernel)));
  }

private:
  std::shared_ptr<InterpretedModule> module;
  KernelDevice device;
};

/// What kernels did wrong. Safe from many threads.
class FindingLog {
public:
  void add(const std::string &kernel, const Status &fault) {
    std::lock_guard lock(mutex);
    if (findings.size() >= mostFindings)
      return;
    Finding &finding = findings.emplace_back();
    finding.kernel = kernel;
    finding.code = "fault";
    finding.message = fault.message();
  }
  std::vector<Finding> take() {
    std::lock_guard lock(mutex);
    return std::exchange(findings, {});
  }

private:
  /// Where nobody takes them, no more are kept.
  static constexpr size_t mostFindings = 64;
  std::mutex mutex;
  std::vector<Finding> findings;
};

StatusOr<std::shared_ptr<Block>> blockOf(const Buffer &buffer) {
  if (const auto *own = dynamic_cast<const BlockBuffer *>(&buffer))
    return own->block;
  return Status::invalidInput("the buffer belongs to another device");
}

/// A stream whose copies track the bytes written.
class InterpreterStream : public HostStream {
public:
  using Stream::launch;
  InterpreterStream(std::shared_ptr<DeviceMemory> memory,
                    std::shared_ptr<FindingLog> log,
                    std::shared_ptr<KernelPrints> prints,
                    const InterpreterOptions &options)
      : memory(std::move(memory)), log(std::move(log)),
        prints(std::move(prints)), options(options) {}
  ~InterpreterStream() override { drain(); }
  [[nodiscard]] const MemorySpace *space() const override {
    return &memory->space;
  }

  Status copyToDevice(Buffer &target, size_t offset, const void *source,
                      size_t bytes) override {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkRange(target, offset, bytes, "copy to device"));
    TILEWRIGHT_ASSIGN_OR_RETURN(auto block, blockOf(target));
    return submit([=, memory = memory] {
      block->write(offset, source, bytes);
      memory->errors.clear(block->address() + offset, bytes);
      memory->shadow->clear(block->address() + offset, int64_t(bytes));
      return Status();
    });
  }
  Status copyToHost(void *target, const Buffer &source, size_t offset,
                    size_t bytes) override {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkRange(source, offset, bytes, "copy to host"));
    TILEWRIGHT_ASSIGN_OR_RETURN(auto block, blockOf(source));
    return submit([=, memory = memory] {
      block->read(target, offset, bytes);
      memory->noteHostRead(target, *block, offset, bytes);
      memory->errors.copy(uint64_t(target), block->address() + offset, bytes);
      memory->shadow->copy(uint64_t(target), block->address() + offset,
                           int64_t(bytes));
      return Status();
    });
  }
  Status copy(Buffer &target, size_t targetOffset, const Buffer &source,
              size_t sourceOffset, size_t bytes) override {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkRange(target, targetOffset, bytes, "target of copy"));
    TILEWRIGHT_RETURN_IF_ERROR(
        checkRange(source, sourceOffset, bytes, "source of copy"));
    TILEWRIGHT_ASSIGN_OR_RETURN(auto to, blockOf(target));
    TILEWRIGHT_ASSIGN_OR_RETURN(auto from, blockOf(source));
    return submit([=, memory = memory] {
      to->copy(targetOffset, *from, sourceOffset, bytes);
      memory->errors.copy(to->address() + targetOffset,
                          from->address() + sourceOffset, bytes);
      memory->shadow->copy(to->address() + targetOffset,
                           from->address() + sourceOffset, int64_t(bytes));
      return Status();
    });
  }

  Status launch(const Kernel &kernel, std::span<const uint64_t> words,
                const Grid &grid) override {
    const auto *own = dynamic_cast<const InterpreterKernel *>(&kernel);
    const std::string name = "kernel '" + kernel.manifest().name + "'";
    if (!own)
      return Status::invalidInput(name + " belongs to another device");
    if (words.size() != own->wordCount())
      return Status::invalidInput(
          name + " takes " + std::to_string(own->wordCount()) +
          " words, found " + std::to_string(words.size()));
    TILEWRIGHT_ASSIGN_OR_RETURN(int64_t count, programCount(grid));
    if (count == 0)
      return {};
    for (size_t dim = own->gridRank; dim < grid.size(); ++dim)
      if (grid[dim] != 1)
        return Status::invalidInput(name + " has a grid of " +
                                    std::to_string(own->gridRank) +
                                    " dimensions, found " + printShape(grid));
    return submit([memory = memory, log = log, prints = prints,
                   options = options, own, name, grid,
                   copy = std::vector<uint64_t>(words.begin(), words.end())] {
      const auto blocks = memory->snapshot();
      memory->undetermined = {};
      if (options.ownErrors)
        memory->errors = {};
      Status status =
          own->module->run(*own->kernel, {copy,
                                          {grid.data(), own->gridRank},
                                          blocks,
                                          *prints,
                                          options,
                                          memory->shadow,
                                          memory->undetermined,
                                          memory->reachedLimit,
                                          memory->errors});
      if (options.errors) {
        memory->launches.push_back(own->manifest().name);
        if (memory->launches.size() <= options.exactLaunches)
          memory->errors = threads::ErrorMemory();
      }
      if (!status.ok() && !memory->undetermined.op && !memory->reachedLimit)
        log->add(own->manifest().name, status);
      if (options.ownErrors)
        memory->noteOwnErrors(own->manifest().name, blocks);
      return status.prefixed(name);
    });
  }

private:
  std::shared_ptr<DeviceMemory> memory;
  std::shared_ptr<FindingLog> log;
  std::shared_ptr<KernelPrints> prints;
  InterpreterOptions options;
};

StatusOr<std::shared_ptr<Buffer>>
allocateIn(const std::shared_ptr<DeviceMemory> &memory, size_t bytes) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto block, memory->allocate(bytes));
  return std::shared_ptr<Buffer>(std::make_shared<BlockBuffer>(block, memory));
}

class InterpreterDevice : public Device,
                          public FindingSource,
                          public FreedomSource,
                          public ErrorSource {
public:
  explicit InterpreterDevice(InterpreterOptions given)
      : options(std::move(given)),
        prints(std::make_shared<KernelPrints>(options.prints)) {
    facts.name = interpreterName;
    facts.description = "kernels as they are written, op by op";
    facts.targets = {interpreterName};
  }

  [[nodiscard]] const DeviceInfo &info() const override { return facts; }

  Status accepts(const KernelManifest &manifest) const override {
    if (manifest.target == interpreterName)
      return {};
    return Status::unsupported("the kernel is for " + manifest.target +
                               ", the device runs kernels for interpreter");
  }

  StatusOr<std::shared_ptr<Buffer>> allocate(size_t bytes) override {
    return allocateIn(memory, bytes);
  }
  StatusOr<std::shared_ptr<Buffer>>
  constant(std::span<const std::byte> contents,
           std::shared_ptr<const void>) override {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto block, memory->constant(contents));
    return std::shared_ptr<Buffer>(
        std::make_shared<BlockBuffer>(block, memory));
  }
  StatusOr<std::unique_ptr<Stream>> createStream() override {
    return std::unique_ptr<Stream>(
        std::make_unique<InterpreterStream>(memory, log, prints, options));
  }
  [[nodiscard]] std::vector<Finding> takeFindings() override {
    return log->take();
  }
  [[nodiscard]] reference::Permitted permitted(const void *host, int64_t bytes,
                                               double computed) const override {
    return memory->shadow->permitted(uint64_t(host), bytes, computed);
  }
  [[nodiscard]] std::optional<llvm::APFloat>
  exact(const void *host, int64_t bytes) const override {
    return memory->shadow->exact(uint64_t(host), bytes);
  }
  [[nodiscard]] double errorBound(const void *host,
                                  size_t bytes) const override {
    const threads::Mark mark =
        memory->errors.read(uint64_t(host), unsigned(bytes));
    if (mark.isExact())
      return 0;
    return mark.count() == 1 ? mark.bound(0) : threads::kUnknownError;
  }
  [[nodiscard]] const std::vector<std::string> &launches() const override {
    return memory->launches;
  }
  [[nodiscard]] std::vector<OwnError> takeOwnErrors() override {
    std::vector<OwnError> taken;
    for (auto &[kernel, bound] : std::exchange(memory->ownErrors, {}))
      taken.push_back({kernel, bound});
    return taken;
  }
  [[nodiscard]] std::string takeUndetermined() override {
    const reference::Undetermined found =
        std::exchange(memory->undetermined, {});
    return found.op ? found.what : "";
  }
  [[nodiscard]] bool isWritten(const void *host, size_t bytes) const override {
    return memory->isWrittenOnHost(host, bytes);
  }
  [[nodiscard]] bool takeUnfinished() override {
    return std::exchange(memory->reachedLimit, false);
  }
  StatusOr<std::shared_ptr<Event>> createEvent() override {
    return std::shared_ptr<Event>(std::make_shared<HostEvent>());
  }
  StatusOr<std::shared_ptr<Module>>
  loadModule(std::span<const std::byte> image) override {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        auto module,
        InterpretedModule::parse(
            {reinterpret_cast<const char *>(image.data()), image.size()},
            options.isExact));
    KernelDevice device = {1, [memory = memory](size_t bytes) {
                             return allocateIn(memory, bytes);
                           }};
    return std::shared_ptr<Module>(
        std::make_shared<InterpreterModule>(module, std::move(device)));
  }

private:
  std::shared_ptr<DeviceMemory> memory = std::make_shared<DeviceMemory>();
  std::shared_ptr<FindingLog> log = std::make_shared<FindingLog>();
  InterpreterOptions options;
  std::shared_ptr<KernelPrints> prints;
  DeviceInfo facts;
};

StatusOr<std::shared_ptr<Device>>
openInterpreter(unsigned ordinal, const DeviceOptions &options) {
  if (ordinal != 0)
    return Status::notFound("there is one interpreter device, interpreter:0");
  return makeInterpreterDevice({.prints = options.prints});
}

const DeviceRegistration registration(interpreterName, openInterpreter);

} // namespace

std::shared_ptr<runtime::Device>
makeInterpreterDevice(InterpreterOptions options) {
  return std::make_shared<InterpreterDevice>(std::move(options));
}

} // namespace tilewright::verify
