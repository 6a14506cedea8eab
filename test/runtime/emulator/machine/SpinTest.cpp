// Blocks that wait for what other blocks write.
#include "Launcher.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;
using Catch::Matchers::Contains;

namespace {

/// Thread 0 of block `waiter` runs `look`, which sets %p1 where it need not
/// wait; all threads of the block read its answer from shared memory, between
/// two barriers, as Triton writes locks. Then it stores 7 to data[1]. Other
/// blocks run `other`.
std::string handshake(const std::string &look, const std::string &other,
                      const std::string &waiter = "0") {
  return kernelText(R"(
mov.u32 %r0, %tid.x;
mov.u32 %r1, %ctaid.x;
setp.eq.u32 %p0, %r0, 0;
setp.ne.u32 %p2, %r1, )" +
                        waiter + R"(;
mov.u32 %r10, 0;
@%p2 bra OTHER;
WAIT:
bar.sync 0;
@!%p0 bra READ;
)" + look + R"(
selp.b32 %r4, 1, 0, %p1;
st.shared.b32 [answer], %r4;
READ:
bar.sync 0;
ld.shared.b32 %r5, [answer];
setp.ne.b32 %p3, %r5, 1;
@%p3 bra WAIT;
mov.b32 %r6, 7;
@%p0 st.global.b32 [%data+4], %r6;
ret;
OTHER:
)" + other,
                    ".shared .align 4 .b32 answer;");
}

const std::string lookAtFlag = R"(
ld.acquire.gpu.global.u32 %r3, [%data];
setp.ne.u32 %p1, %r3, 0;
)";
const std::string setFlag = R"(
mov.b32 %r6, 1;
@%p0 st.release.gpu.global.u32 [%data], %r6;
)";

/// Runs it in the default order, and in others.
void checkInEachOrder(Launcher &launcher, const std::function<void()> &check) {
  const std::vector<uint32_t> before = launcher.data;
  for (std::optional<uint64_t> seed :
       {std::optional<uint64_t>(), std::optional<uint64_t>(1),
        std::optional<uint64_t>(2)}) {
    launcher.options.interleave = seed;
    launcher.data = before;
    REQUIRE(launcher.run() == "");
    check();
  }
}

void checkDone(Launcher &launcher) {
  checkInEachOrder(launcher, [&] { CHECK(launcher.data[1] == 7); });
}

Launcher launcherOf(const std::string &text, uint32_t grid,
                    uint32_t block = 64) {
  Launcher launcher;
  launcher.text = text;
  launcher.grid = {grid, 1, 1};
  launcher.block = {block, 1, 1};
  return launcher;
}

} // namespace

TEST_CASE("spin: a block waits, between barriers, for one that comes later") {
  SECTION("acquire") {
    Launcher launcher = launcherOf(handshake(lookAtFlag, setFlag), 2);
    checkDone(launcher);
  }
  SECTION("compare and swap, as Triton's locks") {
    Launcher launcher = launcherOf(handshake(R"(
mov.b32 %r7, 1;
atom.global.acq_rel.gpu.cas.b32 %r3, [%data], %r7, %r7;
setp.eq.u32 %p1, %r3, 1;
)",
                                             setFlag),
                                   2);
    checkDone(launcher);
  }
  SECTION("it sleeps") {
    Launcher launcher =
        launcherOf(handshake(lookAtFlag + "nanosleep.u32 100;\n", setFlag), 2);
    checkDone(launcher);
  }
  SECTION("it counts its tries") {
    Launcher launcher = launcherOf(
        handshake(lookAtFlag + "add.u32 %r10, %r10, 1;\n", setFlag), 2);
    checkDone(launcher);
  }
  SECTION("it is the last block") {
    Launcher launcher = launcherOf(handshake(lookAtFlag, setFlag, "5"), 6);
    checkDone(launcher);
  }
  SECTION("two flags") {
    Launcher launcher = launcherOf(handshake(R"(
ld.acquire.gpu.global.u32 %r3, [%data+16];
ld.acquire.gpu.global.u32 %r7, [%data+20];
add.u32 %r3, %r3, %r7;
setp.eq.u32 %p1, %r3, 2;
)",
                                             R"(
@!%p0 ret;
mul.wide.u32 %d0, %r1, 4;
add.u64 %d0, %d0, %data;
mov.b32 %r6, 1;
st.release.gpu.global.u32 [%d0+12], %r6;
)"),
                                   3);
    checkDone(launcher);
  }
  SECTION("the loads have no order") {
    for (unsigned threads : {1, 2}) {
      Launcher launcher = launcherOf(handshake(R"(
ld.global.u32 %r3, [%data];
setp.ne.u32 %p1, %r3, 0;
)",
                                               R"(
mov.b32 %r6, 1;
@%p0 st.global.u32 [%data], %r6;
)"),
                                     2);
      launcher.options.threads = threads;
      checkDone(launcher);
    }
  }
}

TEST_CASE("spin: a block counts its tries in global memory") {
  Launcher launcher = launcherOf(
      handshake(lookAtFlag + "red.global.add.u32 [%data+8], 1;\n", setFlag), 2,
      32);
  REQUIRE(launcher.run() == "");
  CHECK(launcher.data[1] == 7);
}

TEST_CASE("spin: the first of 200 blocks waits for the last") {
  Launcher launcher = launcherOf(handshake(R"(
ld.acquire.gpu.global.u32 %r3, [%data];
setp.eq.u32 %p1, %r3, 199;
)",
                                           R"(
// Each waits for the block behind it.
sub.u32 %r2, 199, %r1;
AGAIN:
bar.sync 0;
@!%p0 bra KNOWN;
ld.acquire.gpu.global.u32 %r3, [%data];
st.shared.b32 [answer], %r3;
KNOWN:
bar.sync 0;
ld.shared.b32 %r3, [answer];
setp.ne.u32 %p4, %r3, %r2;
@%p4 bra AGAIN;
@%p0 red.release.gpu.global.add.u32 [%data], 1;
)"),
                                 200);
  REQUIRE(launcher.run() == "");
  CHECK(launcher.data[1] == 7);
  // Blocks that wait do not run all the time.
  CHECK(launcher.executed < 200'000'000);
}

TEST_CASE("spin: locks whose loop has a barrier") {
  const std::string acquire = R"(
AGAIN:
bar.sync 0;
@!%p0 bra READ;
)",
                    loop = R"(
st.shared.b32 [answer], %r4;
READ:
bar.sync 0;
ld.shared.b32 %r5, [answer];
setp.ne.b32 %p3, %r5, 1;
@%p3 bra AGAIN;
// Each thread of the block, one after another, under the lock.
atom.shared.add.u32 %r6, [entries], 1;
ld.volatile.global.u32 %r7, [%data+4];
bar.sync 0;
add.u32 %r7, %r7, 1;
@%p0 st.volatile.global.u32 [%data+4], %r7;
bar.sync 0;
)";
  const std::string start = "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p0, %r0, 0;\n";
  const std::string variables =
      ".shared .align 4 .b32 answer;\n.shared .align 4 .b32 entries;";
  SECTION("compare and swap") {
    Launcher launcher = launcherOf(kernelText(start + acquire + R"(
atom.global.acquire.gpu.cas.b32 %r3, [%data], 0, 1;
setp.eq.u32 %p1, %r3, 0;
selp.b32 %r4, 1, 0, %p1;
)" + loop + "@%p0 atom.global.release.gpu.exch.b32 %r8, [%data], 0;\n",
                                              variables),
                                   24);
    checkInEachOrder(launcher, [&] { CHECK(launcher.data[1] == 24); });
  }
  SECTION("tickets") {
    Launcher launcher = launcherOf(
        kernelText(start + "@%p0 atom.global.add.u32 %r9, [%data], 1;\n" +
                       acquire + R"(
ld.acquire.gpu.global.u32 %r3, [%data+8];
setp.eq.u32 %p1, %r3, %r9;
selp.b32 %r4, 1, 0, %p1;
)" + loop + "@%p0 red.release.gpu.global.add.u32 [%data+8], 1;\n",
                   variables),
        24);
    checkInEachOrder(launcher, [&] { CHECK(launcher.data[1] == 24); });
  }
}

/// All threads of all blocks meet, then each adds to data[1] what it reads of
/// data[0].
static std::string gridBarrier(uint32_t blocks) {
  return kernelText(R"(
mov.u32 %r0, %tid.x;
setp.eq.u32 %p0, %r0, 0;
bar.sync 0;
@!%p0 bra MEET;
red.release.gpu.global.add.u32 [%data], 1;
WAIT:
ld.acquire.gpu.global.u32 %r1, [%data];
setp.ne.u32 %p1, %r1, )" +
                    std::to_string(blocks) + R"(;
@%p1 bra WAIT;
red.global.add.u32 [%data+4], %r1;
MEET:
bar.sync 0;
)");
}

TEST_CASE("spin: all blocks of a grid meet") {
  Launcher launcher = launcherOf(gridBarrier(300), 300);
  checkInEachOrder(launcher, [&] { CHECK(launcher.data[1] == 300 * 300); });
}

TEST_CASE("spin: more blocks meet than there is room for") {
  Launcher launcher = launcherOf(gridBarrier(300), 300);
  launcher.options.maxMemory = 1 << 20;
  CHECK_THAT(launcher.run(),
             Contains("deadlock: no warp can go on: block 0,0,0 warp 0 looks "
                      "at 0x100000000000 (argument 0, 'data') at line 17; "
                      "block 0,0,0 warp 1 at line 22; block 1,0,0 warp 0") &&
                 Contains("of 300 blocks have not begun: there is only room "
                          "for ") &&
                 Contains("at a time, with 1048576 bytes for registers"));
}

TEST_CASE("spin: clusters wait for a later cluster") {
  Launcher launcher = launcherOf(kernelText(R"(
mov.u32 %r0, %ctaid.x;
setp.ge.u32 %p0, %r0, 2;
@%p0 bra SET;
WAIT:
barrier.cluster.arrive;
barrier.cluster.wait;
ld.acquire.gpu.global.u32 %r1, [%data];
setp.eq.u32 %p1, %r1, 0;
@%p1 bra WAIT;
atom.global.add.u32 %r2, [%data+4], 1;
ret;
SET:
mov.b32 %r1, 1;
st.release.gpu.global.u32 [%data], %r1;
)"),
                                 4, 32);
  launcher.cluster = {2, 1, 1};
  checkInEachOrder(launcher, [&] { CHECK(launcher.data[1] == 64); });
}

TEST_CASE("spin: nobody writes") {
  Launcher launcher = launcherOf(handshake(lookAtFlag, ""), 3);
  for (uint64_t seed : {0, 1, 2}) {
    launcher.options.interleave.reset();
    if (seed)
      launcher.options.interleave = seed;
    CHECK_THAT(launcher.run(),
               Contains("deadlock: no warp can go on: warp 0 looks at "
                        "0x100000000000 (argument 0, 'data') at line 21; "
                        "warp 1 at line "));
    CHECK(launcher.fault->at.line == 21);
    CHECK(launcher.fault->address == 0x100000000000);
    CHECK(launcher.fault->block == Dim3{0, 0, 0});
  }
}

TEST_CASE("spin: nobody else can write") {
  // The finding is the same on any number of threads.
  auto check = [](const std::string &body, const std::string &expected) {
    for (unsigned threads : {1, 3}) {
      Launcher launcher =
          launcherOf(kernelText(body, ".shared .align 4 .b32 word;"), 3, 32);
      launcher.options.threads = threads;
      CHECK_THAT(launcher.run(), Contains(expected));
    }
  };
  check("L: bra L;", "deadlock: no warp can go on: block 0,0,0 warp 0 at line");
  check(R"(
mov.b32 %r0, 0;
st.shared.b32 [word], %r0;
L:
ld.volatile.shared.b32 %r0, [word];
setp.eq.b32 %p0, %r0, 0;
@%p0 bra L;
)",
        "deadlock: no warp can go on: block 0,0,0 warp 0 at line");
  check(R"(
L:
ld.global.b32 %r0, [%data];
setp.eq.b32 %p0, %r0, 0;
mov.b32 %r1, 0;
st.global.b32 [%data+4], %r1;
@%p0 bra L;
)",
        "deadlock: no warp can go on: block 0,0,0 warp 0 at line");
}

TEST_CASE("spin: a limit of instructions without effect") {
  auto run = [](const std::string &body) {
    Launcher launcher =
        launcherOf(kernelText(body, ".shared .align 4 .b32 word;"), 1, 64);
    launcher.options.maxIdleInstructions = 5'000'000;
    return launcher.run();
  };
  const std::string expected = "expected that global memory changes or a warp "
                               "ends within 5000000 instructions of warps: ";
  CHECK_THAT(run("L: add.u32 %r0, %r0, 1;\nbra L;"),
             Contains("limit: " + expected + "warp 0 at line "));
  // To memory that no other block sees; the same bits to memory that it sees.
  CHECK_THAT(run("L: add.u32 %r0, %r0, 1;\nst.shared.u32 [word], %r0;\n"
                 "st.global.u32 [%data], 0;\nbra L;"),
             Contains("limit: " + expected));
  CHECK_THAT(run("L: add.u32 %r0, %r0, 1;\nbar.sync 0;\n"
                 "ld.acquire.gpu.global.u32 %r1, [%data];\n"
                 "setp.eq.u32 %p0, %r1, 0;\n@%p0 bra L;"),
             Contains("deadlock: " + expected + "warp 0 looks at "));
  // Sixty million instructions, of which each million changes a word.
  const std::string works = R"(
mov.u32 %r3, 0;
NEXT:
mov.u32 %r0, 0;
L: add.u32 %r0, %r0, 1;
setp.ne.u32 %p0, %r0, 150000;
@%p0 bra L;
add.u32 %r3, %r3, 1;
st.global.u32 [%data], %r3;
setp.ne.u32 %p0, %r3, 60;
@%p0 bra NEXT;
)";
  CHECK(run(works) == "");
}

TEST_CASE("spin: warps that compute while others wait for them") {
  // Warp 0 polls what warp 1 writes after many barriers of its own.
  const std::string text = kernelText(R"(
mov.u32 %r0, %tid.x;
setp.ge.u32 %p0, %r0, 32;
@%p0 bra WORK;
WAIT:
ld.acquire.gpu.global.u32 %r1, [%data];
setp.eq.u32 %p1, %r1, 0;
@%p1 bra WAIT;
st.global.u32 [%data+4], %r1;
ret;
WORK:
mov.u32 %r2, 0;
AGAIN:
bar.sync 1, 64;
add.u32 %r2, %r2, 1;
setp.ne.u32 %p1, %r2, 20000;
@%p1 bra AGAIN;
st.release.gpu.global.u32 [%data], %r2;
)");
  Launcher launcher = launcherOf(text, 1, 96);
  REQUIRE(launcher.run() == "");
  CHECK(launcher.data[1] == 20000);
}

TEST_CASE("spin: a warp that sleeps often ends one day") {
  Launcher launcher = launcherOf(kernelText(R"(
mov.u32 %r0, 0;
L: nanosleep.u32 1000;
add.u32 %r0, %r0, 1;
setp.ne.u32 %p0, %r0, 20000;
@%p0 bra L;
st.global.u32 [%data], %r0;
)"),
                                 1, 32);
  REQUIRE(launcher.run() == "");
  CHECK(launcher.data[0] == 20000);
}

TEST_CASE("spin: progress, and an end from outside") {
  Launcher launcher =
      launcherOf(kernelText("L: add.u32 %r0, %r0, 1;\nbra L;"), 2, 32);
  std::vector<LaunchProgress> seen;
  launcher.watch = [&](Launch &launch) {
    launch.progress = [&](const LaunchProgress &progress) {
      seen.push_back(progress);
      if (seen.size() == 3)
        launch.interrupt("enough");
    };
  };
  launcher.options.threads = 1;
  CHECK_THAT(launcher.run(), Contains("limit: enough: warp 0 at line "));
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].blocks == 2);
  CHECK(seen[0].endedBlocks == 0);
  CHECK(seen[0].instructions > 1'000'000);
  CHECK(seen[2].instructions > seen[0].instructions);
  CHECK(seen[2].idleInstructions == seen[2].instructions);
}
