// Schedules as text, the default ones, and what does not fit a target.
#include "codegen/schedule/ScheduleText.h"
#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/codegen/GpuSchedule.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright;
using namespace tilewright::schedule;

static std::string failure(std::string_view text) {
  return GpuSchedule::parse(text).status().message();
}

TEST_CASE("schedule: text in a fixed order, and back") {
  StatusOr<GpuSchedule> schedule =
      GpuSchedule::parse("  BN=96 warps=8\n BM=128 vector_bits=64 ");
  REQUIRE(schedule.ok());
  CHECK(schedule->warps == 8);
  CHECK(schedule->threads() == 256);
  CHECK(schedule->vectorBits == 64);
  CHECK(schedule->text() == "warps=8 vector_bits=64 BM=128 BN=96");
  CHECK(GpuSchedule::parse("")->text() == "warps=4 vector_bits=128");

  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    GpuSchedule any;
    any.warps = 1u << random() % 6;
    any.vectorBits = 8u << random() % 5;
    any.minBlocks = unsigned(random() % 33);
    any.maxRegisters = unsigned(random() % 256);
    any.instruction = unsigned(random() % 6);
    for (unsigned k = random() % 4; k > 0; --k)
      any.tunables["T" + std::to_string(random() % 9)] =
          int64_t(random()) - int64_t(random());
    CHECK(*GpuSchedule::parse(any.text()) == any);
  }
}

TEST_CASE("schedule: a parameter is read by its old name too") {
  CHECK(GpuSchedule::parse("warps=2 access=64")->text() ==
        "warps=2 vector_bits=64");
  CHECK(failure("access=512") ==
        "schedule: expected 'access' to be a power of two from 8 to 256, found "
        "'access=512'");
  CHECK(failure("access=8 vector_bits=8") ==
        "schedule: expected each parameter once, found 'vector_bits' again");
  CHECK(*scheduleOf("access=64 rows=2", Kind::gpu) == "vector_bits=64");
  // As before, a tunable of this name is written with the prefix.
  GpuSchedule tunable;
  tunable.tunables["access"] = 3;
  CHECK(tunable.text() == "warps=4 vector_bits=128 tunable.access=3");
  CHECK(*GpuSchedule::parse(tunable.text()) == tunable);
}

TEST_CASE("schedule: an instruction is written by its name") {
  StatusOr<GpuSchedule> schedule =
      GpuSchedule::parse("instruction=mma.m16n8k8.bf16 warps=2");
  REQUIRE(schedule.ok());
  CHECK(instructionName(schedule->instruction) == "mma.m16n8k8.bf16");
  CHECK(schedule->text() ==
        "warps=2 vector_bits=128 instruction=mma.m16n8k8.bf16");
  CHECK(GpuSchedule::parse("instruction=auto")->text() ==
        "warps=4 vector_bits=128");
  CHECK(*scheduleOf("instruction=fma rows=2", Kind::gpu) == "instruction=fma");
  CHECK(failure("instruction=2") ==
        "schedule: expected 'instruction' to be one of auto, fma, "
        "mma.m16n8k16.f16, mma.m16n8k8.f16, mma.m16n8k16.bf16, "
        "mma.m16n8k8.bf16, mma.m16n8k8.tf32, mma.m16n8k4.tf32, "
        "mma.m16n8k32.i8, mma.m16n8k16.i8, mma.m16n8k32.f8, mma.m8n8k4.f64, "
        "found 'instruction=2'");
  CHECK(failure("tunable.instruction=fma") ==
        "schedule: expected an integer after 'instruction=', found "
        "'tunable.instruction=fma'");
}

TEST_CASE("schedule: what cannot be read is named") {
  CHECK(failure("warps=33") ==
        "schedule: expected 'warps' to be from 1 to 32, found 'warps=33'");
  CHECK(failure("vector_bits=512") ==
        "schedule: expected 'vector_bits' to be a power "
        "of two from 8 to 256, found 'vector_bits=512'");
  CHECK(failure("warps=4x") == "schedule: expected an integer after 'warps=', "
                               "found 'warps=4x'");
  CHECK(failure("BM=99999999999999999999") ==
        "schedule: expected an integer after 'BM=', found "
        "'BM=99999999999999999999'");
  CHECK(failure("warps 4") == "schedule: expected name=value, found 'warps'");
  CHECK(failure("4=4") == "schedule: expected name=value, found '4=4'");
  CHECK(failure("vector_bits=8 vector_bits=4") ==
        "schedule: expected each parameter once, found 'vector_bits' again");
}

TEST_CASE("schedule: warps by default follow the work") {
  // 32 x 5 f32: 640 bytes are work for 10 threads.
  CHECK(defaultSchedule({160, 4, 0}).schedule.warps == 1);
  // 64 x 64 bf16: 8 KiB, 128 threads.
  ExplainedSchedule some = defaultSchedule({4096, 2, 0});
  CHECK(some.schedule.warps == 4);
  CHECK(some.reason == "4 warps for a tile of 8192 bytes: about 64 a thread");
  CHECK(defaultSchedule({1 << 20, 4, 0}).schedule.warps == 8);
  // 96 x 128 results: 192 threads are 6 warps; 4 is the power below.
  ExplainedSchedule dot = defaultSchedule({2048, 4, 96 * 128});
  CHECK(dot.schedule.warps == 4);
  CHECK(dot.reason == "4 warps for a dot of 12288 results: about 64 a thread");
  // On matrix units: 64 accumulators a thread up to 4 warps, then 128.
  auto matrixWarps = [](int64_t results) {
    return defaultSchedule({.matrixDot = results}).schedule.warps;
  };
  CHECK(matrixWarps(64 * 64) == 2);
  CHECK(matrixWarps(64 * 128) == 4);
  CHECK(matrixWarps(128 * 128) == 4);
  CHECK(matrixWarps(128 * 256) == 8);
  CHECK(defaultSchedule({.matrixDot = 128 * 128}).reason ==
        "4 warps for a dot of 16384 results: about 128 a thread");
  // 8 rows of 1024: 64 elements a thread. One row alone is work as any other.
  ExplainedSchedule rows = defaultSchedule({8192, 4, 0, 8, 1024});
  CHECK(rows.schedule.warps == 4);
  CHECK(rows.reason ==
        "4 warps for 8 rows of 1024 elements: about 64 a thread");
  CHECK(defaultSchedule({8000, 4, 0, 8, 1000}).schedule.warps == 4);
  CHECK(defaultSchedule({4096, 4, 0, 1, 4096}).schedule.warps == 8);
  CHECK(defaultSchedule({4096, 4, 0, 64, 64}).schedule.warps == 8);
  // One row of 128 results from 32 x 128 elements: the operand is the work.
  CHECK(defaultSchedule({4096, 4, 128}).schedule.warps == 8);
}

TEST_CASE("schedule: a limit that is exceeded is named with both numbers") {
  const target::GpuTarget &h100 = *target::findGpuTarget("sm_90a");
  GpuSchedule schedule;
  CHECK(checkResources(schedule, h100.blockShared(), {}, h100).ok());
  SharedUse uses[] = {{"B 64x256 bf16", 32768}, {"C 128x256 f32", 131072}};
  CHECK(checkResources(schedule, 262144, uses, h100).message() ==
        "schedule does not fit sm_90a: shared memory 262,144 B of 232,448 B\n"
        "  C 128x256 f32 131,072 B\n  B 64x256 bf16 32,768 B");
  schedule.minBlocks = 4;
  CHECK(checkResources(schedule, 32768, uses, h100).ok());
  CHECK(checkResources(schedule, 65536, uses, h100).message() ==
        "schedule does not fit sm_90a: min_blocks 4 of 3 for which there are "
        "shared memory");
  schedule.maxRegisters = 255;
  CHECK(checkResources(schedule, 0, uses, h100).message() ==
        "schedule does not fit sm_90a: min_blocks 4 of 2 for which there are "
        "registers");
  schedule.minBlocks = 0;
  schedule.maxRegisters = 16;
  CHECK(checkResources(schedule, 0, uses, h100).message() ==
        "schedule does not fit sm_90a: max_registers 16, of at least 24");
  schedule.maxRegisters = 0;
  schedule.warps = 64;
  CHECK(checkResources(schedule, 0, {}, h100).message() ==
        "schedule does not fit sm_90a: threads of a block 2,048 of 1,024");
}

TEST_CASE("cpu schedule: text of what was chosen, and back") {
  CHECK(CpuSchedule().text().empty());
  StatusOr<CpuSchedule> schedule =
      CpuSchedule::parse("tile0=48 order=1 rows=8  vectors=3\nunroll=0");
  REQUIRE(schedule.ok());
  CHECK(schedule->rows == 8);
  CHECK(schedule->order == 1);
  CHECK(schedule->tunables.at("tile0") == 48);
  CHECK(schedule->text() == "rows=8 vectors=3 order=1 tile0=48");

  std::mt19937 random(11);
  auto upTo = [&](unsigned most) { return unsigned(random() % (most + 1)); };
  for (int i = 0; i < 200; ++i) {
    CpuSchedule any;
    any.rows = upTo(64);
    any.vectors = upTo(64);
    any.unroll = upTo(64);
    any.packlhs = upTo(2);
    any.packrhs = upTo(2);
    any.order = upTo(2);
    any.chunk = upTo(1000);
    any.threads = upTo(4096);
    // Also those that are called like a key.
    for (const char *name : {"tile0", "rows", "warps"})
      if (upTo(1))
        any.tunables[name] = int64_t(random()) - int64_t(random());
    CHECK(*CpuSchedule::parse(any.text()) == any);
  }
}

TEST_CASE("cpu schedule: what cannot be read is named") {
  auto failure = [](std::string_view text) {
    return CpuSchedule::parse(text).status().message();
  };
  CHECK(failure("rows=65") ==
        "schedule: expected 'rows' to be from 0 to 64, found 'rows=65'");
  CHECK(failure("packrhs=-1") ==
        "schedule: expected 'packrhs' to be from 0 to 2, found 'packrhs=-1'");
  CHECK(failure("rows=2 rows=2") ==
        "schedule: expected each parameter once, found 'rows' again");
  CHECK(failure("BM=2 tunable.BM=2") ==
        "schedule: expected each parameter once, found 'BM' again");
}

TEST_CASE("schedule: keys of the other kind are named, and can be told apart") {
  CHECK(CpuSchedule::parse("rows=2 warps=4").status().message() ==
        "schedule: 'warps' is a parameter for GPUs; for CPUs there are rows, "
        "vectors, unroll, packlhs, packrhs, order, chunk, threads, and the "
        "kernel's tunables, of which one of this name is written "
        "'tunable.warps'");
  CHECK(failure("rows=4") ==
        "schedule: 'rows' is a parameter for CPUs; for GPUs there are warps, "
        "vector_bits, min_blocks, max_registers, persistent, group, "
        "instruction, stages, and the kernel's tunables, of which one of this "
        "name is written 'tunable.rows'");
  CHECK(GpuSchedule::parse("tunable.rows=4")->tunables.at("rows") == 4);

  std::string both = "rows=4 BM=64 warps=2 tunable.rows=3";
  CHECK(*scheduleOf(both, Kind::cpu) == "rows=4 BM=64 tunable.rows=3");
  CHECK(*scheduleOf(both, Kind::gpu) == "BM=64 warps=2 tunable.rows=3");
  CHECK(scheduleOf("rows=x", Kind::gpu).status().message() ==
        "schedule: expected an integer after 'rows=', found 'rows=x'");
}
