// Products of matrices, and matrices in memory.
#include "test/runtime/emulator/counters/Counted.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;

TEST_CASE("counters: mma", "[emulator][counters]") {
  KernelCounters kernel = count(
      R"(
mov.b32 %r1, 0;
mov.b32 %f1, 0f00000000;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f1,%f1,%f1}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f1,%f1,%f1}; // half
mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1,%r1,%r1,%r1}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%r1,%r1,%r1,%r1};  // bytes
)",
      {{3, 1, 1}, {64, 1, 1}, 1});
  // 6 warps, 16 x 8 x 16 each.
  Counters half = at(kernel, "// half");
  CHECK(half.tensorOperations == 6);
  CHECK(half.multiplyAdds == 6 * 2048);
  CHECK(at(kernel, "// bytes").multiplyAdds == 6 * 4096);
  CHECK(classAt(kernel, "// half") == InstructionClass::tensor);
  CHECK(kernel.total().multiplyAdds == 6 * 6144);
}

TEST_CASE("counters: the four warps of wgmma share its product and operands",
          "[emulator][counters]") {
  KernelCounters kernel = count(
      R"(
mov.b64 %rd1, 0;
mov.b32 %f1, 0f00000000;
mov.b32 %f2, 0f00000000;
mov.b32 %f3, 0f00000000;
mov.b32 %f4, 0f00000000;
mov.b32 %r1, 0;
setp.eq.u32 %p1, %thread, %thread;
wgmma.fence.sync.aligned;                       // fence
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd1, %p1, 1, 1, 0, 0; // shared
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, {%r1,%r1,%r1,%r1}, %rd1, %p1, 1, 1, 0; // registers
)",
      {{1, 1, 1}, {128, 1, 1}, 1});
  Counters shared = at(kernel, "// shared");
  CHECK(shared.tensorOperations == 4);
  CHECK(shared.multiplyAdds == 64 * 8 * 16);
  // A has 64 x 16 and B 8 x 16 elements of 2 bytes.
  CHECK(shared.on(DataPath::tensorShared) == 2048 + 256);
  Counters registers = at(kernel, "// registers");
  CHECK(registers.multiplyAdds == 64 * 8 * 16);
  CHECK(registers.on(DataPath::tensorShared) == 256);
  CHECK(classAt(kernel, "// fence") == InstructionClass::barrier);
}

TEST_CASE("counters: wmma loads and stores whole matrices",
          "[emulator][counters]") {
  KernelCounters kernel = count(R"(
mov.u32 %r9, 0;
wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%data], 64;      // apart
wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%data];          // dense
wmma.load.b.sync.aligned.col.m8n32k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%data], 24;       // columns
wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%tile], {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, 16;     // store
)");
  // 16 rows of 16 elements of 2 bytes, 128 bytes apart: a sector each.
  Counters apart = at(kernel, "// apart");
  CHECK(apart.globalRequests == 1);
  CHECK(apart.sectors == 16);
  CHECK(apart.idealSectors == 16);
  CHECK(apart.on(DataPath::globalRead) == 512);
  CHECK(at(kernel, "// dense").sectors == 16);
  // B is 16 x 32: 32 columns of 32 bytes, 48 bytes apart, of which the odd ones
  // cross two sectors.
  Counters columns = at(kernel, "// columns");
  CHECK(columns.on(DataPath::globalRead) == 1024);
  CHECK(columns.sectors == 48);
  CHECK(columns.idealSectors == 32);
  Counters store = at(kernel, "// store");
  CHECK(store.on(DataPath::sharedWritten) == 1024);
  CHECK(store.wavefronts == 8);
  CHECK(classAt(kernel, "// store") == InstructionClass::shared);
  CHECK(classAt(kernel, "// apart") == InstructionClass::global);
}
