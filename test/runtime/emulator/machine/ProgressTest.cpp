// Lanes, warps and blocks that wait for one another all make progress.
#include "Launcher.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;

TEST_CASE("progress: lanes of a warp take turns, last lane first") {
  Launcher launcher;
  // Lane l waits until the word is l + 1, then writes l.
  launcher.text = kernelText(R"(
mov.u32 %r0, %tid.x;
add.u32 %r1, %r0, 1;
WAIT:
ld.volatile.global.u32 %r2, [%data];
setp.ne.u32 %p0, %r2, %r1;
@%p0 bra WAIT;
st.volatile.global.u32 [%data], %r0;
mul.wide.u32 %d0, %r0, 4;
add.u64 %d0, %d0, %data;
st.global.u32 [%d0+4], %r1;
)");
  launcher.data[0] = 32;
  REQUIRE(launcher.run() == "");
  CHECK(launcher.data[0] == 0);
  CHECK(launcher.data[32] == 32);
}

TEST_CASE("progress: a spin lock among lanes, warps and blocks") {
  Launcher launcher;
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

TEST_CASE("progress: the first block waits for the last") {
  Launcher launcher;
  launcher.grid = {200, 1, 1};
  launcher.text = kernelText(R"(
mov.u32 %r0, %ctaid.x;
setp.eq.u32 %p0, %r0, 0;
@%p0 bra FIRST;
atom.global.add.u32 %r1, [%data], 1;
bra DONE;
FIRST:
ld.acquire.gpu.global.u32 %r2, [%data];
setp.ne.u32 %p1, %r2, 6368;
@%p1 bra FIRST;
st.global.u32 [%data+4], 7;
DONE:
)");
  REQUIRE(launcher.run() == "");
  CHECK(launcher.data[0] == 199 * 32);
  CHECK(launcher.data[1] == 7);
}

TEST_CASE("progress: branches meet again before the store") {
  Launcher launcher;
  // The active lanes at the store: all, if both sides of the branch have met.
  launcher.text = kernelText(R"(
mov.u32 %r0, %tid.x;
and.b32 %r1, %r0, 3;
mov.u32 %r2, 0;
setp.eq.u32 %p0, %r1, 0;
@%p0 bra MEET;
LOOP:
add.u32 %r2, %r2, 5;
sub.u32 %r1, %r1, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra LOOP;
MEET:
activemask.b32 %r3;
mul.wide.u32 %d0, %r0, 4;
add.u64 %d0, %d0, %data;
st.global.u32 [%d0], %r2;
st.global.u32 [%data+128], %r3;
)");
  REQUIRE(launcher.run() == "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    CHECK(launcher.data[lane] == lane % 4 * 5);
  CHECK(launcher.data[32] == ~0u);
}

TEST_CASE("progress: barriers do not wait for threads that have ended") {
  Launcher launcher;
  launcher.block = {80, 1, 1};
  launcher.text = kernelText(R"(
mov.u32 %r0, %tid.x;
setp.ge.u32 %p0, %r0, 64;
@%p0 exit;
setp.eq.u32 %p1, %r0, 5;
@%p1 exit;
bar.sync 0;
atom.global.add.u32 %r1, [%data], 1;
)");
  REQUIRE(launcher.run() == "");
  CHECK(launcher.data[0] == 63);
}

TEST_CASE("progress: results do not depend on the number of threads") {
  std::vector<uint32_t> expected;
  for (unsigned threads : {1, 2, 5}) {
    Launcher launcher;
    launcher.options.threads = threads;
    launcher.grid = {16, 2, 2};
    // Sums of floats, whose order shows.
    launcher.text = kernelText(R"(
mov.u32 %r0, %ctaid.x;
mov.u32 %r1, %tid.x;
mad.lo.u32 %r0, %r0, 77, %r1;
cvt.rn.f32.u32 %r2, %r0;
rcp.rn.f32 %r2, %r2;
atom.global.add.f32 %r3, [%data], %r2;
)");
    launcher.options.seed = 1;
    REQUIRE(launcher.run() == "");
    if (expected.empty())
      expected = launcher.data;
    CHECK(launcher.data == expected);
  }
}
