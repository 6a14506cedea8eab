// Kernels agree where the scheduled level and the PTX, on the emulator, compute
// what the tile level does, no barrier is missing, and ptxas takes the PTX.
// Each kernel has its share of numbers of warps and of targets.
#include "test/codegen/cpu/Harness.h"
#include "test/ptxas/Ptxas.h"
#include "verify/barriers/BarrierCheck.h"

#include <catch2/catch.hpp>

namespace tilewright::cputest {

void agree(const std::string &text, std::vector<Input> inputs,
           Tolerance tolerance, uint64_t seed) {
  static unsigned turn = 0;
  schedule::GpuSchedule schedule;
  schedule.warps = 1u << turn % 4;
  const target::GpuTarget &target =
      target::gpuTargets()[turn % target::gpuTargets().size()];
  ++turn;
  INFO(text);
  CAPTURE(schedule.warps, target.name);
  auto check = [](tile::KernelOp kernel) {
    for (const verify::UnorderedAccesses &finding :
         verify::findUnordered(kernel))
      FAIL_CHECK(verify::describe(finding));
  };
  CHECK(compareScheduled(text, schedule, inputs, seed, check).error == "");
  StatusOr<KernelImage> image = compileForGpu(text, target, schedule);
  if (!image.ok())
    FAIL(image.status().message());
  CHECK(compareOnEmulator(text, *image, std::move(inputs), tolerance, seed)
            .error == "");
  if (!test::hasPtxas())
    return;
  test::Assembled assembled = test::assemble(image->code, target.name);
  INFO(image->code);
  INFO(assembled.log);
  CHECK(assembled.accepted);
}

} // namespace tilewright::cputest
