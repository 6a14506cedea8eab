// Faults of a kernel are reported with their location.
#include "Launcher.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;
using Catch::Matchers::Contains;

static Launcher launcherOf(const std::string &body,
                           const std::string &before = "") {
  Launcher launcher;
  launcher.text = kernelText(body, before);
  return launcher;
}

TEST_CASE("findings: out of bounds, with line, block, warp and lane") {
  Launcher launcher = launcherOf(R"(mov.u32 %r0, %ctaid.x;
mov.u32 %r1, %tid.x;
mad.lo.u32 %r2, %r0, 96, %r1;
mul.wide.u32 %d0, %r2, 4;
add.u64 %d0, %d0, %data;
st.global.u32 [%d0], 1;)");
  launcher.data.resize(141);
  launcher.block = {96, 1, 1};
  launcher.grid = {4, 1, 1};
  launcher.options.threads = 1;
  CHECK_THAT(launcher.run(), Contains("out-of-bounds: st of 4 bytes at 0x") &&
                                 Contains("it is 0 bytes beyond the end of the "
                                          "564 bytes"));
  REQUIRE(launcher.fault);
  CHECK(launcher.fault->at.line == 15);
  CHECK(launcher.fault->at.column == 1);
  CHECK(launcher.fault->block == Dim3{1, 0, 0});
  CHECK(launcher.fault->warp == 1);
  CHECK(launcher.fault->lane == 13);
  CHECK(launcher.fault->function == "k");
  // What came before is there; of the store that failed, nothing.
  CHECK(launcher.data[127] == 1);
  CHECK(launcher.data[128] == 0);
}

TEST_CASE("findings: between allocations, null, beyond shared and local") {
  CHECK_THAT(launcherOf("ld.global.u32 %r0, [%data+-4];").run(),
             Contains("out-of-bounds: ld of 4 bytes"));
  CHECK_THAT(launcherOf("mov.u64 %d0, 0;\nld.u32 %r0, [%d0];").run(),
             Contains("at 0x0: expected it inside an allocation"));
  CHECK_THAT(
      launcherOf("ld.shared.u32 %r0, [s+62];", ".shared .align 2 .b8 s[64];")
          .run(),
      Contains("misaligned: ld of 4 bytes at 0x3e: expected a multiple "
               "of 4"));
  CHECK_THAT(
      launcherOf("st.shared.u32 [s+64], 1;", ".shared .align 4 .b8 s[64];")
          .run(),
      Contains("expected it inside the block's 64 bytes of shared"));
  CHECK_THAT(launcherOf(".local .b32 l[4];\nst.local.u32 [l+4096], 1;").run(),
             Contains("bytes of local memory"));
  CHECK_THAT(launcherOf("st.global.u32 [c], 1;", ".const .b32 c = 5;").run(),
             Contains("c is not in .global"));
  CHECK_THAT(launcherOf("mov.u64 %d0, c;\ncvta.const.u64 %d0, %d0;\n"
                        "st.u32 [%d0], 1;",
                        ".const .b32 c = 5;")
                 .run(),
             Contains("expected memory that may be written"));
}

TEST_CASE("findings: memory that was never written") {
  Launcher global = launcherOf("ld.global.u32 %r0, [%data+8];");
  global.options.checkInitialized = true;
  CHECK(global.run() == "");
  global.startsUnwritten = true;
  CHECK_THAT(global.run(), Contains("uninitialized: ld of 4 bytes") &&
                               Contains("byte 0 was not"));
  const std::string shared = ".shared .align 4 .b8 s[64];";
  Launcher written =
      launcherOf("st.shared.u16 [s], 1;\nld.shared.u32 %r0, [s];", shared);
  CHECK(written.run() == "");
  written.options.checkInitialized = true;
  CHECK_THAT(written.run(), Contains("byte 2 was not"));
  CHECK_THAT(written.run(), Contains("uninitialized"));
}

TEST_CASE("findings: trap, and a failed assert") {
  Launcher trap = launcherOf("mov.u32 %r0, %tid.x;\n"
                             "setp.eq.u32 %p0, %r0, 9;\n@%p0 trap;");
  CHECK_THAT(trap.run(), Contains("trap: the kernel reached this trap"));
  CHECK(trap.fault->lane == 9);
}

TEST_CASE("findings: all warps stuck, and where they stand") {
  Launcher launcher = launcherOf(R"(mov.u32 %r0, %tid.x;
setp.lt.u32 %p0, %r0, 32;
@%p0 bra FIRST;
bar.sync 1, 96;
bra DONE;
FIRST:
bar.sync 2, 96;
DONE:)");
  launcher.block = {64, 1, 1};
  CHECK_THAT(launcher.run(), Contains("deadlock: no warp can go on") &&
                                 Contains("warp 0 at line 16") &&
                                 Contains("warp 1 at line 13"));
}

TEST_CASE("findings: a kernel that never ends stops at the limit") {
  Launcher launcher = launcherOf("LOOP:\nadd.u32 %r0, %r0, 1;\nbra LOOP;");
  launcher.options.maxInstructions = 100'000;
  CHECK_THAT(launcher.run(),
             Contains("limit: expected at most 100000 instructions"));
  CHECK(launcher.fault->at.line >= 10);
}

TEST_CASE("findings: lanes of one warp at two barriers are stuck") {
  Launcher launcher = launcherOf(R"(mov.u32 %r0, %tid.x;
setp.lt.u32 %p0, %r0, 16;
@%p0 bra FIRST;
bar.sync 1;
bra DONE;
FIRST:
bar.sync 2;
DONE:)");
  CHECK_THAT(launcher.run(), Contains("deadlock"));
}

TEST_CASE("findings: a shuffle without a lane of its mask waits for it") {
  Launcher launcher = launcherOf(R"(mov.u32 %r0, %tid.x;
setp.lt.u32 %p0, %r0, 16;
@%p0 bra HALF;
bra DONE;
HALF:
shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;
DONE:
bar.warp.sync -1;)");
  CHECK_THAT(launcher.run(), Contains("deadlock"));
}
