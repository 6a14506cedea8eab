// Runs each case on each registered device.
#include "Conformance.h"
#include "KernelsPtx.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/MappedFile.h"
#include <algorithm>
#include <catch2/catch.hpp>
#ifdef TILE_KERNELS
#include "verify/device/InterpreterDevice.h"
#endif

namespace tilewright::runtime::conformance {

//===----------------------------------------------------------------------===//
// Exclusions
//===----------------------------------------------------------------------===//

namespace {
enum class Kind { never, notYet };
struct Exclusion {
  std::string_view device;
  std::string_view test;
  Kind kind;
  std::string_view reason;
};
} // namespace

static constexpr Exclusion exclusions[] = {
#define EXCLUDE(DEVICE, CASE, KIND, REASON) {DEVICE, CASE, Kind::KIND, REASON},
#include "Exclusions.inc"
#undef EXCLUDE
};

static const Exclusion *findExclusion(std::string_view device,
                                      std::string_view test) {
  for (const Exclusion &exclusion : exclusions)
    if (exclusion.device == device && exclusion.test == test)
      return &exclusion;
  return nullptr;
}

/// What the suite says of a result: "" for good. `failure` is "" for a pass.
static std::string verdictOf(const Exclusion *exclusion,
                             const std::string &failure) {
  if (!exclusion)
    return failure;
  if (exclusion->kind == Kind::notYet && failure.empty())
    return "is excluded as 'not yet' (" + std::string(exclusion->reason) +
           ") and passes: remove the exclusion";
  return "";
}

static void runCases(std::span<const Case> cases) {
  for (const std::string &kind : DeviceRegistry::builtin().kinds()) {
    if (!onlyDevice().empty() && kind != onlyDevice())
      continue;
    auto device = openDevice(kind);
    if (!device.ok()) {
      INFO(device.status().message());
      CHECK(onlyDevice().empty());
      WARN("device '" << kind
                      << "' is not here: " << device.status().message());
      continue;
    }
    for (const Case &test : cases) {
      const Exclusion *exclusion = findExclusion(kind, test.name);
      if (exclusion && exclusion->kind == Kind::never)
        continue;
      std::string verdict = verdictOf(exclusion, test.run(*device));
      INFO(kind << ": " << test.name << ": " << verdict);
      CHECK(verdict.empty());
    }
  }
}

TEST_CASE("memory and copies") { runCases(memoryCases()); }
TEST_CASE("streams and events") { runCases(streamCases()); }
TEST_CASE("kernels and launches") { runCases(kernelCases()); }
TEST_CASE("blocks, shared memory and clusters") { runCases(gpuCases()); }

TEST_CASE("the table of exclusions is true") {
  auto kinds = DeviceRegistry::builtin().kinds();
  for (const Exclusion &exclusion : exclusions) {
    INFO(exclusion.device << ": " << exclusion.test);
    CHECK_FALSE(exclusion.reason.empty());
    CHECK(std::find(kinds.begin(), kinds.end(), exclusion.device) !=
          kinds.end());
    CHECK(findExclusion(exclusion.device, exclusion.test) == &exclusion);
    bool known = false;
    for (auto cases : {memoryCases(), streamCases(), kernelCases(), gpuCases()})
      for (const Case &test : cases)
        known |= test.name == exclusion.test;
    CHECK(known);
  }
}

#ifdef TILE_KERNELS
// References the compiler library, so that no linker drops it.
TEST_CASE("the interpreter opens without the registry") {
  CHECK(verify::makeInterpreterDevice()->info().name == "interpreter");
}
#endif

TEST_CASE("a 'not yet' that passes is a failure") {
  Exclusion notYet{"d", "c", Kind::notYet, "no time"};
  Exclusion never{"d", "c", Kind::never, "no sense"};
  CHECK(verdictOf(&notYet, "line 1").empty());
  CHECK_FALSE(verdictOf(&notYet, "").empty());
  CHECK(verdictOf(&never, "line 1").empty());
  CHECK(verdictOf(nullptr, "line 1") == "line 1");
  CHECK(verdictOf(nullptr, "").empty());
}

//===----------------------------------------------------------------------===//
// What the cases share
//===----------------------------------------------------------------------===//

static bool hasTarget(const Device &device, std::string_view target) {
  const auto &targets = device.info().targets;
  return std::find(targets.begin(), targets.end(), target) != targets.end();
}

/// A text that ends with the last brace: any truncation is an error.
static std::string trimmed(std::string text) {
  text.erase(text.find_last_of('}') + 1);
  return text;
}

std::string imageFor(const Device &device) {
  if (hasTarget(device, "cpu"))
    return readFile(CPU_KERNELS).ok() ? *readFile(CPU_KERNELS) : "";
  if (hasTarget(device, "sm_80"))
    return trimmed(kernelsPtx);
#ifdef TILE_KERNELS
  if (hasTarget(device, verify::interpreterName))
    return readFile(TILE_KERNELS).ok() ? trimmed(*readFile(TILE_KERNELS)) : "";
#endif
  return "";
}

std::string clusterImage() { return trimmed(clusterPtx); }

static KernelManifest kernelFor(const Device &device, const char *name) {
  KernelManifest kernel;
  kernel.name = kernel.entry = name;
  bool isGpu = hasTarget(device, "sm_80");
  kernel.target = isGpu ? "sm_80" : device.info().targets.front();
  kernel.image = isGpu ? "kernels/suite.ptx" : "kernels/suite";
  kernel.block = isGpu ? 32 : 1;
  return kernel;
}

KernelManifest programIds(const Device &device) {
  KernelManifest kernel = kernelFor(device, "program_ids");
  kernel.arguments = {KernelArgument::view(DType::I64, 3, {})};
  kernel.grid = {Expression::symbol("arg0.dim2"),
                 Expression::symbol("arg0.dim1"),
                 Expression::symbol("arg0.dim0")};
  return kernel;
}

KernelManifest multiplyAdd(const Device &device) {
  KernelManifest kernel = kernelFor(device, "multiply_add");
  kernel.arguments = {KernelArgument::view(DType::I64, 1, {}),
                      KernelArgument::scalar(), KernelArgument::scalar()};
  kernel.grid = {Expression::symbol("arg0.dim0")};
  return kernel;
}

KernelManifest tally(const Device &device, KernelWorkspace::Zeroed zeroed) {
  KernelManifest kernel = kernelFor(device, "tally");
  kernel.arguments = {KernelArgument::view(DType::I64, 1, {})};
  kernel.grid = {Expression::symbol("arg0.dim0")};
  kernel.workspace = {*Expression::parse("arg0.dim0 * 8"), zeroed};
  return kernel;
}

KernelManifest reverse(const Device &device, int64_t count) {
  KernelManifest kernel = kernelFor(device, "reverse");
  kernel.arguments = {KernelArgument::view(DType::I64, 1, {0})};
  kernel.grid = {Expression(1)};
  kernel.block = 256;
  kernel.shared = 8 * count;
  return kernel;
}

KernelManifest clusterRanks(int64_t blocks) {
  KernelManifest kernel;
  kernel.name = kernel.entry = "cluster_ranks";
  kernel.target = "sm_90";
  kernel.image = "kernels/cluster.ptx";
  kernel.arguments = {KernelArgument::view(DType::I64, 1, {})};
  kernel.grid = {Expression::symbol("arg0.dim0")};
  kernel.block = 32;
  kernel.cluster = {blocks, 1, 1};
  return kernel;
}

std::unique_ptr<Stream> makeStream(Device &device) {
  auto stream = device.createStream();
  return stream.ok() ? *std::move(stream) : nullptr;
}

std::shared_ptr<Buffer> makeBuffer(Device &device, size_t bytes) {
  auto buffer = device.allocate(bytes);
  return buffer.ok() ? *buffer : nullptr;
}

std::shared_ptr<Kernel> makeKernel(Device &device,
                                   const KernelManifest &manifest) {
  return makeKernel(device, manifest, imageFor(device));
}

std::shared_ptr<Kernel> makeKernel(Device &device,
                                   const KernelManifest &manifest,
                                   std::string_view image) {
  auto module =
      device.loadModule(std::as_bytes(std::span(image.data(), image.size())));
  if (!module.ok())
    return nullptr;
  auto kernel = (*module)->kernel(manifest);
  return kernel.ok() ? *kernel : nullptr;
}

Status launchMultiplyAdd(Stream &stream, const Kernel &kernel,
                         const Buffer &data, int64_t factor, int64_t term) {
  LaunchArgument arguments[] = {
      LaunchArgument::view(data, {int64_t(data.size() / 8)}),
      LaunchArgument::integer(factor), LaunchArgument::integer(term)};
  return launch(stream, kernel, arguments);
}

std::vector<int64_t> read(Stream &stream, const Buffer &buffer, size_t count) {
  std::vector<int64_t> data(count, -1);
  if (!stream.copyToHost(data.data(), buffer, 0, count * 8).ok() ||
      !stream.synchronize().ok())
    return {};
  return data;
}

Status write(Stream &stream, Buffer &buffer, const std::vector<int64_t> &data) {
  TILEWRIGHT_RETURN_IF_ERROR(
      stream.copyToDevice(buffer, 0, data.data(), data.size() * 8));
  return stream.synchronize();
}

} // namespace tilewright::runtime::conformance
