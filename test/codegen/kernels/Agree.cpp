#include "Agree.h"
#include "Levels.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "test/main/TestMain.h"
#include "test/ptxas/Ptxas.h"
#include "verify/barriers/BarrierCheck.h"
#include "llvm/Support/xxhash.h"

#include <catch2/catch.hpp>

namespace tilewright::kerneltest {

static std::string &deviceName() {
  static std::string name = "cpu";
  return name;
}

[[maybe_unused]] static const bool isRegistered = [] {
  test::testMain().options["device"] = &deviceName();
  return true;
}();

Device device() {
  if (deviceName() == "levels")
    return Device::levels;
  if (deviceName() != "cpu" && deviceName() != "gpu")
    FAIL("--device: expected cpu, gpu or levels, found '" << deviceName()
                                                          << "'");
  return deviceName() == "cpu" ? Device::cpu : Device::gpu;
}

/// A number that a kernel's text decides, the same in each run.
static uint64_t numberOf(const std::string &text) {
  return llvm::xxh3_64bits(text);
}

bool isOneIn(unsigned n, const std::string &text) {
  // The devices take different ones.
  return (numberOf(text) >> (device() == Device::cpu ? 44 : 32)) % n == 0;
}

namespace {
/// What a kernel is compiled for on the GPU.
struct GpuShare {
  explicit GpuShare(const std::string &text) : number(numberOf(text)) {}
  schedule::GpuSchedule schedule() const {
    constexpr unsigned warps[] = {1, 2, 4, 8, 3, 6, 5, 12};
    schedule::GpuSchedule schedule;
    schedule.warps = warps[number % std::size(warps)];
    schedule.persistent = unsigned(number / 256 % 4 == 0);
    schedule.group = unsigned(number / 1024 % 3);
    constexpr unsigned stages[] = {0, 2, 3, 0, 4, 5, 1, 8};
    schedule.stages =
        fitsStages ? stages[number / 4096 % std::size(stages)] : 0;
    return schedule;
  }
  const target::GpuTarget &target() const {
    return target::gpuTargets()[number / 8 % target::gpuTargets().size()];
  }
  std::string name() const {
    return std::string(target().name) + ", " + schedule().text();
  }

  uint64_t number;
  /// False: the stages need more shared memory than there is.
  bool fitsStages = true;
};
} // namespace

static std::string missingBarriers(tile::KernelOp scheduled) {
  std::string error;
  for (const verify::UnorderedAccesses &finding :
       verify::findUnordered(scheduled))
    error += verify::describe(finding);
  return error;
}

static Result compareOnGpu(const std::string &text, std::vector<Input> inputs,
                           Tolerance tolerance, uint64_t seed) {
  Comparison comparison(text, std::move(inputs), seed);
  if (!comparison.error().empty())
    return {.error = comparison.error()};
  GpuShare share(text);
  CompileOptions options;
  options.verifyEach = true;
  options.schedule = share.schedule();
  options.wantBytecode = true;
  StatusOr<KernelImage> image =
      compile(comparison.kernel(), share.target(), options);
  if (image.status().code() == StatusCode::resourceExhausted) {
    share.fitsStages = false;
    options.schedule = share.schedule();
    image = compile(comparison.kernel(), share.target(), options);
  }
  if (!image.ok())
    return {.error = share.name() + ": " + image.status().message()};

  auto scheduled = mlir::parseSourceString<mlir::ModuleOp>(image->bytecode,
                                                           &kernelContext());
  if (!scheduled)
    return {.error = share.name() + ": the bytecode cannot be read"};
  auto kernel = scheduled->lookupSymbol<tile::KernelOp>("k");
  Result level = comparison.run(kernel, tolerance);
  Result ptx = comparison.run(*image, "emulator", tolerance);
  Result result = level.worst > ptx.worst ? level : ptx;
  result.error.clear();
  for (const auto &[step, error] :
       {std::pair("barriers", missingBarriers(kernel)),
        std::pair("scheduled level", level.error), std::pair("PTX", ptx.error),
        std::pair("ptxas",
                  test::errorOfOneIn(6, image->code, share.target().name))})
    if (!error.empty())
      result.error += share.name() + ", " + step + ": " + error + "\n";
  return result;
}

static Result compareOnLevels(const std::string &text,
                              std::vector<Input> inputs, Tolerance tolerance,
                              uint64_t seed) {
  Comparison comparison(text, std::move(inputs), seed);
  if (!comparison.error().empty())
    return {.error = comparison.error()};
  const GpuShare share(text);
  Levels cpu = compareLevels(comparison, "cpu", "", tolerance);
  Levels gpu = compareLevels(comparison, std::string(share.target().name),
                             share.schedule().text(), tolerance);
  Result result;
  if (!cpu.error.empty())
    result.error = "cpu: " + cpu.error + "\n";
  if (!gpu.error.empty())
    result.error += share.name() + ": " + gpu.error;
  return result;
}

Result compareOnDevice(const std::string &text, std::vector<Input> inputs,
                       Tolerance tolerance, uint64_t seed) {
  if (device() == Device::levels)
    return compareOnLevels(text, std::move(inputs), tolerance, seed);
  return device() == Device::cpu
             ? compareRuns(text, std::move(inputs), tolerance, seed)
             : compareOnGpu(text, std::move(inputs), tolerance, seed);
}

void agree(const std::string &text, std::vector<Input> inputs,
           Tolerance tolerance, uint64_t seed) {
  // Ten times as many forms as elsewhere.
  constexpr unsigned oneIn = 16;
  if (device() == Device::levels && (numberOf(text) >> 20) % oneIn != 0)
    return;
  Result result = compareOnDevice(text, std::move(inputs), tolerance, seed);
  INFO(text);
  CHECK(result.error == "");
}

} // namespace tilewright::kerneltest
