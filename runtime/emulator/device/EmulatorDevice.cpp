// The device "emulator": PTX on the host's cores.
#include "runtime/core/HostStream.h"
#include "runtime/emulator/counters/Occupancy.h"
#include "runtime/emulator/device/CounterLog.h"
#include "runtime/emulator/device/KernelTotals.h"
#include "runtime/emulator/device/Limits.h"
#include "runtime/emulator/device/LoadedModule.h"
#include "support/Format.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include <cstring>
#include <thread>

namespace tilewright::emulator {

KernelTotals::~KernelTotals() = default;

KernelTotals *kernelTotals(runtime::Device &device) {
  return dynamic_cast<KernelTotals *>(&device);
}

} // namespace tilewright::emulator

namespace tilewright::runtime {

using emulator::Allocation;
using emulator::CounterLog;
using emulator::GlobalMemory;
using emulator::LoadedModule;
using emulator::Program;

namespace {

class EmulatorBuffer : public Buffer {
public:
  EmulatorBuffer(std::shared_ptr<Allocation> allocation,
                 std::shared_ptr<const MemorySpace> location)
      : allocation(std::move(allocation)), location(std::move(location)) {}
  [[nodiscard]] uint64_t address() const override {
    return allocation->address;
  }
  [[nodiscard]] size_t size() const override { return allocation->bytes; }
  [[nodiscard]] std::byte *hostPointer() const override {
    return allocation->host;
  }
  [[nodiscard]] const MemorySpace *space() const override {
    return location.get();
  }

private:
  std::shared_ptr<Allocation> allocation;
  std::shared_ptr<const MemorySpace> location;
};

emulator::LaunchShape shapeOf(const KernelManifest &manifest) {
  emulator::LaunchShape shape;
  shape.block[0] = uint32_t(manifest.block);
  for (unsigned dim = 0; dim < 3; ++dim)
    shape.cluster[dim] = uint32_t(manifest.cluster[dim]);
  shape.dynamicShared = uint32_t(manifest.shared);
  return shape;
}

class EmulatorKernel : public Kernel {
public:
  EmulatorKernel(KernelManifest manifest, KernelDevice device,
                 std::shared_ptr<LoadedModule> module,
                 std::shared_ptr<const Program> program)
      : Kernel(std::move(manifest), std::move(device)),
        code(std::move(program)), module(std::move(module)) {}
  const std::shared_ptr<const Program> code;

private:
  std::shared_ptr<LoadedModule> module;
};

/// Checks that each parameter is a word of 64 bits, as manifests say.
Status checkParameters(const Program &program, const KernelManifest &manifest) {
  const size_t words = manifest.words();
  const auto &parameters = program.kernel().parameters;
  bool areWords = true;
  for (const emulator::Parameter &parameter : parameters)
    areWords &= parameter.bytes == 8;
  if (areWords && parameters.size() == words)
    return {};
  return Status::invalidInput(
      format("the kernel '{}' takes {} parameters{}; its manifest describes {} "
             "words of 64 bits",
             {manifest.entry, parameters.size(),
              areWords ? "" : ", not all of 64 bits", words}));
}

class EmulatorModule : public Module {
public:
  EmulatorModule(std::shared_ptr<LoadedModule> module, KernelDevice device)
      : module(std::move(module)), device(std::move(device)) {}

  StatusOr<std::shared_ptr<Kernel>>
  kernel(const KernelManifest &manifest) override {
    TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<const Program> program,
                                module->program(manifest.entry));
    TILEWRIGHT_RETURN_IF_ERROR(checkParameters(*program, manifest));
    TILEWRIGHT_RETURN_IF_ERROR(
        emulator::checkBlock(*program, shapeOf(manifest)));
    return std::shared_ptr<Kernel>(
        std::make_shared<EmulatorKernel>(manifest, device, module, program));
  }

private:
  std::shared_ptr<LoadedModule> module;
  KernelDevice device;
};

/// Memory that is not initialized.
StatusOr<std::shared_ptr<Buffer>>
allocateIn(GlobalMemory &memory, std::shared_ptr<const MemorySpace> location,
           size_t bytes) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<Allocation> allocation,
                              memory.allocate(bytes, false));
  return std::shared_ptr<Buffer>(std::make_shared<EmulatorBuffer>(
      std::move(allocation), std::move(location)));
}

/// Of the machine that is emulated: few, so that persistent kernels loop.
constexpr int64_t multiprocessors = 4;

class EmulatorStream : public HostStream {
public:
  using Stream::launch;
  EmulatorStream(std::shared_ptr<GlobalMemory> memory,
                 std::shared_ptr<const MemorySpace> location,
                 std::shared_ptr<CounterLog> log,
                 std::shared_ptr<KernelPrints> prints,
                 const emulator::LaunchOptions &options)
      : memory(std::move(memory)), location(std::move(location)),
        log(std::move(log)), prints(std::move(prints)), options(options) {}
  ~EmulatorStream() override { drain(); }
  [[nodiscard]] const MemorySpace *space() const override {
    return location.get();
  }

  Status launch(const Kernel &kernel, std::span<const uint64_t> words,
                const Grid &grid) override {
    const auto *own = dynamic_cast<const EmulatorKernel *>(&kernel);
    const std::string name = format("kernel '{}'", {kernel.manifest().name});
    if (!own)
      return Status::invalidInput(name + " belongs to another device");
    if (words.size() != own->wordCount())
      return Status::invalidInput(
          format("{} takes {} words, found {}",
                 {name, own->wordCount(), words.size()}));
    TILEWRIGHT_ASSIGN_OR_RETURN(int64_t count, programCount(grid));
    if (count == 0)
      return {};
    emulator::LaunchShape shape = shapeOf(kernel.manifest());
    for (unsigned dim = 0; dim < 3; ++dim)
      shape.grid[dim] = uint32_t(std::min<int64_t>(grid[dim], UINT32_MAX));
    if (Status fits = emulator::checkGrid(shape); !fits.ok())
      return fits.prefixed(name);
    return submit([this, own, shape,
                   copy = std::vector<uint64_t>(words.begin(), words.end())] {
      return run(*own, copy, shape);
    });
  }

private:
  Status run(const EmulatorKernel &kernel, const std::vector<uint64_t> &words,
             const emulator::LaunchShape &shape) {
    emulator::Launch launch;
    launch.program = kernel.code;
    launch.memory = memory->snapshot();
    launch.grid = shape.grid;
    launch.block = shape.block;
    launch.cluster = shape.cluster;
    launch.dynamicShared = shape.dynamicShared;
    launch.parameters.resize(words.size() * 8);
    if (!words.empty())
      std::memcpy(launch.parameters.data(), words.data(), words.size() * 8);
    launch.options = options;
    if (prints->wanted())
      launch.prints = [this](std::string_view line) { prints->line(line); };
    log->run(launch, kernel.manifest());
    launch.endPrints();
    return launch.fault ? failure(*launch.fault, kernel.manifest()) : Status();
  }

  /// At the line of the source where that is known.
  static Status failure(const emulator::Fault &fault,
                        const KernelManifest &manifest) {
    const std::string name = format("kernel '{}'", {manifest.name});
    if (fault.sourceFile.empty())
      return Status::invalidInput(fault.str()).prefixed(name);
    return Status::invalidInput(
        format("{}:{}:{}: {}: {}\n  {}, line {} of its PTX, {}",
               {fault.sourceFile, fault.sourceLine, fault.sourceColumn,
                faultName(fault.code), fault.message, name, fault.at.line,
                fault.where()}));
  }

  std::shared_ptr<GlobalMemory> memory;
  std::shared_ptr<const MemorySpace> location;
  std::shared_ptr<CounterLog> log;
  std::shared_ptr<KernelPrints> prints;
  const emulator::LaunchOptions options;
};

class EmulatorDevice : public Device,
                       public CounterSource,
                       public FindingSource,
                       public emulator::KernelTotals {
public:
  EmulatorDevice(const emulator::LaunchOptions &options, PrintSink sink)
      : prints(std::make_shared<KernelPrints>(std::move(sink))),
        options(options) {
    facts.name = "emulator";
    facts.description = format("PTX on {} of this machine",
                               {counted(options.threads, "thread")});
    facts.targets = {"sm_90a", "sm_89", "sm_86", "sm_80", "sm_100a", "sm_120a"};
  }

  [[nodiscard]] const DeviceInfo &info() const override { return facts; }

  Status accepts(const KernelManifest &manifest) const override {
    if (!manifest.target.starts_with("sm_"))
      return Status::unsupported(format(
          "the kernel is for {}, the device runs PTX for sm_80 to sm_120a",
          {manifest.target}));
    if (manifest.block < 1 || manifest.block > 1024)
      return Status::unsupported(format(
          "expected a block of 1 to 1024 threads, found {}", {manifest.block}));
    if (manifest.shared > emulator::blockSharedBytes(manifest.target))
      return Status::unsupported(
          format("expected at most {} bytes of shared memory in a block of {}, "
                 "found {}",
                 {emulator::blockSharedBytes(manifest.target), manifest.target,
                  manifest.shared}));
    int64_t blocks =
        manifest.cluster[0] * manifest.cluster[1] * manifest.cluster[2];
    if (blocks < 1 || blocks > 16)
      return Status::unsupported(
          format("expected a cluster of 1 to 16 blocks, found {}", {blocks}));
    return {};
  }

  StatusOr<std::shared_ptr<Buffer>> allocate(size_t bytes) override {
    return allocateIn(*memory, location, bytes);
  }
  StatusOr<std::shared_ptr<Buffer>>
  constant(std::span<const std::byte> contents,
           std::shared_ptr<const void> owner) override {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        std::shared_ptr<emulator::Allocation> allocation,
        memory->constant(contents, std::move(owner)));
    return std::shared_ptr<Buffer>(
        std::make_shared<EmulatorBuffer>(std::move(allocation), location));
  }
  void setCounting(bool on) override { log->setCounting(on); }
  [[nodiscard]] std::vector<LaunchCounters> takeCounters() override {
    return log->take();
  }
  [[nodiscard]] std::vector<Finding> takeFindings() override {
    return log->takeFindings();
  }
  void setSumming(bool on) override { log->setSumming(on); }
  [[nodiscard]] std::vector<emulator::KernelTotal> takeTotals() override {
    return log->takeTotals();
  }
  StatusOr<std::unique_ptr<Stream>> createStream() override {
    return std::unique_ptr<Stream>(std::make_unique<EmulatorStream>(
        memory, location, log, prints, options));
  }
  StatusOr<std::shared_ptr<Event>> createEvent() override {
    return std::shared_ptr<Event>(std::make_shared<HostEvent>());
  }
  StatusOr<std::shared_ptr<Module>>
  loadModule(std::span<const std::byte> image) override {
    std::string_view text(reinterpret_cast<const char *>(image.data()),
                          image.size());
    if (text.starts_with("\x7f"
                         "ELF"))
      return Status::unsupported("the image is a cubin, expected PTX");
    TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<LoadedModule> module,
                                LoadedModule::load(*memory, text));
    return std::shared_ptr<Module>(
        std::make_shared<EmulatorModule>(std::move(module), ownFacts()));
  }

private:
  [[nodiscard]] KernelDevice ownFacts() const {
    return {multiprocessors,
            [memory = memory, location = location](size_t bytes) {
              return allocateIn(*memory, location, bytes);
            }};
  }

  std::shared_ptr<GlobalMemory> memory = std::make_shared<GlobalMemory>();
  std::shared_ptr<const MemorySpace> location =
      std::make_shared<MemorySpace>(MemorySpace{"emulator"});
  std::shared_ptr<CounterLog> log = std::make_shared<CounterLog>();
  std::shared_ptr<KernelPrints> prints;
  const emulator::LaunchOptions options;
  DeviceInfo facts;
};

StatusOr<std::shared_ptr<Device>> openEmulator(unsigned ordinal,
                                               const DeviceOptions &options) {
  if (ordinal != 0)
    return Status::notFound("there is one emulator device, emulator:0");
  emulator::LaunchOptions launches;
  launches.threads = options.threads;
  if (launches.threads == 0)
    launches.threads = std::max(1u, std::thread::hardware_concurrency());
  TILEWRIGHT_RETURN_IF_ERROR(emulator::checkHostThreads(launches.threads));
  launches.copiesLandLate = options.copiesLandLate;
  launches.interleave = options.interleave;
  return std::shared_ptr<Device>(
      std::make_shared<EmulatorDevice>(launches, options.prints));
}

const DeviceRegistration registration("emulator", openEmulator);

} // namespace

} // namespace tilewright::runtime
