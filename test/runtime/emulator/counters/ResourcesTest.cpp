// Registers that live at one time, and how many blocks fit.
#include "runtime/emulator/counters/Occupancy.h"
#include "runtime/emulator/counters/Registers.h"
#include "test/runtime/emulator/counters/Counted.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;

/// Of the kernel around `body`: %data takes two registers as long as it is
/// needed, %tile and %thread take one each.
static RegisterEstimate estimate(const std::string &body,
                                 const std::string &functions = "") {
  return estimateRegisters(*programOf(body, functions));
}

TEST_CASE("registers: what nobody reads dies at once", "[emulator][counters]") {
  // %data (2) and, before it is written to memory, %thread. %tile is not
  // read, but its mov needs a location for it.
  RegisterEstimate found = estimate("st.global.b32 [%data], %thread;");
  CHECK(found.live == 3);
  CHECK(found.predicates == 0);
}

TEST_CASE("registers: widths", "[emulator][counters]") {
  // %data, and three registers of 16 (one), 32 (one) and 64 bits (two).
  RegisterEstimate found = estimate(R"(
mov.b16 %h1, 1;
mov.b32 %r1, 1;
mov.b64 %rd1, 1;
st.global.b16 [%data], %h1;
st.global.b32 [%data], %r1;
st.global.b64 [%data], %rd1;
)");
  CHECK(found.live == 2 + 1 + 1 + 2);
}

TEST_CASE("registers: an instruction may write one twice",
          "[emulator][counters]") {
  RegisterEstimate found = estimate(R"(
mov.b64 %rd1, 1;
mov.b64 {%r1, %r1}, %rd1;
st.global.b32 [%data], %r1;
)");
  CHECK(found.live == 2 + 2);
}

TEST_CASE("registers: what a loop needs lives all through it",
          "[emulator][counters]") {
  // %data, %thread, %r1 and %r2; %r2 is only read behind the loop.
  RegisterEstimate found = estimate(R"(
mov.u32 %r1, 0;
mov.u32 %r2, 5;
again:
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, %thread;
@%p1 bra again;
st.global.b32 [%data], %r2;
)");
  CHECK(found.live == 5);
  CHECK(found.predicates == 1);
}

TEST_CASE("registers: what the next round reads lives to the end of this one",
          "[emulator][counters]") {
  // Where %r4, %r5 and %r6 are needed: %data, %thread, %r1, and %r3 again.
  RegisterEstimate found = estimate(R"(
mov.u32 %r1, 0;
mov.u32 %r3, 9;
again:
add.u32 %r1, %r1, %r3;
setp.eq.u32 %p1, %r1, 18;
@%p1 bra skip;
mov.u32 %r4, 1;
mov.u32 %r5, 2;
mov.u32 %r6, 3;
st.global.b32 [%data], %r4;
st.global.b32 [%data], %r5;
st.global.b32 [%data], %r6;
skip:
setp.lt.u32 %p1, %r1, %thread;
@%p1 bra again;
)");
  CHECK(found.live == 5 + 3);
}

TEST_CASE("registers: a result that a guard may leave out keeps what it had",
          "[emulator][counters]") {
  // Before the guarded mov %data, %r1, %r2 and %r3 are needed.
  RegisterEstimate found = estimate(R"(
setp.eq.u32 %p1, %thread, 0;
mov.u32 %r1, 5;
mov.u32 %r2, 7;
mov.u32 %r3, 9;
@%p1 mov.u32 %r1, %r3;
add.u32 %r1, %r1, %r2;
st.global.b32 [%data], %r1;
)");
  CHECK(found.live == 5);
}

TEST_CASE("registers: the ways of a branch do not add up",
          "[emulator][counters]") {
  const std::string way = R"(
mov.u32 %r1, 1;
mov.u32 %r2, 2;
mov.u32 %r3, 3;
add.u32 %r1, %r1, %r2;
add.u32 %r1, %r1, %r3;
st.global.b32 [%data], %r1;
)";
  RegisterEstimate found =
      estimate("setp.eq.u32 %p1, %thread, 0;\n"
               "@%p1 bra other;\n" +
               way + "bra done;\nother:\n" + way + "done:\n");
  CHECK(found.live == 5);
}

TEST_CASE("registers: wgmma needs what its results held",
          "[emulator][counters]") {
  // Four accumulators and a descriptor (2).
  RegisterEstimate found = estimate(R"(
mov.b64 %rd1, 0;
mov.b32 %f1, 0f00000000;
mov.b32 %f2, 0f00000000;
mov.b32 %f3, 0f00000000;
mov.b32 %f4, 0f00000000;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd1, 1, 1, 1, 0, 0;
)");
  CHECK(found.live == 6);
}

TEST_CASE("registers: arithmetic may run just before what needs it",
          "[emulator][counters]") {
  // Six numbers, from each of which two more are made.
  const auto number = [](int i, int of) {
    return "%r" + std::to_string(3 * i + of + 1);
  };
  std::string loads, step[2], stores;
  for (int i = 0; i < 6; ++i) {
    const std::string x = number(i, 0), y = number(i, 1), z = number(i, 2);
    loads += "ld.global.b32 " + x + ", [%data];\n";
    step[0] += "add.u32 " + y + ", " + x + ", 1;\n";
    step[1] += "add.u32 " + z + ", " + x + ", 2;\n";
    stores += "add.u32 " + x + ", " + y + ", " + z + ";\n" +
              "st.global.b32 [%data], " + x + ";\n";
  }
  RegisterEstimate found = estimate(loads + step[0] + step[1] + stores);
  // %data and two of each; late, only one number has two at a time.
  CHECK(found.live == 2 + 2 * 6);
  CHECK(found.registers == 8 + (4 * (2 + 6 + 1) + 4) / 5);
  // A loop's counter is read again by the next turn, however late it changes.
  found = estimate(R"(
mov.u32 %r1, 0;
again:
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 9;
st.global.b32 [%data], %r1;
@%p1 bra again;
)");
  CHECK(found.registers == 8 + (4 * 3 + 4) / 5);
}

TEST_CASE("registers: a call reads its arguments and writes its results",
          "[emulator][counters]") {
  // Before the call: %data, %r1, %r2, %r3.
  const std::string body = R"(
mov.u32 %r1, 1;
mov.u32 %r2, 2;
mov.u32 %r3, 3;
call (%r4), sum, (%r1, %r2);
add.u32 %r4, %r4, %r3;
st.global.b32 [%data], %r4;
)";
  const std::string sum = R"(
.func (.reg .b32 out) sum(.reg .b32 a, .reg .b32 b) {
add.u32 out, a, b;
ret;
}
)";
  CHECK(estimate(body, sum).live == 5);
}

//===--- Occupancy --------------------------------------------------------===//

static Occupancy on(std::string_view target, const BlockNeeds &needs) {
  for (const Multiprocessor &multiprocessor : multiprocessors())
    if (multiprocessor.target == target)
      return occupancyOn(multiprocessor, needs);
  FAIL("no such target");
  return {};
}

TEST_CASE("occupancy by what there is not enough of", "[emulator][counters]") {
  struct Case {
    std::string_view target;
    BlockNeeds needs;
    uint32_t blocks, warps;
    std::string_view limit;
  };
  auto [target, needs, blocks, warps, limit] = GENERATE(
      // 64 warps of 8 each; registers for 64 warps of 32.
      Case{"sm_90a", {32, 256, 0}, 8, 64, "warps"},
      Case{"sm_86", {32, 256, 0}, 6, 48, "warps"},
      // A block of 10 threads is a warp.
      Case{"sm_80", {16, 10, 0}, 32, 32, "blocks"},
      Case{"sm_86", {16, 32, 0}, 16, 16, "blocks"},
      Case{"sm_89", {16, 32, 0}, 24, 24, "blocks"},
      Case{"sm_120a", {16, 32, 0}, 24, 24, "blocks"},
      // 128 x 32 = 4,096 registers a warp: 16 warps.
      Case{"sm_90a", {128, 256, 0}, 2, 16, "registers"},
      // 33 x 32 = 1,056, given as 1,280: 51 warps, in fours 48.
      Case{"sm_100a", {33, 32 * 3, 0}, 16, 48, "registers"},
      // More than 255 are not given: 8,192 a warp, 8 warps.
      Case{"sm_90a", {300, 128, 0}, 2, 8, "registers"},
      // 100 KiB and the reserved one: two in 228 KiB, one in 164.
      Case{"sm_90a", {32, 128, 100 << 10}, 2, 8, "shared memory"},
      Case{"sm_80", {32, 128, 100 << 10}, 1, 4, "shared memory"},
      // All that a block can have, and a byte more.
      Case{"sm_80", {32, 128, 163 << 10}, 1, 4, "shared memory"},
      Case{"sm_80", {32, 128, (163 << 10) + 1}, 0, 0, "shared memory"},
      Case{"sm_89", {32, 128, 100 << 10}, 0, 0, "shared memory"});
  INFO(target << ": " << needs.registers << " registers, " << needs.threads
              << " threads, " << needs.sharedBytes << " bytes");
  Occupancy found = on(target, needs);
  CHECK(found.blocks == blocks);
  CHECK(found.warps == warps);
  CHECK(found.limit == limit);
}
