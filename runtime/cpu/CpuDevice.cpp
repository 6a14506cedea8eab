// The device "cpu": host code on a thread pool.
#include "runtime/core/HostStream.h"
#include "runtime/cpu/CpuFeatures.h"
#include "runtime/cpu/ElfLoader.h"
#include "runtime/cpu/KernelCalls.h"
#include "runtime/cpu/ThreadPool.h"
#include "support/Format.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include <thread>
#include <unistd.h>

namespace tilewright::runtime {

namespace {

/// One entry point of a loaded object.
class CpuKernel : public Kernel {
public:
  CpuKernel(KernelManifest manifest, std::shared_ptr<const ElfImage> image,
            CpuKernelEntry entry, int64_t threads)
      : Kernel(std::move(manifest), {threads, HostBuffer::allocate}),
        image(std::move(image)), entry(entry) {}
  [[nodiscard]] CpuKernelEntry function() const { return entry; }

private:
  std::shared_ptr<const ElfImage> image;
  CpuKernelEntry entry;
};

/// What the threads need to know of a launch.
struct LaunchContext {
  CpuKernelEntry entry;
  const uint64_t *words;
  const int64_t *grid;
  CheckedLaunch *checked;
};

void runPrograms(const void *context, int64_t first, int64_t last,
                 void *scratch) {
  const auto *launch = static_cast<const LaunchContext *>(context);
  launch->checked->run(launch->entry, launch->words, launch->grid, first, last,
                       scratch);
}

/// A loaded object.
class CpuModule : public Module {
public:
  CpuModule(std::shared_ptr<const ElfImage> image, int64_t threads)
      : image(std::move(image)), threads(threads) {}

  StatusOr<std::shared_ptr<Kernel>>
  kernel(const KernelManifest &manifest) override {
    std::optional<uint64_t> address = image->function(manifest.entry);
    if (!address)
      return Status::invalidInput(
          format("the object defines no function '{}'", {manifest.entry}));
    return std::shared_ptr<Kernel>(std::make_shared<CpuKernel>(
        manifest, image, reinterpret_cast<CpuKernelEntry>(*address), threads));
  }

private:
  std::shared_ptr<const ElfImage> image;
  int64_t threads;
};

/// A stream that runs launches on the device's threads.
class CpuStream : public HostStream {
public:
  using Stream::launch;
  CpuStream(std::shared_ptr<ThreadPool> pool,
            std::shared_ptr<KernelPrints> prints)
      : pool(std::move(pool)), prints(std::move(prints)) {}
  ~CpuStream() override { drain(); }
  [[nodiscard]] const MemorySpace *space() const override {
    return &HostBuffer::hostSpace();
  }

  Status launch(const Kernel &kernel, std::span<const uint64_t> words,
                const Grid &grid) override {
    const auto *cpu = dynamic_cast<const CpuKernel *>(&kernel);
    if (!cpu)
      return Status::invalidInput(format(
          "kernel '{}' belongs to another device", {kernel.manifest().name}));
    if (words.size() != cpu->wordCount())
      return Status::invalidInput(
          format("kernel '{}' takes {} words, found {}",
                 {kernel.manifest().name, cpu->wordCount(), words.size()}));
    TILEWRIGHT_ASSIGN_OR_RETURN(int64_t count, programCount(grid));
    if (idle())
      return submit([&] { return run(*cpu, words.data(), grid, count); });
    return submit([this, cpu, grid, count,
                   copy = std::vector<uint64_t>(words.begin(), words.end())] {
      return run(*cpu, copy.data(), grid, count);
    });
  }

private:
  Status run(const CpuKernel &kernel, const uint64_t *words, const Grid &grid,
             int64_t count) {
    CheckedLaunch checked(*prints);
    LaunchContext context{kernel.function(), words, grid.data(), &checked};
    Status status =
        pool->run(count, static_cast<size_t>(kernel.manifest().scratch),
                  runPrograms, &context, scratch,
                  {kernel.manifest().chunk, kernel.manifest().threads});
    if (status.ok())
      status = checked.status();
    return status.ok() ? status
                       : status.prefixed(
                             format("kernel '{}'", {kernel.manifest().name}));
  }

  std::shared_ptr<ThreadPool> pool;
  std::shared_ptr<KernelPrints> prints;
  Scratch scratch;
};

class CpuDevice : public Device {
public:
  CpuDevice(std::shared_ptr<ThreadPool> threadPool, PrintSink sink)
      : pool(std::move(threadPool)), threads(pool->threads()),
        prints(std::make_shared<KernelPrints>(std::move(sink))) {
    const CpuFeatures &host = CpuFeatures::host();
    facts.name = "cpu";
    facts.description =
        format("{}, {}", {host.model.empty() ? host.architecture : host.model,
                          counted(threads, "thread")});
    facts.targets = {"cpu"};
    facts.memory =
        uint64_t(::sysconf(_SC_PHYS_PAGES)) * uint64_t(::sysconf(_SC_PAGESIZE));
  }

  [[nodiscard]] const DeviceInfo &info() const override { return facts; }

  Status accepts(const KernelManifest &manifest) const override {
    if (manifest.target != "cpu")
      return Status::unsupported(
          format("the kernel is for {}, the device runs kernels for cpu",
                 {manifest.target}));
    return CpuFeatures::host().supports(manifest.features);
  }

  StatusOr<std::shared_ptr<Buffer>> allocate(size_t bytes) override {
    return HostBuffer::allocate(bytes);
  }
  StatusOr<std::shared_ptr<Buffer>>
  constant(std::span<const std::byte> contents,
           std::shared_ptr<const void> owner) override {
    return HostBuffer::constant(contents, std::move(owner));
  }
  StatusOr<std::shared_ptr<Buffer>>
  inPlace(std::span<std::byte> memory,
          std::shared_ptr<const void> owner) override {
    return HostBuffer::inPlace(memory, std::move(owner));
  }
  StatusOr<std::unique_ptr<Stream>> createStream() override {
    return std::unique_ptr<Stream>(std::make_unique<CpuStream>(pool, prints));
  }
  StatusOr<std::shared_ptr<Event>> createEvent() override {
    return std::shared_ptr<Event>(std::make_shared<HostEvent>());
  }
  StatusOr<std::shared_ptr<Module>>
  loadModule(std::span<const std::byte> object) override {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto image, ElfImage::load(object));
    return std::shared_ptr<Module>(std::make_shared<CpuModule>(image, threads));
  }

private:
  std::shared_ptr<ThreadPool> pool;
  unsigned threads;
  std::shared_ptr<KernelPrints> prints;
  DeviceInfo facts;
};

StatusOr<std::shared_ptr<Device>> openCpu(unsigned ordinal,
                                          const DeviceOptions &options) {
  if (ordinal != 0)
    return Status::notFound("there is one cpu device, cpu:0");
  unsigned threads = options.threads;
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  if (threads > 4096)
    return Status::invalidInput(
        format("at most 4096 threads, found {}", {threads}));
  StatusOr<std::shared_ptr<ThreadPool>> pool = ThreadPool::create(threads);
  if (!pool.ok())
    return pool.status().prefixed("device 'cpu'");
  return std::shared_ptr<Device>(
      std::make_shared<CpuDevice>(*std::move(pool), options.prints));
}

const DeviceRegistration registration("cpu", openCpu);

} // namespace

} // namespace tilewright::runtime
