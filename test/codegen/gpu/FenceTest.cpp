// Fences of each order and scope, on each target. That they are where they
// belong is for the kernels of test/codegen/kernels.
#include "test/codegen/kernels/KernelText.h"
#include "test/ptxas/Ptxas.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using tilewright::KernelImage;
using tilewright::StatusOr;
namespace target = tilewright::target;
namespace test = tilewright::test;

TEST_CASE("fences: ptxas accepts them, and the emulator runs them") {
  for (const target::GpuTarget &target : target::gpuTargets())
    for (std::string scope : {"program", "cluster", "device", "system"})
      for (std::string order : {"acquire", "release", "acq_rel", "seq_cst"}) {
        KernelText k;
        Value x = k.load(tile("i32", {70}));
        k.line("tile.fence " + order + " " + scope);
        k.store(x);
        INFO(k.str());
        CAPTURE(target.name);
        StatusOr<KernelImage> image = compileForGpu(k.str(), target, {});
        if (!image.ok())
          FAIL(image.status().message());
        CHECK(compareOnEmulator(k.str(), *image, k.inputs).error == "");
        if (!test::hasPtxas())
          continue;
        test::Assembled assembled = test::assemble(image->code, target.name);
        INFO(assembled.log);
        CHECK(assembled.accepted);
      }
}
