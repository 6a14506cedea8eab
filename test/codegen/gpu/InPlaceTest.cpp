// Kernels that write what they read: whatever the sizes, no two threads touch
// one byte without a barrier between them, at the edges of views too.
#include "runtime/emulator/device/LoadedModule.h"
#include "runtime/emulator/machine/Scheduler.h"
#include "test/codegen/gpu/AccessLog.h"
#include "test/codegen/kernels/KernelText.h"
#include "tilewright/runtime/Launch.h"
#include <catch2/catch.hpp>
#include <cstring>

using namespace tilewright;
using namespace tilewright::test;

namespace {

/// A kernel over one view with two dimensions, and memory for it.
class InPlace {
public:
  InPlace(KernelImage image, int64_t elementBytes, int64_t mostElements)
      : manifest(std::move(image.manifest)) {
    data = *memory.allocate(uint64_t(mostElements * elementBytes), false);
    auto module = emulator::LoadedModule::load(memory, image.code);
    INFO(image.code);
    INFO(module.status().message());
    REQUIRE(module.ok());
    program = *(*module)->program(manifest.entry);
    loaded = *module;
  }

  /// The conflict of a launch, or its fault.
  std::string run(int64_t rows, int64_t columns) {
    runtime::LaunchArgument view;
    view.isView = true;
    view.address = data->address;
    view.bytes = data->bytes;
    view.dims = {rows, columns};
    auto plan = runtime::planLaunch(manifest, {&view, 1});
    if (!plan.ok())
      return plan.status().message();
    emulator::Launch launch;
    launch.program = program;
    launch.memory = memory.snapshot();
    for (unsigned dim = 0; dim < 3; ++dim)
      launch.grid[dim] = uint32_t(plan->grid[dim]);
    launch.block[0] = uint32_t(manifest.block);
    launch.dynamicShared = uint32_t(manifest.shared);
    launch.parameters.resize(plan->words.size() * 8);
    std::memcpy(launch.parameters.data(), plan->words.data(),
                launch.parameters.size());
    AccessLog log(launch);
    emulator::run(launch);
    if (launch.fault)
      return launch.fault->str();
    // A log that saw nothing says nothing.
    return log.size() == 0 ? "no byte was touched" : log.conflict();
  }

private:
  runtime::KernelManifest manifest;
  emulator::GlobalMemory memory;
  std::shared_ptr<emulator::Allocation> data;
  std::shared_ptr<emulator::LoadedModule> loaded;
  std::shared_ptr<const emulator::Program> program;
};

struct Element {
  std::string type, twice, zero;
  int64_t bytes;
};

} // namespace

static const Element elements[] = {{"i8", "arith.addi", "0", 1},
                                   {"f16", "arith.addf", "0.0", 2},
                                   {"f32", "arith.addf", "0.0", 4},
                                   {"f64", "arith.addf", "0.0", 8}};

static std::string viewOf(const Element &element) {
  return "!tile.view<?x?x" + element.type + ">";
}

/// Doubles each element, by tiles of 8x64.
static std::string doubling(const Element &element) {
  const std::string view = viewOf(element),
                    tile = "tensor<8x64x" + element.type + ">";
  return "tile.kernel @k(%x: " + view +
         ") grid affine_map<()[m, n] -> ((m ceildiv 8) * (n ceildiv 64))> {\n"
         "%id = tile.program_id\n%tiles = tile.count %x, 1 by 64 : " +
         view +
         "\n%i = arith.divui %id, %tiles : index\n"
         "%j = arith.remui %id, %tiles : index\n"
         "%a = tile.load %x[%i, %j] pad " +
         element.zero + " : " + view + " -> " + tile +
         "\n%b = " + element.twice + " %a, %a : " + tile +
         "\ntile.store %b, %x[%i, %j] : " + tile + ", " + view + "\n}\n";
}

/// Transposes a matrix of up to 32x32 elements.
static std::string transposing(const Element &element) {
  const std::string view = viewOf(element),
                    tile = "tensor<32x32x" + element.type + ">";
  return "tile.kernel @k(%x: " + view +
         ") {\n%c0 = arith.constant 0 : index\n"
         "%a = tile.load %x[%c0, %c0] pad " +
         element.zero + " : " + view + " -> " + tile +
         "\n%b = tile.transpose %a [1, 0] : " + tile + " -> " + tile +
         "\ntile.store %b, %x[%c0, %c0] : " + tile + ", " + view + "\n}\n";
}

static KernelImage compiled(const std::string &text, unsigned warps) {
  schedule::GpuSchedule schedule;
  schedule.warps = warps;
  INFO(text);
  StatusOr<KernelImage> image = kerneltest::compileForGpu(
      text, *target::findGpuTarget("sm_90a"), schedule);
  if (!image.ok())
    FAIL(image.status().message());
  return *std::move(image);
}

TEST_CASE("in place: elementwise kernels at all ragged sizes") {
  for (const Element &element : elements)
    for (unsigned warps : {1, 4}) {
      InPlace kernel(compiled(doubling(element), warps), element.bytes,
                     17 * 140);
      for (int64_t rows : {1, 7, 8, 17})
        for (int64_t columns = 1; columns <= 140; ++columns) {
          CAPTURE(element.type, warps, rows, columns);
          CHECK(kernel.run(rows, columns) == "");
        }
    }
}

TEST_CASE("in place: what threads exchange is ordered by barriers") {
  for (const Element &element : elements) {
    InPlace kernel(compiled(transposing(element), 4), element.bytes, 32 * 32);
    for (int64_t size = 1; size <= 32; ++size) {
      CAPTURE(element.type, size);
      CHECK(kernel.run(size, size) == "");
    }
  }
}

TEST_CASE("in place: two threads at one byte are found") {
  // Each thread reads its element and the next one's, and writes its own.
  KernelImage image = compiled(doubling(elements[2]), 1);
  image.code = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 m, .param .u64 n) {
.reg .b32 %t, %r<3>;
.reg .b64 %at, %d;
mov.u32 %t, %tid.x;
mul.wide.u32 %d, %t, 4;
ld.param.u64 %at, [data];
add.u64 %at, %at, %d;
ld.global.u32 %r0, [%at + 4];
BARRIER
st.global.u32 [%at], %r0;
ret;
}
)";
  const size_t at = image.code.find("BARRIER");
  KernelImage ordered = image;
  ordered.code.replace(at, 7, "bar.sync 0;");
  image.code.replace(at, 7, "");
  CHECK(InPlace(ordered, 4, 64).run(1, 33) == "");
  CHECK(InPlace(image, 4, 64).run(1, 33).find("thread 1 of block 0 writes") ==
        0);
}
