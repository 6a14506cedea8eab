// Branches, calls and ends: PTX sections 9.7.12, 9.7.17, 9.7.19, 9.7.13.13.
#include "test/runtime/emulator/instructions/Kernel.h"

#include <catch2/catch.hpp>

using namespace instructions;
using tilewright::emulator::FaultCode;

namespace {
/// %a: the thread's word of the buffer; %r0: its number.
const char *const start =
    ".reg .u32 %r<16>, %n; .reg .u64 %a, %d<4>; .reg .pred %p<4>;\n"
    "ld.param.u64 %a, [data]; mov.u32 %r0, %tid.x;\n"
    "mad.wide.u32 %a, %r0, 4, %a;\n";

std::vector<uint32_t> run(const std::string &body, const std::string &tested,
                          const std::string &before = "",
                          uint32_t threads = 64) {
  std::vector<uint32_t> data(threads);
  runKernel(start + body + "st.global.u32 [%a], %r1;\nret;\n", data,
            {1, threads}, tested, before);
  return data;
}
} // namespace

TEST_CASE("bra", "[9.7.12.3]") {
  // Collatz steps: each lane has its own number of rounds.
  std::vector<uint32_t> data =
      run("add.u32 %r2, %r0, 1; mov.u32 %r1, 0;\n"
          "LOOP: setp.eq.u32 %p0, %r2, 1; @%p0 bra DONE;\n"
          "and.b32 %r3, %r2, 1; setp.eq.u32 %p1, %r3, 0;\n"
          "@!%p1 bra ODD;\nshr.u32 %r2, %r2, 1; bra.uni NEXT;\n"
          "ODD: mad.lo.u32 %r2, %r2, 3, 1;\n"
          "NEXT: add.u32 %r1, %r1, 1; bra LOOP;\nDONE:\n",
          "bra");
  for (uint32_t i = 0; i < data.size(); ++i) {
    uint32_t steps = 0;
    for (uint32_t n = i + 1; n != 1; ++steps)
      n = n % 2 ? 3 * n + 1 : n / 2;
    CHECK(data[i] == steps);
  }
}

TEST_CASE("brx.idx", "[9.7.12.4]") {
  for (const char *uniform : {"", ".uni"}) {
    bool isUniform = *uniform;
    std::vector<uint32_t> data =
        run("targets: .branchtargets A, B, C, B;\nand.b32 %r2, %r0, " +
                std::string(isUniform ? "0" : "3") + ";\nmov.u32 %r1, 0;\n" +
                "setp.ne.u32 %p0, %r0, 17;\n@%p0 brx.idx" + uniform +
                " %r2, targets;\n"
                "mov.u32 %r1, 99; bra END;\n"
                "A: mov.u32 %r1, 10; bra END;\n"
                "B: mov.u32 %r1, 11; bra END;\n"
                "C: mov.u32 %r1, 12;\nEND:\n",
            "brx");
    for (uint32_t i = 0; i < data.size(); ++i) {
      static const uint32_t values[] = {10, 11, 12, 11};
      CHECK(data[i] == (i == 17 ? 99 : isUniform ? 10 : values[i % 4]));
    }
  }
}

static const char *const functions =
    ".func (.param .u32 out) twice(.param .u32 in) {\n"
    ".reg .u32 %r<2>;\n"
    "ld.param.u32 %r0, [in]; add.u32 %r0, %r0, %r0;\n"
    "st.param.u32 [out], %r0; ret;\n}\n"
    ".func (.param .u32 out) thrice(.param .u32 in) {\n"
    ".reg .u32 %r<2>;\n"
    "ld.param.u32 %r0, [in]; mul.lo.u32 %r0, %r0, 3;\n"
    "st.param.u32 [out], %r0; ret.uni;\n}\n"
    // Recursive: n + (n - 1) + ... + 1.
    ".func (.param .u32 out) sum(.param .u32 in) {\n"
    ".reg .u32 %r<4>; .reg .pred %p;\n"
    "ld.param.u32 %r0, [in]; mov.u32 %r1, 0;\n"
    "setp.eq.u32 %p, %r0, 0; @%p bra END;\n{\n"
    ".param .u32 a; .param .u32 b; sub.u32 %r2, %r0, 1;\n"
    "st.param.u32 [a], %r2; call (b), sum, (a); ld.param.u32 %r1, [b];\n}\n"
    "add.u32 %r1, %r1, %r0;\nEND: st.param.u32 [out], %r1; ret;\n}\n"
    // A structure in, a structure out, swapped; parameters in registers.
    ".func (.param .align 8 .b8 out[16]) swap(.param .align 8 .b8 in[16]) {\n"
    ".reg .u64 %x, %y;\n"
    "ld.param::func.u64 %x, [in]; ld.param.u64 %y, [in+8];\n"
    "st.param::func.u64 [out], %y; st.param.u64 [out+8], %x; ret;\n}\n"
    ".func (.reg .u32 out) difference(.reg .u32 x, .reg .u32 y) {\n"
    "sub.u32 out, x, y; ret;\n}\n";

TEST_CASE("call", "[9.7.12.5]") {
  std::vector<uint32_t> data =
      run("{\n.param .u32 a; .param .u32 b;\nst.param.u32 [a], %r0;\n"
          "call.uni (b), twice, (a);\nld.param.u32 %r1, [b];\n}\n"
          "setp.lt.u32 %p0, %r0, 20; @!%p0 bra END;\n"
          "{\n.param .u32 a; .param .u32 b;\nst.param.u32 [a], %r0;\n"
          "call (b), sum, (a);\nld.param.u32 %r2, [b];\n}\n"
          "add.u32 %r1, %r1, %r2;\nEND:\n",
          "call ret", functions);
  for (uint32_t i = 0; i < data.size(); ++i)
    CHECK(data[i] == 2 * i + (i < 20 ? i * (i + 1) / 2 : 0));
}

TEST_CASE("call with structures and registers", "[9.7.12.5]") {
  std::vector<uint32_t> data =
      run("cvt.u64.u32 %d0, %r0;\n"
          "{\n.param .align 8 .b8 a[16]; .param .align 8 .b8 b[16];\n"
          "st.param.u64 [a], %d0; st.param.u64 [a+8], 1000;\n"
          "call (b), swap, (a);\n"
          "ld.param.u64 %d1, [b]; ld.param.u64 %d2, [b+8];\n}\n"
          "cvt.u32.u64 %r2, %d1; cvt.u32.u64 %r3, %d2;\n"
          "call (%r1), difference, (%r2, %r3);\n",
          "call ret ld st", functions);
  for (uint32_t i = 0; i < data.size(); ++i)
    CHECK(data[i] == 1000 - i);
}

TEST_CASE("call by address", "[9.7.12.5]") {
  // Lanes choose among two functions.
  std::vector<uint32_t> data =
      run("prototype: .callprototype (.param .u32 _) _ (.param .u32 _);\n"
          "mov.u64 %d0, twice; mov.u64 %d1, thrice;\n"
          "and.b32 %r2, %r0, 1; setp.eq.u32 %p0, %r2, 0;\n"
          "selp.u64 %d2, %d0, %d1, %p0;\n"
          "{\n.param .u32 a; .param .u32 b;\nst.param.u32 [a], %r0;\n"
          "call (b), %d2, (a), prototype;\nld.param.u32 %r1, [b];\n}\n",
          "call", functions);
  for (uint32_t i = 0; i < data.size(); ++i)
    CHECK(data[i] == i * (i % 2 ? 3 : 2));
  // A list of functions, or a table in memory, instead of a prototype.
  for (const char *targets : {"list", "table"}) {
    data = run("list: .calltargets twice, thrice;\n"
               "and.b32 %r2, %r0, 1; mov.u64 %d0, table;\n"
               "mad.wide.u32 %d0, %r2, 8, %d0; ld.global.u64 %d1, [%d0];\n"
               "{\n.param .u32 a; .param .u32 b;\nst.param.u32 [a], %r0;\n"
               "call (b), %d1, (a), " +
                   std::string(targets) + ";\nld.param.u32 %r1, [b];\n}\n",
               "call",
               std::string(functions) +
                   ".global .u64 table[2] = {twice, thrice};\n");
    for (uint32_t i = 0; i < data.size(); ++i)
      CHECK(data[i] == i * (i % 2 ? 3 : 2));
  }
}

TEST_CASE("ret, exit", "[9.7.12.6]") {
  std::vector<uint32_t> data =
      run("mov.u32 %r1, 7; setp.lt.u32 %p0, %r0, 10; @%p0 exit;\n"
          "setp.lt.u32 %p1, %r0, 20; @%p1 ret;\n"
          "setp.lt.u32 %p1, %r0, 25; @%p1 ret.uni;\n",
          "ret exit");
  for (uint32_t i = 0; i < data.size(); ++i)
    CHECK(data[i] == (i < 25 ? 0 : 7));
  // exit in a function ends the thread.
  data = run("setp.lt.u32 %p0, %r0, 10; mov.u32 %r1, 7;\n"
             "@%p0 call stop;\n",
             "exit call", ".func stop() {\nexit;\n}\n");
  for (uint32_t i = 0; i < data.size(); ++i)
    CHECK(data[i] == (i < 10 ? 0 : 7));
}

TEST_CASE("trap, brkpt", "[9.7.19.4]") {
  for (const char *opcode : {"trap", "brkpt"}) {
    Kernel kernel(std::string(start) + "setp.eq.u32 %p0, %r0, 37;\n@%p0 " +
                  opcode + ";\n");
    REQUIRE(kernel.error() == "");
    std::vector<std::byte> data(64 * 4);
    auto fault = kernel.fault(data, {1, 64});
    REQUIRE(fault);
    CHECK(fault->code == FaultCode::trap);
    CHECK(fault->warp == 1);
    CHECK(fault->lane == 5);
    // And where no lane comes to it, nothing happens.
    runKernel(std::string(start) + "setp.eq.u32 %p0, %r0, 64;\n@%p0 " + opcode +
                  ";\n",
              data, {1, 64}, opcode);
  }
}

TEST_CASE("alloca, stacksave, stackrestore", "[9.7.17]") {
  // Memory of the stack is the lane's own, and is there again after a restore.
  for (const char *type : {"u64", "u32"}) {
    std::string t = type, d = t == "u64" ? "%d" : "%r1";
    std::vector<uint32_t> data = run(
        "stacksave." + t + " " + d + "0;\n" + "alloca." + t + " " + d +
            "1, 64;\n" + "alloca." + t + " " + d + "2, 32, 16;\n" +
            "st.local.u32 [" + d + "1], %r0; st.local.u32 [" + d +
            "1+60], 5;\n" + "mul.lo.u32 %r2, %r0, 100; st.local.u32 [" + d +
            "2+28], %r2;\n" + "ld.local.u32 %r3, [" + d +
            "1]; ld.local.u32 %r4, [" + d + "2+28];\n" + "ld.local.u32 %r5, [" +
            d + "1+60]; add.u32 %r1, %r3, %r4; add.u32 %r1, %r1, %r5;\n" +
            "stackrestore." + t + " " + d + "0;\n" + "alloca." + t + " " + d +
            "3, 64;\n" + "sub." + t + " " + d + "3, " + d + "3, " + d + "1;\n" +
            (t == "u64" ? "cvt.u32.u64 %r6, %d3;\n" : "mov.u32 %r6, %r13;\n") +
            "mad.lo.u32 %r1, %r6, 100000, %r1;\n",
        "alloca stacksave stackrestore", "");
    for (uint32_t i = 0; i < data.size(); ++i)
      CHECK(data[i] == 101 * i + 5);
  }
}

TEST_CASE("Instructions that only say something", "[9.7.19]") {
  // Time passes, registers are given and taken, events are counted: the values
  // stay.
  std::vector<uint32_t> data =
      run("mov.u32 %r1, %r0;\nnanosleep.u32 100;\nnanosleep.u32 %r0;\n"
          "pmevent 3;\npmevent.mask 5;\n"
          "setmaxnreg.inc.sync.aligned.u32 64;\n"
          "setmaxnreg.dec.sync.aligned.u32 40;\n"
          "griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\n",
          "nanosleep pmevent setmaxnreg griddepcontrol", "", 128);
  for (uint32_t i = 0; i < data.size(); ++i)
    CHECK(data[i] == i);
}
