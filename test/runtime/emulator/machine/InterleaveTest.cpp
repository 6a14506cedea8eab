// The warps of a block change at seeded points.
#include "Launcher.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

using namespace tilewright::emulator;
using Catch::Matchers::Contains;

static const std::optional<uint64_t> seeds[] = {std::nullopt, 1, 2, 3, 4, 5};

/// Each warp of 4 takes 8 numbers in a row, and writes its own to their places.
static Launcher takingNumbers() {
  Launcher launcher;
  launcher.block = {128, 1, 1};
  launcher.text = kernelText(R"(
mov.u32 %r0, %tid.x;
shr.u32 %r1, %r0, 5;
and.b32 %r0, %r0, 31;
setp.ne.u32 %p0, %r0, 0;
mov.u32 %r2, 0;
LOOP:
@%p0 bra NEXT;
atom.shared.add.u32 %r3, [next], 1;
mul.wide.u32 %d0, %r3, 4;
add.u64 %d0, %d0, %data;
st.global.u32 [%d0], %r1;
NEXT:
add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, 8;
@%p1 bra LOOP;
)",
                             ".shared .align 4 .u32 next;");
  launcher.data.resize(32);
  return launcher;
}

TEST_CASE("interleave: warps change, as the seed says") {
  std::set<std::vector<uint32_t>> orders;
  for (std::optional<uint64_t> seed : seeds) {
    Launcher launcher = takingNumbers();
    launcher.options.interleave = seed;
    REQUIRE(launcher.run() == "");
    const std::vector<uint32_t> order = launcher.data;
    if (!seed)
      for (uint32_t i = 0; i < 32; ++i)
        CHECK(order[i] == i / 8);
    for (uint32_t warp = 0; warp < 4; ++warp)
      CHECK(std::count(order.begin(), order.end(), warp) == 8);
    orders.insert(order);
    REQUIRE(launcher.run() == "");
    CHECK(launcher.data == order);
  }
  CHECK(orders.size() == 6);
}

TEST_CASE("interleave: blocks repeat on any number of host threads") {
  std::vector<uint32_t> expected;
  for (unsigned threads : {1, 2, 5}) {
    Launcher launcher;
    launcher.grid = {16, 1, 1};
    launcher.block = {96, 1, 1};
    launcher.options.threads = threads;
    launcher.options.interleave = 7;
    // Which warp of its block is the last to write.
    launcher.text = kernelText(R"(
mov.u32 %r0, %ctaid.x;
mov.u32 %r1, %tid.x;
st.volatile.shared.u32 [last], %r1;
bar.sync 0;
ld.shared.u32 %r2, [last];
mul.wide.u32 %d0, %r0, 4;
add.u64 %d0, %d0, %data;
st.global.u32 [%d0], %r2;
)",
                               ".shared .align 4 .u32 last;");
    REQUIRE(launcher.run() == "");
    if (expected.empty())
      expected = launcher.data;
    CHECK(launcher.data == expected);
    CHECK(std::set(expected.begin(), expected.begin() + 16).size() > 1);
  }
}

TEST_CASE("interleave: a missing barrier shows") {
  // Warp 1 reads what warp 0 writes. Warp 0 runs first where warps do not
  // change.
  const std::string body = R"(
mov.u32 %r0, %tid.x;
setp.ge.u32 %p0, %r0, 32;
@%p0 bra READ;
mov.u32 %r1, 9;
st.shared.u32 [word], %r1;
bra DONE;
READ:
ld.shared.u32 %r2, [word];
st.global.u32 [%data], %r2;
DONE:
)";
  std::set<uint32_t> found;
  for (std::optional<uint64_t> seed : seeds) {
    Launcher launcher;
    launcher.block = {64, 1, 1};
    launcher.text = kernelText(body, ".shared .align 4 .u32 word;");
    launcher.options.interleave = seed;
    REQUIRE(launcher.run() == "");
    if (!seed)
      CHECK(launcher.data[0] == 9);
    found.insert(launcher.data[0]);
  }
  CHECK(found == std::set<uint32_t>{0, 9});
}

TEST_CASE("interleave: warps, and lanes of a warp, that wait make progress") {
  for (std::optional<uint64_t> seed : seeds) {
    Launcher launcher;
    launcher.options.interleave = seed;
    launcher.grid = {3, 1, 1};
    launcher.block = {96, 1, 1};
    launcher.text = kernelText(R"(
AGAIN:
atom.global.acquire.gpu.cas.b32 %r0, [%data], 0, 1;
setp.ne.u32 %p0, %r0, 0;
@%p0 bra AGAIN;
ld.volatile.global.u32 %r1, [%data+4];
add.u32 %r1, %r1, 1;
st.volatile.global.u32 [%data+4], %r1;
atom.global.release.gpu.exch.b32 %r0, [%data], 0;
)");
    REQUIRE(launcher.run() == "");
    CHECK(launcher.data[1] == 3 * 96);
  }
}

TEST_CASE("interleave: what is stuck is found") {
  for (std::optional<uint64_t> seed : seeds) {
    Launcher barrier;
    barrier.options.interleave = seed;
    barrier.block = {64, 1, 1};
    barrier.text = kernelText("mov.u32 %r0, %tid.x;\n"
                              "setp.lt.u32 %p0, %r0, 32;\n"
                              "@%p0 bar.sync 1, 64;\n@!%p0 bar.sync 2, 64;");
    CHECK_THAT(barrier.run(), Contains("deadlock: no warp can go on"));

    Launcher poll;
    poll.options.interleave = seed;
    poll.block = {64, 1, 1};
    poll.text = kernelText("WAIT:\nld.volatile.global.u32 %r2, [%data];\n"
                           "setp.eq.u32 %p0, %r2, 0;\n@%p0 bra WAIT;");
    CHECK_THAT(poll.run(), Contains("deadlock: no warp can go on"));

    Launcher endless;
    endless.options.interleave = seed;
    endless.options.maxInstructions = 100'000;
    endless.text = kernelText("LOOP:\nadd.u32 %r0, %r0, 1;\nbra LOOP;");
    CHECK_THAT(endless.run(),
               Contains("limit: expected at most 100000 instructions"));
  }
}

TEST_CASE("interleave: lanes that diverge meet where they do without it") {
  uint64_t expected = 0;
  for (std::optional<uint64_t> seed : seeds) {
    Launcher launcher;
    launcher.options.interleave = seed;
    launcher.block = {128, 1, 1};
    launcher.data.resize(129);
    // Loops of 0 to 6 iterations a lane, with accesses, and the active lanes
    // at the store behind.
    launcher.text = kernelText(R"(
mov.u32 %r0, %tid.x;
rem.u32 %r1, %r0, 7;
mov.u32 %r2, 0;
mul.wide.u32 %d0, %r0, 4;
add.u64 %d0, %d0, %data;
LOOP:
setp.eq.u32 %p0, %r1, 0;
@%p0 bra MEET;
and.b32 %r4, %r1, 1;
setp.eq.u32 %p1, %r4, 0;
@%p1 bra EVEN;
st.shared.u32 [word], %r1;
EVEN:
ld.global.u32 %r5, [%d0];
add.u32 %r2, %r2, 5;
sub.u32 %r1, %r1, 1;
bra LOOP;
MEET:
activemask.b32 %r3;
st.global.u32 [%d0], %r2;
st.global.u32 [%data+512], %r3;
)",
                               ".shared .align 4 .u32 word;");
    REQUIRE(launcher.run() == "");
    for (uint32_t thread = 0; thread < 128; ++thread)
      CHECK(launcher.data[thread] == thread % 7 * 5);
    CHECK(launcher.data[128] == ~0u);
    if (!seed)
      expected = launcher.executed;
    CHECK(launcher.executed == expected);
  }
}
