#include "test/runtime/emulator/execute/KernelRun.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;
using Catch::Contains;

/// Copies 16 bytes a thread with `copy`, whose addresses are %r1 and %d1, and
/// outputs shared memory.
static KernelRun copying(const std::string &copy) {
  KernelRun kernel;
  kernel.body = ".shared .align 16 .b32 tile[128];\n"
                "mov.u32 %r0, tile;\nshl.b32 %r2, %t, 4;\n"
                "add.u32 %r1, %r0, %r2;\n"
                "mul.wide.u32 %d2, %t, 16;\nadd.u64 %d1, %in, %d2;\n"
                "add.u64 %d3, %out, %d2;\n"
                "mov.u32 %r4, 0xEE;\n"
                "st.shared.v4.b32 [%r1], {%r4, %r4, %r4, %r4};\n" +
                copy +
                "\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
                "bar.sync 0;\n"
                "ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r1];\n"
                "st.global.v4.b32 [%d3], {%r4, %r5, %r6, %r7};\n";
  kernel.input = counting(128, 1000);
  kernel.outputWords = 128;
  return kernel;
}

TEST_CASE("cp.async copies 16 bytes a thread") {
  for (const char *copy :
       {"cp.async.cg.shared.global [%r1], [%d1], 16;",
        "cp.async.ca.shared::cta.global.L2::128B [%r1], [%d1], 16;",
        "cp.async.cg.shared.global [%r1], [%d1], 16, 16;",
        "mov.u64 %d4, 0;\n"
        "cp.async.cg.shared.global.L2::cache_hint [%r1], [%d1], 16, %d4;",
        "setp.ne.u32 %p0, %t, %t;\n"
        "cp.async.cg.shared.global [%r1], [%d1], 16, %p0;"}) {
    INFO(copy);
    Result result = run(copying(copy));
    REQUIRE(result.error == "");
    CHECK(result.output == counting(128, 1000));
  }
}

TEST_CASE("cp.async copies 4 and 8 bytes, each address with its offset") {
  Result result = run(copying("cp.async.ca.shared.global [%r1+4], [%d1+8], 8;\n"
                              "cp.async.ca.shared.global [%r1+12], [%d1], 4;"));
  // Aligned to their sizes: 4 is no multiple of 8.
  CHECK(result.fault == FaultCode::misaligned);
  result = run(copying("cp.async.ca.shared.global [%r1+8], [%d1], 8;\n"
                       "cp.async.ca.shared.global [%r1+4], [%d1+12], 4;"));
  REQUIRE(result.error == "");
  for (uint32_t thread : {0u, 31u}) {
    const uint32_t *words = &result.output[size_t{thread} * 4];
    CHECK(words[0] == 0xEE);
    CHECK(words[1] == 1003 + 4 * thread);
    CHECK(words[2] == 1000 + 4 * thread);
    CHECK(words[3] == 1001 + 4 * thread);
  }
}

TEST_CASE("cp.async fills with zeros what it does not read") {
  // Thread t reads t % 5 words; where it reads none, the address is invalid.
  Result result =
      run(copying("rem.u32 %r5, %t, 5;\nshl.b32 %r5, %r5, 2;\n"
                  "setp.eq.u32 %p0, %r5, 0;\n@%p0 mov.u64 %d1, 3;\n"
                  "cp.async.cg.shared.global [%r1], [%d1], 16, %r5;"));
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 128; ++i)
    CHECK(result.output[i] == (i % 4 < i / 4 % 5 ? 1000 + i : 0));

  result = run(copying("setp.lt.u32 %p0, %t, 30;\n@!%p0 mov.u64 %d1, 0;\n"
                       "not.pred %p0, %p0;\n"
                       "cp.async.ca.shared.global [%r1], [%d1], 16, %p0;"));
  REQUIRE(result.error == "");
  for (uint32_t i = 0; i < 128; ++i)
    CHECK(result.output[i] == (i < 120 ? 1000 + i : 0));
}

TEST_CASE("cp.async that is wrong") {
  Result result =
      run(copying("cp.async.cg.shared.global [%r1], [%d1+16], 16;"));
  CHECK(result.fault == FaultCode::outOfBounds);
  CHECK_THAT(result.error, Contains("lane 31"));
  result = run(copying("cp.async.cg.shared.global [%r1+16], [%d1], 16;"));
  CHECK(result.fault == FaultCode::outOfBounds);
  CHECK_THAT(result.error, Contains("shared memory"));
  result = run(copying("cp.async.ca.shared.global [%r1], [%d1], 4, 5;"));
  CHECK_THAT(result.error, Contains("at most 4 bytes, found 5"));
  result = run(copying("cp.async.cg.shared.global [%r1], [%d1], 8;"));
  CHECK_THAT(result.error, Contains("a size of 16 bytes, found 8"));
  result = run(copying("cp.async.ca.shared.global [%r1], [%d1], %r2;"));
  CHECK_THAT(result.error, Contains("expected a constant for 'size'"));
}

TEST_CASE("cp.async.mbarrier.arrive arrives when the copies have come") {
  // With .noinc each thread is one of the 32 that the phase expects; without,
  // it adds itself first, so that a 33rd arrival is still missing.
  for (bool counted : {true, false}) {
    KernelRun kernel;
    kernel.body = ".shared .align 8 .b64 bar;\n"
                  "setp.eq.u32 %p0, %t, 0;\n"
                  "@%p0 mbarrier.init.shared.b64 [bar], " +
                  std::string(counted ? "32" : "1") +
                  ";\nbar.sync 0;\n"
                  "cp.async.mbarrier.arrive" +
                  (counted ? ".noinc" : "") +
                  ".shared.b64 [bar];\n"
                  "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\n"
                  "selp.u32 %r1, 1, 0, %p1;\n"
                  "mul.wide.u32 %d1, %t, 4;\nadd.u64 %d1, %d1, %out;\n"
                  "st.global.u32 [%d1], %r1;";
    Result result = run(kernel);
    REQUIRE(result.error == "");
    CHECK(result.output == std::vector<uint32_t>(32, counted));
  }
}

TEST_CASE("Copies that land late land when their group is waited for") {
  // Two groups of 4 bytes, and an open one; half of the threads wait before
  // the source changes.
  std::string copies = "setp.lt.u32 %p7, %t, 16;\n";
  for (int word : {0, 1, 2})
    copies += "cp.async.ca.shared.global [%r1+" + std::to_string(word * 4) +
              "], [%d1+" + std::to_string(word * 4) + "], 4;\n" +
              (word < 2 ? "cp.async.commit_group;\n" : "");
  for (int landed : {0, 1, 2, 3}) {
    KernelRun kernel =
        copying(copies + "@%p7 cp.async.wait_group " +
                std::to_string(2 - std::min(landed, 2)) + ";\n" +
                (landed == 3 ? "@%p7 cp.async.wait_all;\n" : "") +
                "st.global.v4.b32 [%d1], {%r4, %r4, %r4, %r4};");
    kernel.options.copiesLandLate = true;
    Result result = run(kernel);
    REQUIRE(result.error == "");
    for (uint32_t i = 0; i < 128; ++i) {
      bool there = i < 64 && int(i % 4) < landed;
      CHECK(result.output[i] == (there ? 1000 + i : 0xEE));
    }
    kernel.options.copiesLandLate = false;
    CHECK(run(kernel).output[4] == 1004);
  }
}

TEST_CASE("An arrival that waits for copies lands them") {
  KernelRun kernel =
      copying(".shared .align 8 .b64 bar;\nsetp.eq.u32 %p0, %t, 0;\n"
              "@%p0 mbarrier.init.shared.b64 [bar], 32;\nbar.sync 0;\n"
              "cp.async.cg.shared.global [%r1], [%d1], 16;\n"
              "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
              "ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r1];\n"
              "st.global.v4.b32 [%d3], {%r4, %r5, %r6, %r7};\nret;");
  kernel.options.copiesLandLate = true;
  Result result = run(kernel);
  REQUIRE(result.error == "");
  CHECK(result.output == counting(128, 1000));
}
