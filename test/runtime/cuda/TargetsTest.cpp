#include "runtime/cuda/Targets.h"
#include "Fixture.h"
#include <catch2/catch.hpp>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

static bool runs(Capability device, std::string_view target, ImageKind kind) {
  return acceptsTarget(device, target, kind).ok();
}

TEST_CASE("PTX runs on its architecture and newer ones") {
  CHECK(runs({8, 0}, "sm_80", ImageKind::ptx));
  CHECK(runs({8, 9}, "sm_86", ImageKind::ptx));
  CHECK(runs({12, 1}, "sm_80", ImageKind::ptx));
  CHECK_FALSE(runs({8, 6}, "sm_89", ImageKind::ptx));
  CHECK_FALSE(runs({7, 5}, "sm_80", ImageKind::ptx));
}

TEST_CASE("a cubin runs on newer minor versions only") {
  CHECK(runs({8, 9}, "sm_80", ImageKind::cubin));
  CHECK(runs({8, 6}, "sm_86", ImageKind::cubin));
  CHECK_FALSE(runs({8, 0}, "sm_86", ImageKind::cubin));
  CHECK_FALSE(runs({9, 0}, "sm_89", ImageKind::cubin));
  CHECK_FALSE(runs({10, 0}, "sm_90", ImageKind::cubin));
}

TEST_CASE("code for sm_90a runs on 9.0 alone") {
  for (ImageKind kind : {ImageKind::ptx, ImageKind::cubin}) {
    CHECK(runs({9, 0}, "sm_90a", kind));
    CHECK_FALSE(runs({10, 0}, "sm_90a", kind));
    CHECK_FALSE(runs({8, 9}, "sm_90a", kind));
    CHECK(runs({10, 0}, "sm_100a", kind));
    CHECK_FALSE(runs({10, 3}, "sm_100a", kind));
    CHECK(runs({12, 0}, "sm_120a", kind));
  }
}

TEST_CASE("a rejection names both sides") {
  std::string message =
      acceptsTarget({8, 6}, "sm_90a", ImageKind::ptx).message();
  CHECK(message == "the kernel for sm_90a needs compute capability 9.0 "
                   "exactly, the device has 8.6");
  for (const char *wrong :
       {"cpu", "sm_", "sm_9", "sm_x", "sm_90b", "sm_-90", "sm_90a1"})
    CHECK_FALSE(runs({9, 0}, wrong, ImageKind::ptx));
}

TEST_CASE("the targets of a device, best first") {
  using List = std::vector<std::string>;
  CHECK(targetsOf({9, 0}) == List{"sm_90a", "sm_89", "sm_86", "sm_80"});
  CHECK(targetsOf({8, 6}) == List{"sm_86", "sm_80"});
  CHECK(targetsOf({12, 0}) == List{"sm_120a", "sm_89", "sm_86", "sm_80"});
  CHECK(targetsOf({10, 3}) == List{"sm_89", "sm_86", "sm_80"});
  CHECK(targetsOf({7, 5}).empty());
}
