// Properties of the CPU model that do not depend on its numbers.
#include "autotune/cost/EstimateCpu.h"
#include "autotune/cost/Metrics.h"
#include "test/autotune/cost/Kernels.h"
#include <catch2/catch.hpp>
#include <fstream>

using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::test;
using schedule::CpuSchedule;

static cpu::CpuTarget target() {
  cpu::CpuTarget target;
  target.cpu = "znver4";
  target.vectorBits = 512;
  target.vectorRegisters = 32;
  return target;
}

static CpuMachine machine() {
  CpuMachine machine;
  machine.core = cpuCoreNamed("znver4");
  machine.cores = 4;
  return machine;
}

static CpuSchedule block(unsigned rows, unsigned vectors, unsigned unroll = 0) {
  CpuSchedule schedule;
  schedule.rows = rows;
  schedule.vectors = vectors;
  schedule.unroll = unroll;
  return schedule;
}

static CpuSchedule spread(unsigned chunk, unsigned threads = 0) {
  CpuSchedule schedule;
  schedule.chunk = chunk;
  schedule.threads = threads;
  return schedule;
}

static Estimate estimate(const std::string &text,
                         const std::vector<ArgumentShape> &arguments,
                         const CpuSchedule &schedule = {}) {
  ParsedKernel kernel(text);
  StatusOr<Estimate> result =
      estimateCpu(*kernel, arguments, schedule, target(), machine());
  INFO(result.status().message());
  REQUIRE(result.ok());
  return *result;
}

static double termOf(const Estimate &estimate, const std::string &name) {
  for (const CostTerm &term : estimate.terms)
    if (term.name == name)
      return term.nanoseconds;
  FAIL("no term " << name);
  return 0;
}

static Estimate gemm(int64_t size, const CpuSchedule &schedule = {},
                     int64_t tile = 96) {
  return estimate(gemmText(tile, tile, 64),
                  {view({size, size}), view({size, size}), view({size, size})},
                  schedule);
}

TEST_CASE("the terms and their names") {
  Estimate result = gemm(960);
  std::vector<std::string> names;
  double largest = 0;
  for (const CostTerm &term : result.terms) {
    names.push_back(term.name);
    CHECK(term.nanoseconds >= 0);
    CHECK_FALSE(term.reason.empty());
    largest = std::max(largest, term.nanoseconds);
  }
  CHECK(names == std::vector<std::string>{"compute", "issue", "latency", "l1",
                                          "l2", "l3", "dram", "pack",
                                          "overhead", "imbalance"});
  CHECK(result.nanoseconds >= largest);
  // 2 * 960^3 operations at 32 a cycle, 3 GHz and 4 cores.
  double floor = 2.0 * 960 * 960 * 960 / (32 * 3.0 * 4);
  CHECK(termOf(result, "compute") > floor);
  CHECK(termOf(result, "compute") < 1.3 * floor);
}

TEST_CASE("more work is never cheaper") {
  double last = 0;
  for (int64_t size : {96, 192, 384, 768, 1536}) {
    double now = gemm(size).nanoseconds;
    CHECK(now > last);
    last = now;
  }
  last = 0;
  for (int64_t size = 1 << 10; size <= 1 << 26; size *= 4) {
    Estimate now = estimate(twiceText(1024), {view({size}), view({size})});
    CHECK(now.nanoseconds > last);
    CHECK(termOf(now, "dram") >= 0);
    last = now.nanoseconds;
  }
}

TEST_CASE("a launch that does not fit the last cache pays for memory") {
  auto small = estimate(twiceText(1024), {view({1 << 18}), view({1 << 18})});
  auto large = estimate(twiceText(1024), {view({1 << 24}), view({1 << 24})});
  CHECK(termOf(small, "dram") == 0);
  // 128 MB at 25 GB/s.
  CHECK(termOf(large, "dram") == Approx(8.0 * (1 << 24) / 25));
}

TEST_CASE("few accumulators wait for the latency of an FMA") {
  Estimate one = gemm(960, block(1, 1));
  Estimate many = gemm(960, block(8, 3));
  CHECK(termOf(one, "latency") > termOf(one, "compute"));
  CHECK(termOf(many, "latency") < termOf(many, "compute"));
  CHECK(one.nanoseconds > 2 * many.nanoseconds);
}

TEST_CASE("blocks that the registers do not hold are rejected") {
  Estimate result = gemm(960, block(12, 4));
  REQUIRE(result.rejection);
  CHECK(result.rejection->resource == "registers");
  CHECK(result.rejection->reason ==
        "block of 12 x 4 needs 53 vector registers of 32");
  // What a small matrix does not fill needs no registers.
  CHECK_FALSE(gemm(960, block(12, 4), 16).rejection);
}

TEST_CASE("code and scratch memory beyond their limits are rejected") {
  Estimate code = gemm(960, block(8, 3, 512), 96);
  REQUIRE(code.rejection);
  CHECK(code.rejection->resource == "code");
  CHECK(code.rejection->reason.find("the limit is 131 kB") !=
        std::string::npos);
  Estimate scratch = gemm(4096, {}, 2048);
  REQUIRE(scratch.rejection);
  CHECK(scratch.rejection->resource == "scratch memory");
  CHECK(scratch.rejection->reason.find("the limit is 16.8 MB") !=
        std::string::npos);
}

TEST_CASE("panels of the left operand cost more than a copy of it") {
  CpuSchedule panels;
  panels.packlhs = 2;
  // Copied in any case: sizes are not static, so that loads are checked.
  CHECK(termOf(gemm(960, panels), "pack") > 1.5 * termOf(gemm(960), "pack"));
}

TEST_CASE("threads, and what they wait for one another") {
  // 25 programs: 7 of the slowest thread's against 6.25.
  Estimate four = gemm(480, spread(1)), one = gemm(480, spread(1, 1));
  CHECK(termOf(one, "imbalance") == 0);
  CHECK(termOf(one, "compute") == Approx(4 * termOf(four, "compute")));
  CHECK(termOf(four, "imbalance") > 0.1 * termOf(four, "compute"));
  CHECK(one.nanoseconds > four.nanoseconds);
  // All programs in one chunk keep three threads waiting.
  CHECK(gemm(480, spread(25)).nanoseconds > 0.9 * one.nanoseconds);
}

TEST_CASE("the same input gives the same estimate") {
  Estimate first = gemm(960, block(4, 2)), second = gemm(960, block(4, 2));
  CHECK(first.nanoseconds == second.nanoseconds);
  CHECK(describeEstimate(first) == describeEstimate(second));
}

TEST_CASE("estimates as text") {
  Estimate estimate;
  estimate.nanoseconds = 12345;
  estimate.terms = {{"compute", 12000, "2.1 GFLOP"}, {"dram", 345, "8 MB"}};
  CHECK(describeEstimate(estimate) ==
        "modelled  12.3 us\n"
        "  compute        12 us  2.1 GFLOP  <- the most\n"
        "  dram          345 ns  8 MB\n");
  estimate.rejection = {"registers", "too many"};
  CHECK(describeEstimate(estimate) == "rejected  registers: too many\n");
  CHECK(threeDigits(1234567.8) == "1,234,568");
  CHECK(threeDigits(0.0415) == "0.0415");
  CHECK(inBytes(16777216) == "16.8 MB");
}

TEST_CASE("a machine as the system describes it") {
  namespace fs = std::filesystem;
  fs::path root = fs::temp_directory_path() / "tilewright-cost-machine";
  fs::remove_all(root);
  auto write = [&](const std::string &name, const std::string &text) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text << "\n";
  };
  write("online", "0-7");
  write("cpu0/topology/thread_siblings_list", "0,4");
  write("cpu0/cpufreq/cpuinfo_max_freq", "4200000");
  for (auto [index, level, type, size, shared] :
       {std::tuple{"0", "1", "Data", "48K", "0,4"},
        std::tuple{"1", "1", "Instruction", "32K", "0,4"},
        std::tuple{"2", "2", "Unified", "2048K", "0,4"},
        std::tuple{"3", "3", "Unified", "32M", "0-7"}}) {
    std::string folder = std::string("cpu0/cache/index") + index + "/";
    write(folder + "level", level);
    write(folder + "type", type);
    write(folder + "size", size);
    write(folder + "shared_cpu_list", shared);
  }
  CpuMachine machine = machineFrom(root, "skylake-avx512");
  CHECK(machine.cores == 4);
  CHECK(machine.gigahertz == Approx(4.2));
  CHECK(machine.l1 == 48 << 10);
  CHECK(machine.l2 == 2 << 20);
  CHECK(machine.l3 == 32 << 20);
  CHECK(machine.l3Cores == 4);
  // The longest name that fits, and the last line for all others.
  CHECK(machine.core.name == "skylake-avx512");
  CHECK(cpuCoreNamed("skylake").name == "skylake");
  CHECK(cpuCoreNamed("z80").name.empty());
  // Where the system says nothing, the defaults stay.
  fs::remove_all(root);
  CHECK(machineFrom(root, "").cores == 1);
  CHECK(machineFrom(root, "").l1 == 32 << 10);
}
