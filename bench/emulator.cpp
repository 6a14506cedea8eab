// emulator-speed [SECONDS]: what one core of the emulator does in a second, on
// an arithmetic kernel, on one bound by memory, and on tensor cores.
#include "runtime/emulator/device/LoadedModule.h"
#include "runtime/emulator/machine/Scheduler.h"
#include "support/HostIsa.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tilewright;
using namespace tilewright::emulator;

namespace {

struct Case {
  const char *name;
  const char *text;
  uint32_t blocks, threads;
  /// Multiply-adds of tensor cores in one execution of the loop's body by a
  /// warp; 0 where there are none.
  double multiplyAdds;
};

#define HEAD                                                                   \
  ".version 8.7\n.target sm_90a\n.address_size 64\n"                           \
  ".visible .entry k(.param .u64 x, .param .u64 y, .param .u32 n) {\n"         \
  ".reg .pred %p<4>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<12>;\n"                 \
  "ld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\n"                         \
  "ld.param.u32 %r1, [n];\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"    \
  "mov.u32 %r4, %tid.x;\nmad.lo.s32 %r5, %r2, %r3, %r4;\n"

/// A Mandelbrot step an iteration: 6 of f32, 2 of s32, one comparison, one
/// branch.
constexpr const char *arithmetic = HEAD R"(
  cvt.rn.f32.u32 %r6, %r5;
  mul.rn.f32 %r6, %r6, 0f38000000;
  mov.b32 %r7, 0f3E800000;
  mov.b32 %r8, 0f00000000;
  mov.b32 %r9, 0f00000000;
  mov.u32 %r10, 0;
LOOP:
  mul.rn.f32 %r11, %r8, %r8;
  mul.rn.f32 %r12, %r9, %r9;
  sub.rn.f32 %r13, %r11, %r12;
  mul.rn.f32 %r14, %r8, %r9;
  fma.rn.f32 %r9, %r14, 0f40000000, %r7;
  add.rn.f32 %r8, %r13, %r6;
  add.s32 %r15, %r10, %r5;
  add.s32 %r10, %r10, 1;
  setp.lt.s32 %p1, %r10, 4000;
  @%p1 bra LOOP;
  add.rn.f32 %r8, %r8, %r9;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  st.global.f32 [%rd4], %r8;
  ret;
})";

/// y = 2 x + y over a grid-stride loop.
constexpr const char *memoryBound = HEAD R"(
  mov.u32 %r6, %nctaid.x;
  mul.lo.s32 %r7, %r6, %r3;
LOOP:
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %r8, [%rd4];
  ld.global.f32 %r9, [%rd5];
  fma.rn.f32 %r10, %r8, 0f40000000, %r9;
  st.global.f32 [%rd5], %r10;
  add.s32 %r5, %r5, %r7;
  bra LOOP;
DONE:
  ret;
})";

constexpr const char *mma = HEAD R"(
  mov.b32 %r10, 1065369472;
  mov.b32 %r11, 1073758208;
  mov.b32 %r20, 0; mov.b32 %r21, 0; mov.b32 %r22, 0; mov.b32 %r23, 0;
  mov.u32 %r6, 0;
LOOP:
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r20,%r21,%r22,%r23},
    {%r10,%r11,%r10,%r11}, {%r11,%r10}, {%r20,%r21,%r22,%r23};
  add.s32 %r6, %r6, 1;
  setp.lt.s32 %p1, %r6, 2000;
  @%p1 bra LOOP;
  ret;
})";

const Case cases[] = {
    {"arithmetic", arithmetic, 64, 256, 0},
    {"memory-bound", memoryBound, 64, 256, 0},
    {"mma bf16", mma, 8, 128, 16 * 8 * 16},
};

constexpr uint32_t elements = 1 << 20;

/// Prints a line; false if the kernel fails.
bool measure(const Case &kernel, double seconds) {
  GlobalMemory memory;
  auto module = LoadedModule::load(memory, kernel.text);
  auto program =
      module ? (*module)->program("k")
             : StatusOr<std::shared_ptr<const Program>>(module.status());
  auto x = memory.allocate(elements * 4, false);
  auto y = memory.allocate(elements * 4, false);
  if (!program || !x || !y) {
    std::printf("%s: %s\n", kernel.name, program.status().message().c_str());
    return false;
  }
  double best = 0, rate = 0;
  auto start = std::chrono::steady_clock::now();
  auto since = [](auto from) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         from)
        .count();
  };
  do {
    Launch launch;
    launch.program = *program;
    launch.memory = memory.snapshot();
    launch.grid = {kernel.blocks, 1, 1};
    launch.block = {kernel.threads, 1, 1};
    launch.parameters.resize(20);
    uint64_t words[] = {(*x)->address, (*y)->address, elements};
    std::memcpy(launch.parameters.data(), words, 20);
    launch.options.threads = 1;
    auto before = std::chrono::steady_clock::now();
    run(launch);
    double took = since(before);
    if (launch.fault) {
      std::printf("%s: %s\n", kernel.name, launch.fault->str().c_str());
      return false;
    }
    double instructions = double(launch.executed.load());
    best = std::max(best, instructions * 32 / took);
    // Three of four instructions in the loop of matrices are others.
    rate = std::max(rate, instructions / 4 * kernel.multiplyAdds / took);
  } while (since(start) < seconds);
  std::printf("%-14s %8.0f M instructions of threads a second", kernel.name,
              best / 1e6);
  if (kernel.multiplyAdds > 0)
    std::printf(", %.2f G multiply-adds a second", rate / 1e9);
  std::printf("\n");
  return true;
}
} // namespace

int main(int argc, char **argv) {
  double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  static const char *const isas[] = {"baseline", "AVX2", "AVX-512"};
  std::printf("one core, %s\n", isas[int(hostIsa())]);
  bool good = true;
  for (const Case &kernel : cases)
    good &= measure(kernel, seconds);
  return good ? 0 : 1;
}
