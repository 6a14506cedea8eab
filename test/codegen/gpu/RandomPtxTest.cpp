// Random kernels as PTX: each compiles for some target, or is refused at an op
// that has no lowering yet; ptxas takes what compiles.
#include "test/codegen/cpu/Harness.h"
#include "test/codegen/cpu/RandomProgram.h"
#include "test/ptxas/Ptxas.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::cputest;

/// Ops that are never refused, whatever their elements.
static const char *const lowered[] = {
    "tile.join",      "tile.split",   "tile.slice", "tile.concat",
    "tile.gather",    "tile.sort",    "tile.scan",  "tile.top_k",
    "tile.histogram", "tile.reshape", "tilegpu."};

TEST_CASE("ptx: random kernels") {
  unsigned compiled = 0, refused = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    RandomProgram program(seed, /*hasFloats=*/seed % 2);
    KernelText &k = program.generate(1 + seed % 4);
    const target::GpuTarget &target =
        target::gpuTargets()[seed % target::gpuTargets().size()];
    schedule::Schedule schedule;
    schedule.warps = 1u << seed % 4;
    StatusOr<KernelImage> image = compileForGpu(k.str(), target, schedule);
    CAPTURE(seed, target.name);
    INFO(k.str());
    if (!image.ok()) {
      ++refused;
      CHECK_THAT(image.status().message(), Catch::Contains("yet"));
      for (const char *op : lowered)
        CHECK_THAT(image.status().message(), !Catch::Contains(op));
      continue;
    }
    ++compiled;
    if (!test::hasPtxas())
      continue;
    test::Assembled assembled = test::assemble(image->code, target.name);
    INFO(assembled.log);
    CHECK(assembled.accepted);
  }
  if (!test::hasPtxas())
    WARN("without ptxas: nothing judges the PTX");
  WARN(compiled << " kernels compiled, " << refused << " refused");
  CHECK(compiled > 20);
}
