// Random kernels as PTX: each compiles for some target, computes on the
// emulator what the interpreter does, and ptxas takes it.
#include "test/codegen/cpu/Harness.h"
#include "test/codegen/cpu/RandomProgram.h"
#include "test/ptxas/Ptxas.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::cputest;

TEST_CASE("ptx: random kernels") {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    RandomProgram program(seed, /*hasFloats=*/seed % 2);
    KernelText &k = program.generate(2 + seed % 8);
    const target::GpuTarget &target =
        target::gpuTargets()[seed % target::gpuTargets().size()];
    schedule::Schedule schedule;
    schedule.warps = 1u << seed % 4;
    StatusOr<KernelImage> image = compileForGpu(k.str(), target, schedule);
    CAPTURE(seed, target.name);
    INFO(k.str());
    if (!image.ok()) {
      FAIL_CHECK(image.status().message());
      continue;
    }
    CHECK(compareOnEmulator(k.str(), *image, k.inputs, {}, seed).error == "");
    if (!test::hasPtxas())
      continue;
    test::Assembled assembled = test::assemble(image->code, target.name);
    INFO(assembled.log);
    CHECK(assembled.accepted);
  }
  if (!test::hasPtxas())
    WARN("without ptxas: nothing judges the PTX's spelling");
}
