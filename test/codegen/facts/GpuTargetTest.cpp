// The tables of GPUs, against ptxas where available, and occupancy computed by
// hand.
#include "tilewright/codegen/GpuTarget.h"
#include "test/main/TestMain.h"
#include "test/ptxas/Ptxas.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::target;

/// Whether ptxas takes a kernel for `target` in PTX of version `version` / 10.
static bool takes(const GpuTarget &target, unsigned version) {
  std::string text = ".version " + std::to_string(version / 10) + "." +
                     std::to_string(version % 10) + "\n.target " +
                     std::string(target.name) +
                     "\n.address_size 64\n.visible .entry k() { ret; }\n";
  return test::assemble(text, target.name).accepted;
}

TEST_CASE("target: each is found by its name, others are not") {
  for (const GpuTarget &target : gpuTargets())
    CHECK(findGpuTarget(target.name) == &target);
  CHECK(findGpuTarget("sm_75") == nullptr);
  CHECK(findGpuTarget("sm_90") == nullptr);
  CHECK(gpuTargetNames() == "sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a");
}

TEST_CASE("target: the PTX version is the first that knows the target") {
  if (!test::hasPtxas())
    return test::skip("no ptxas was found");
  for (const GpuTarget &target : gpuTargets()) {
    CAPTURE(target.name);
    CHECK(takes(target, target.ptxVersion));
    unsigned before = target.ptxVersion == 70   ? 65
                      : target.ptxVersion == 80 ? 78
                                                : target.ptxVersion - 1;
    CHECK_FALSE(takes(target, before));
  }
}

TEST_CASE("target: a multiprocessor's share of a block") {
  const GpuTarget &a100 = *findGpuTarget("sm_80");
  const GpuTarget &ada = *findGpuTarget("sm_89");
  const GpuTarget &h100 = *findGpuTarget("sm_90a");
  CHECK(h100.blockShared() == 232448);
  CHECK(ada.blockShared() == 101376);

  // 4 warps of 64 registers: 8192 registers a block, 8 blocks.
  Occupancy o = occupancy({128, 0, 64}, a100);
  CHECK(o.blocks == 8);
  CHECK(o.limit == Occupancy::Limit::registers);
  CHECK(o.warps == 0.5);
  // 1 warp of few registers: the number of blocks.
  o = occupancy({32, 0, 16}, ada);
  CHECK(o.blocks == 24);
  CHECK(limitName(o.limit) == "blocks");
  CHECK(o.warps == 0.5);
  // 32 warps: one block on 48 warps, two on 64.
  CHECK(occupancy({1024, 0, 32}, ada).blocks == 1);
  CHECK(occupancy({1024, 0, 32}, h100).blocks == 2);
  CHECK(occupancy({1024, 0, 32}, ada).limit == Occupancy::Limit::warps);
  // 100 KiB of shared memory: two of 101 KiB in 228.
  o = occupancy({128, 100 * 1024, 32}, h100);
  CHECK(o.blocks == 2);
  CHECK(o.limit == Occupancy::Limit::shared);
  // Register units: 33 registers of 32 threads take 1280, not 1056; a quarter
  // of 65536 has room for 12 such warps.
  CHECK(occupancy({128, 0, 33}, a100).blocks == 12);
}

TEST_CASE("target: what its memory can do") {
  for (const GpuTarget &target : gpuTargets()) {
    CAPTURE(target.name);
    bool isNew = target.name != "sm_80" && target.name != "sm_86" &&
                 target.name != "sm_89";
    CHECK(target.hasClusters() == isNew);
    CHECK(target.hasAtomicAddBf16() == isNew);
    CHECK(target.hasAtomicAddVector() == isNew);
  }
}
