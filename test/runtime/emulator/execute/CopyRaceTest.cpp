// Accesses to what a copy is about to write; right pipelines have none, and do
// not depend on when copies land and warps change.
#include "test/runtime/emulator/execute/KernelRun.h"
#include <algorithm>
#include <catch2/catch.hpp>

using namespace tilewright::emulator;
using Catch::Contains;

namespace {
enum class Planted { nothing, noWait, shallowWait, earlyWrite, secondCopy };

constexpr uint32_t threads = 128, steps = 7;
} // namespace

static std::string number(uint32_t value) { return std::to_string(value); }

/// The copy of `step` in a pipeline.
static std::string copyOf(uint32_t stages, uint32_t step) {
  const uint32_t bytes = threads * 16;
  return "cp.async.cg.shared.global [%r1+" + number(step % stages * bytes) +
         "], [%d1+" + number(step * bytes) + "], 16;\n";
}

/// In each of the steps a thread copies 16 bytes to its place in one of
/// `stages` slots, and adds a word that a thread of the next warp has copied.
static KernelRun pipeline(uint32_t stages, Planted planted = Planted::nothing) {
  KernelRun kernel;
  kernel.threads = threads;
  kernel.input = counting(size_t{threads} * 4 * steps, 1000);
  kernel.outputWords = threads;
  std::string &body = kernel.body;
  body = ".shared .align 16 .b8 ring[8192];\nmov.u32 %r0, ring;\n"
         "shl.b32 %r1, %t, 4;\nadd.u32 %r1, %r0, %r1;\n"
         "mul.wide.u32 %d1, %t, 16;\nadd.u64 %d1, %in, %d1;\n"
         "add.u32 %r2, %t, 33;\nand.b32 %r2, %r2, 127;\n"
         "shl.b32 %r2, %r2, 4;\nadd.u32 %r2, %r0, %r2;\nmov.u32 %r3, 0;\n";
  auto slot = [&](uint32_t step) {
    return number(step % stages * threads * 16);
  };
  auto copy = [&](uint32_t step) {
    const std::string text = copyOf(stages, step);
    if (step < steps)
      body += text;
    if (step < steps && planted == Planted::secondCopy && step == stages)
      body += text;
    body += "cp.async.commit_group;\n";
    if (planted == Planted::earlyWrite && step == stages)
      body += "st.shared.u32 [%r1+" + slot(step) + "], 5;\n";
  };
  const uint32_t ahead = stages > 1 ? stages - 1 : 1;
  for (uint32_t step = 0; step < ahead; ++step)
    copy(step);
  for (uint32_t step = 0; step < steps; ++step) {
    const uint32_t left =
        ahead - 1 + (planted == Planted::shallowWait && step == 2);
    if (planted != Planted::noWait || step != 2)
      body += "cp.async.wait_group " + number(left) + ";\n";
    body += "bar.sync 0;\n";
    if (stages > 1)
      copy(step + ahead);
    body += "ld.shared.u32 %r4, [%r2+" + slot(step) +
            "];\nadd.u32 %r3, %r3, %r4;\n";
    if (stages == 1) {
      body += "bar.sync 0;\n";
      copy(step + 1);
    }
  }
  body += "mul.wide.u32 %d2, %t, 4;\nadd.u64 %d2, %out, %d2;\n"
          "st.global.u32 [%d2], %r3;";
  return kernel;
}

static std::vector<uint32_t> pipelineResult() {
  std::vector<uint32_t> sums(threads);
  for (uint32_t thread = 0; thread < threads; ++thread)
    for (uint32_t step = 0; step < steps; ++step)
      sums[thread] += 1000 + (step * threads + (thread + 33) % threads) * 4;
  return sums;
}

TEST_CASE("A right pipeline does not depend on landings and interleavings") {
  for (uint32_t stages : {1, 2, 3, 4}) {
    KernelRun kernel = pipeline(stages);
    kernel.counts = true;
    const Result plain = run(kernel);
    REQUIRE(plain.error == "");
    CHECK(plain.output == pipelineResult());
    for (bool late : {false, true})
      for (uint64_t seed : {0, 1, 2, 3, 4, 5}) {
        INFO(stages << " stages, late " << late << ", seed " << seed);
        kernel.options.copiesLandLate = late;
        if (seed)
          kernel.options.interleave = seed;
        else
          kernel.options.interleave.reset();
        for (bool counts : {true, false}) {
          kernel.counts = counts;
          const Result result = run(kernel);
          REQUIRE(result.error == "");
          CHECK(result.output == plain.output);
          CHECK(result.executed == plain.executed);
          CHECK(result.counters == (counts ? plain.counters : ""));
        }
      }
  }
}

/// "17:1", where `text` stands in the body for the first time after `after`.
static std::string lineOf(const KernelRun &kernel, const std::string &text,
                          const std::string &after = "") {
  const size_t start = kernel.body.find(after) + after.size();
  const size_t at = kernel.body.find(text, start);
  REQUIRE(at != std::string::npos);
  const auto before = std::count(kernel.body.begin(),
                                 kernel.body.begin() + ptrdiff_t(at), '\n');
  return number(firstBodyLine + uint32_t(before)) + ":1";
}

/// The error of a kernel that has a race in both landings.
static std::string raceOf(KernelRun kernel) {
  std::string errors[2];
  for (bool late : {false, true}) {
    kernel.options.copiesLandLate = late;
    const Result result = run(kernel);
    INFO(result.error);
    CHECK(result.fault == FaultCode::race);
    errors[late] = result.error;
  }
  CHECK(errors[0] == errors[1]);
  return errors[0];
}

TEST_CASE("Faults planted into a pipeline are races, which name both places") {
  for (uint32_t stages : {1, 2, 3, 4}) {
    INFO(stages << " stages");
    // Of the first step to fill a slot again.
    const std::string again = copyOf(stages, stages);
    KernelRun kernel = pipeline(stages, Planted::earlyWrite);
    CHECK_THAT(
        raceOf(kernel),
        Contains(lineOf(kernel, "st.shared") + ": race: st of 4 bytes") &&
            Contains(", lane 0 had waited for its cp.async at line " +
                     lineOf(kernel, again) + ", which writes 16 bytes"));

    kernel = pipeline(stages, Planted::secondCopy);
    CHECK_THAT(
        raceOf(kernel),
        Contains(lineOf(kernel, again, again) + ": race: cp of 16 bytes") &&
            Contains("its cp.async at line " + lineOf(kernel, again)));

    for (Planted planted : {Planted::noWait, Planted::shallowWait}) {
      // Step 2 reads what nobody has waited for.
      kernel = pipeline(stages, planted);
      const std::string copy =
          "its cp.async at line " + lineOf(kernel, copyOf(stages, 2));
      CHECK_THAT(raceOf(kernel),
                 Contains(": race: ld of 4 bytes") && Contains(copy));
      for (uint64_t seed : {1, 2, 3, 4, 5}) {
        kernel.options.interleave = seed;
        CHECK_THAT(raceOf(kernel), Contains(copy));
      }
    }
  }
}

/// Each thread copies 16 bytes to `tile`, at %r1 in shared memory; then `rest`.
static KernelRun afterCopy(const std::string &rest, uint32_t size = 64) {
  KernelRun kernel;
  kernel.threads = size;
  kernel.body = ".shared .align 128 .b8 tile[2048];\n"
                "shl.b32 %r0, %t, 4;\nmov.u32 %r1, tile;\n"
                "add.u32 %r1, %r1, %r0;\nmul.wide.u32 %d1, %t, 16;\n"
                "add.u64 %d1, %in, %d1;\nmov.u64 %d2, tile;\n"
                "cvta.shared.u64 %d2, %d2;\nmov.u32 %r3, 0;\n"
                "cp.async.cg.shared.global [%r1], [%d1], 16;\n" +
                rest;
  kernel.input = counting(512);
  return kernel;
}

TEST_CASE("Each way to access shared memory is a race with a copy") {
  for (const char *access :
       {"ld.shared.u8 %h0, [tile+17];", "ld.u32 %r2, [%d2];",
        "st.u64 [%d2+40], 1;", "st.shared::cluster.u32 [%r1], 1;",
        "atom.shared.add.u32 %r2, [%r1], 1;", "red.shared.add.u32 [%r1], 1;",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2,%r3,%r4,%r5}, [%r1];",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r3};",
        "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [tile], "
        "{%r3,%r3,%r3,%r3};",
        "mbarrier.init.shared.b64 [tile+64], 1;",
        "cp.async.ca.shared.global [%r1+8], [%d1], 8;",
        "cp.async.bulk.global.shared::cta.bulk_group [%out], [tile], 64;",
        "bar.sync 0;\nmov.u32 %r2, %t;\nxor.b32 %r2, %r2, 32;\n"
        "ld.shared.u32 %r2, [%r1];"})
    CHECK_THAT(raceOf(afterCopy(access)),
               Contains("its cp.async at line 26:1"));
}

TEST_CASE("wgmma reads what is pending") {
  // Both operands are K-major, without swizzle, at the start of the tile.
  const std::string body = "mov.b64 %d3, 0x0000001000080000;\n"
                           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                           "{%r4,%r5,%r6,%r7}, %d3, %d3, 0, 1, 1, 0, 0;";
  CHECK_THAT(raceOf(afterCopy(body, 128)), Contains("race: wgmma of 16 bytes"));
  KernelRun waits = afterCopy("cp.async.wait_all;\nbar.sync 0;\n" + body, 128);
  CHECK(run(waits).error == "");
}

TEST_CASE("A copy of another block of the cluster is a race") {
  KernelRun kernel =
      afterCopy("barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
                "mov.u32 %r4, %cluster_ctarank;\nxor.b32 %r4, %r4, 1;\n"
                "mapa.shared::cluster.u32 %r5, %r1, %r4;\n"
                "ld.shared::cluster.u32 %r2, [%r5];");
  kernel.blocks = kernel.cluster = 2;
  CHECK_THAT(raceOf(kernel), Contains("ld of 4 bytes"));
}

TEST_CASE("No race: bytes beside a copy, and copies that are waited for") {
  for (const char *rest :
       {"ld.shared.u32 %r2, [tile+1024];", "st.shared.u32 [%r1+1024], 1;",
        "cp.async.wait_all;\nld.shared.u32 %r2, [%r1];",
        "cp.async.commit_group;\ncp.async.ca.shared.global [%r1+1024], [%d1], "
        "4;\ncp.async.commit_group;\ncp.async.wait_group 1;\n"
        "ld.shared.u32 %r2, [%r1];\nld.shared.u32 %r2, [%r1+1028];",
        // The last groups are waited for by no one, and nobody looks.
        "cp.async.commit_group;"})
    for (bool late : {false, true}) {
      INFO(rest);
      KernelRun kernel = afterCopy(rest);
      kernel.options.copiesLandLate = late;
      CHECK(run(kernel).error == "");
    }
  // Bytes of one word are all of the copy's; of the next, none.
  CHECK_THAT(raceOf(afterCopy("cp.async.wait_all;\ncp.async.ca.shared.global "
                              "[%r1], [%d1], 4;\nld.shared.u8 %h0, [%r1+3];")),
             Contains("which writes 4 bytes"));
}

TEST_CASE("A thread that ends has not waited for its copies") {
  // The second warp copies and ends; the first reads that after a barrier.
  const std::string body = "setp.lt.u32 %p0, %t, 32;\n@!%p0 exit;\n"
                           "cp.async.wait_all;\nbar.sync 0;\n"
                           "ld.shared.u32 %r2, [%r1+512];";
  CHECK_THAT(raceOf(afterCopy(body)),
             Contains("expected that warp 1, lane 0 had waited"));
  // One lane of the warp that reads.
  CHECK_THAT(raceOf(afterCopy("setp.eq.u32 %p0, %t, 3;\n@%p0 exit;\n"
                              "cp.async.wait_all;\nld.shared.u32 %r2, "
                              "[tile+48];")),
             Contains("expected that warp 0, lane 3 had waited"));
}

TEST_CASE("Lanes of one instruction that copy to the same bytes are a race") {
  CHECK_THAT(raceOf(afterCopy("cp.async.ca.shared.global [tile+1024], [%in], "
                              "4;",
                              32)),
             Contains("expected that warp 0, lane 0 had waited") &&
                 Contains("warp 0, lane 1)"));
}
