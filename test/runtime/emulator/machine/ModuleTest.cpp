// Variables with values, functions, memory larger than the machine's.
#include "Launcher.h"
#include "runtime/emulator/device/LoadedModule.h"
#include "runtime/emulator/machine/Scheduler.h"
#include <catch2/catch.hpp>
#include <cstring>

using namespace tilewright::emulator;
using Catch::Matchers::Contains;

TEST_CASE("module: initial values, with addresses in them") {
  Launcher launcher;
  launcher.text = kernelText(R"(
ld.global.u64 %d0, [pointers+8];
ld.global.u32 %r0, [%d0];
st.global.u32 [%data], %r0;
ld.global.u64 %d1, [pointers];
ld.u32 %r1, [%d1];
st.global.u32 [%data+4], %r1;
ld.const.u16 %r2, [table+10];
st.global.u32 [%data+8], %r2;
ld.global.u8 %r3, [low];
mov.u64 %d2, numbers;
cvt.u32.u64 %r4, %d2;
and.b32 %r4, %r4, 255;
sub.u32 %r3, %r3, %r4;
st.global.u32 [%data+12], %r3;
ld.global.f32 %r5, [reals+4];
st.global.u32 [%data+16], %r5;
)",
                             R"(
.global .align 4 .u32 numbers[4] = {11, 22, 33};
.const .align 2 .u16 table[2][3] = {{1, 2, 3}, {4, 5, 6}};
.global .align 8 .u64 pointers[2] = {generic(numbers), numbers+8};
.global .align 1 .u8 low = 0xff(numbers);
.global .align 4 .f32 reals[2] = {0f3F800000, 2.5};
)");
  REQUIRE(launcher.run() == "");
  CHECK(launcher.data[0] == 33);
  CHECK(launcher.data[1] == 11);
  CHECK(launcher.data[2] == 6);
  CHECK(launcher.data[3] == 0);
  CHECK(launcher.data[4] == 0x40200000);
}

TEST_CASE("module: recursion, and functions behind a pointer") {
  Launcher launcher;
  launcher.text = kernelText(R"(
mov.u32 %r0, %tid.x;
and.b32 %r1, %r0, 7;
{
.param .b32 a;
.param .b32 b;
st.param.b32 [a], %r1;
call (b), factorial, (a);
ld.param.b32 %r2, [b];
}
and.b32 %r3, %r0, 1;
mul.wide.u32 %d0, %r3, 8;
mov.u64 %d1, table;
add.u64 %d1, %d1, %d0;
ld.global.u64 %d2, [%d1];
{
.param .b32 a;
.param .b32 b;
st.param.b32 [a], %r2;
P: .callprototype (.param .b32 _) _ (.param .b32 _);
call (b), %d2, (a), P;
ld.param.b32 %r2, [b];
}
mul.wide.u32 %d3, %r0, 4;
add.u64 %d3, %d3, %data;
st.global.u32 [%d3], %r2;
)",
                             R"(
.func (.param .b32 r) factorial(.param .b32 n) {
.reg .pred %p<2>;
.reg .b32 %r<5>;
ld.param.b32 %r0, [n];
setp.gt.u32 %p0, %r0, 1;
@%p0 bra MORE;
st.param.b32 [r], 1;
ret;
MORE:
sub.u32 %r1, %r0, 1;
{
.param .b32 a;
.param .b32 b;
st.param.b32 [a], %r1;
call (b), factorial, (a);
ld.param.b32 %r2, [b];
}
mul.lo.u32 %r3, %r0, %r2;
st.param.b32 [r], %r3;
ret;
}
.func (.param .b32 r) plus(.param .b32 n) {
.reg .b32 %r<2>;
ld.param.b32 %r0, [n];
add.u32 %r0, %r0, 1000;
st.param.b32 [r], %r0;
ret;
}
.func (.param .b32 r) same(.param .b32 n) {
.reg .b32 %r<2>;
ld.param.b32 %r0, [n];
st.param.b32 [r], %r0;
ret;
}
.global .align 8 .u64 table[2] = {same, plus};
)");
  REQUIRE(launcher.run() == "");
  const uint32_t factorials[] = {1, 1, 2, 6, 24, 120, 720, 5040};
  for (uint32_t lane = 0; lane < 32; ++lane)
    CHECK(launcher.data[lane] == factorials[lane % 8] + (lane % 2 ? 1000 : 0));
}

TEST_CASE("module: calls that never return end at a depth") {
  Launcher launcher;
  launcher.text = kernelText("call down;", R"(
.func down() {
call down;
ret;
})");
  CHECK_THAT(launcher.run(), Contains("resources: expected calls at most"));
}

TEST_CASE("module: 100 GB, of which little is touched") {
  GlobalMemory memory;
  auto module = LoadedModule::load(memory, kernelText(R"(
mov.u32 %r0, %tid.x;
mul.wide.u32 %d0, %r0, 1073741824;
mul.lo.u64 %d0, %d0, 3;
add.u64 %d0, %d0, %data;
st.global.u32 [%d0], %r0;
)"));
  REQUIRE(module);
  auto program = (*module)->program("k");
  REQUIRE(program);
  constexpr uint64_t bytes = uint64_t{100} << 30;
  auto buffer = memory.allocate(bytes, false);
  REQUIRE(buffer);
  Launch launch;
  launch.program = *program;
  launch.memory = memory.snapshot();
  launch.block = {32, 1, 1};
  launch.parameters.resize(8);
  std::memcpy(launch.parameters.data(), &(*buffer)->address, 8);
  run(launch);
  CHECK(!launch.fault);
  uint32_t last;
  std::memcpy(&last, (*buffer)->host + (uint64_t{93} << 30), 4);
  CHECK(last == 31);
}
