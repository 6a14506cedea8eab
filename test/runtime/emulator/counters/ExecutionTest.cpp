// How often instructions are executed, and by how many lanes.
#include "test/runtime/emulator/counters/Counted.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;

TEST_CASE("counters: a loop", "[emulator][counters]") {
  KernelCounters kernel = count(R"(
mov.u32 %r1, 0;                 // before
again:
add.u32 %r1, %r1, 1;            // body
setp.lt.u32 %p1, %r1, 10;
@%p1 bra again;                 // branch
)",
                                {{1, 1, 1}, {64, 1, 1}, 1});
  CHECK(at(kernel, "// before").warps == 2);
  CHECK(at(kernel, "// body").warps == 20);
  CHECK(at(kernel, "// body").threads == 640);
  // The last time no lane takes it.
  CHECK(at(kernel, "// branch").warps == 20);
  CHECK(at(kernel, "// branch").threads == 576);
}

TEST_CASE("counters: lanes that go apart", "[emulator][counters]") {
  KernelCounters kernel = count(R"(
setp.lt.u32 %p1, %thread, 8;
@%p1 bra few;                   // branch
mov.u32 %r1, 1;                 // many
bra done;
few:
mov.u32 %r1, 2;                 // few
done:
mov.u32 %r2, %r1;               // together
)");
  CHECK(at(kernel, "// branch").threads == 8);
  CHECK(at(kernel, "// many").warps == 1);
  CHECK(at(kernel, "// many").threads == 24);
  CHECK(at(kernel, "// few").warps == 1);
  CHECK(at(kernel, "// few").threads == 8);
  CHECK(at(kernel, "// together").warps == 1);
  CHECK(at(kernel, "// together").threads == 32);
}

TEST_CASE("counters: lanes that leave a loop at different times",
          "[emulator][counters]") {
  // Lane l goes round l + 1 times: 1 + 2 + .. + 32 in all.
  KernelCounters kernel = count(R"(
mov.u32 %r1, 0;
again:
setp.lt.u32 %p1, %r1, %thread;     // body
add.u32 %r1, %r1, 1;
@%p1 bra again;
)");
  CHECK(at(kernel, "// body").warps == 32);
  CHECK(at(kernel, "// body").threads == 32 * 33 / 2);
}

TEST_CASE("counters: blocks whose last warp is not full",
          "[emulator][counters]") {
  KernelCounters kernel =
      count("mov.u32 %r1, 0; // here", {{3, 1, 1}, {40, 1, 1}, 1});
  CHECK(at(kernel, "// here").warps == 6);
  CHECK(at(kernel, "// here").threads == 120);
}

TEST_CASE("counters: a barrier counts a warp once, however long it waits",
          "[emulator][counters]") {
  // Warp 0 comes late.
  KernelCounters kernel = count(R"(
setp.ge.u32 %p1, %thread, 32;
@%p1 bra meet;
mov.u32 %r1, 0;
again:
add.u32 %r1, %r1, 1;
setp.lt.u32 %p2, %r1, 100;
@%p2 bra again;
meet:
bar.sync 0;                     // block
bar.warp.sync -1;               // warp
barrier.cluster.arrive;         // arrive
barrier.cluster.wait;           // wait
)",
                                {{1, 1, 1}, {128, 1, 1}, 1});
  Counters block = at(kernel, "// block");
  CHECK(block.warps == 4);
  CHECK(block.threads == 128);
  CHECK(block.barriers == 4);
  CHECK(at(kernel, "// warp").barriers == 0);
  CHECK(at(kernel, "// arrive").barriers == 4);
  CHECK(at(kernel, "// wait").barriers == 0);
  CHECK(at(kernel, "// wait").warps == 4);
  CHECK(kernel.total().barriers == 8);
}

TEST_CASE("counters: lanes of one mask, which come at different times",
          "[emulator][counters]") {
  // Each half meets within itself, then all meet.
  KernelCounters kernel = count(R"(
setp.lt.u32 %p1, %thread, 16;
selp.b32 %r1, 0x0000FFFF, 0xFFFF0000, %p1;
bar.warp.sync %r1;              // halves
@%p1 bra meet;
mov.u32 %r2, 1;
meet:
bar.warp.sync -1;               // all
)");
  CHECK(at(kernel, "// halves").threads == 32);
  CHECK(at(kernel, "// all").threads == 32);
}

TEST_CASE("counters: lanes that wait for others count when they go on",
          "[emulator][counters]") {
  // Lanes 0 to 15 meet at once; of the others half comes later.
  KernelCounters kernel = count(R"(
setp.lt.u32 %p1, %thread, 16;
setp.ge.u32 %p2, %thread, 24;
selp.b32 %r1, 0x0000FFFF, 0xFFFF0000, %p1;
@%p2 bra late;
meet:
bar.warp.sync %r1;              // meet
bra done;
late:
mov.u32 %r2, 1;
bra meet;
done:
)");
  CHECK(at(kernel, "// meet").threads == 32);
}

TEST_CASE("counters: a table of labels", "[emulator][counters]") {
  // Lanes go to four locations, those of one location together.
  KernelCounters kernel = count(R"(
and.b32 %r1, %thread, 3;
table: .branchtargets a, b, c, d;
brx.idx %r1, table;             // jump
a: b: c: d:
mov.u32 %r2, 1;                 // behind
)");
  CHECK(at(kernel, "// jump").warps == 4);
  CHECK(at(kernel, "// jump").threads == 32);
  CHECK(at(kernel, "// behind").threads == 32);
}

TEST_CASE("counters: functions that are called", "[emulator][counters]") {
  KernelCounters kernel = count(R"(
{
.param .b32 in;
.param .b32 out;
st.param.b32 [in], %thread;
call (out), twice, (in);        // call
ld.param.b32 %r1, [out];
}
)",
                                {{2, 1, 1}, {32, 1, 1}, 1}, R"(
.func (.param .b32 out) twice(.param .b32 in) {
.reg .b32 %x;
ld.param.b32 %x, [in];
add.u32 %x, %x, %x;             // inside
st.param.b32 [out], %x;
ret;                            // return
}
)");
  REQUIRE(kernel.functions.size() == 2);
  CHECK(at(kernel, "// call").warps == 2);
  CHECK(at(kernel, "// inside").warps == 2);
  CHECK(at(kernel, "// inside").threads == 64);
  CHECK(at(kernel, "// return").threads == 64);
}

TEST_CASE("counters: the same for any number of host threads, and each time",
          "[emulator][counters]") {
  const std::string body = R"(
mov.u32 %r1, %ctaid.x;
and.b32 %r2, %r1, 7;
mad.lo.u32 %r3, %thread, %r2, 0;
mul.wide.u32 %rd1, %r3, 4;
add.u64 %rd1, %rd1, %data;
again:
ld.global.b32 %r4, [%rd1];
mad.lo.u32 %r5, %r3, 4, %tile;
st.shared.b32 [%r5], %r4;
bar.sync 0;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, 9;
@%p1 bra again;
)";
  auto run = [&](unsigned threads) {
    KernelCounters kernel = count(body, {{200, 1, 1}, {96, 1, 1}, threads});
    return kernel.functions[0].code;
  };
  auto once = run(1);
  CHECK(once == run(1));
  CHECK(once == run(2));
  CHECK(once == run(7));
}
