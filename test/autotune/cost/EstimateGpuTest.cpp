// Work of threads, counted by hand, and properties of the GPU model that do not
// depend on its numbers.
#include "autotune/cost/EstimateGpu.h"
#include "autotune/cost/Metrics.h"
#include "test/autotune/cost/Kernels.h"
#include "tilewright/mlir/Compile.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::test;

static schedule::GpuSchedule warps(unsigned count) {
  schedule::GpuSchedule schedule;
  schedule.warps = count;
  return schedule;
}

static GpuWork workOf(const std::string &text,
                      const std::vector<ArgumentShape> &arguments,
                      const schedule::GpuSchedule &schedule) {
  ParsedKernel kernel(text);
  mlir::TimingScope untimed;
  auto module = scheduleForGpu(*kernel, *target::findGpuTarget("sm_90a"),
                               schedule, untimed);
  INFO(module.status().message());
  REQUIRE(module.ok());
  StatusOr<GpuWork> work =
      analyzeGpuWork(*(*module)->getOps<tile::KernelOp>().begin(), arguments);
  INFO(work.status().message());
  REQUIRE(work.ok());
  return *work;
}

static std::vector<ArgumentShape> square(int64_t size) {
  return {view({size, size}), view({size, size}), view({size, size})};
}

static Estimate estimate(const std::string &text,
                         const std::vector<ArgumentShape> &arguments,
                         const schedule::GpuSchedule &schedule,
                         std::string_view target = "sm_90a") {
  ParsedKernel kernel(text);
  StatusOr<Estimate> result =
      estimateGpu(*kernel, arguments, schedule, *target::findGpuTarget(target),
                  *gpuMachineFor(target));
  INFO(result.status().message());
  REQUIRE(result.ok());
  return *result;
}

TEST_CASE("the threads' work of a product of matrices") {
  // 4 programs of 2 steps, 2 warps each.
  GpuWork work = workOf(gemmText(32, 32, 32), square(64), warps(2));
  CHECK(work.programs == 4);
  CHECK(work.warps == 2);
  // An instruction adds up 32 products.
  CHECK(work.products == 64.0 * 64 * 64 / 32);
  // Rows are not known to be aligned, so a thread moves one element at a time:
  // a request for each row of 32 that is loaded or stored, which is in 4
  // sectors.
  double rows = 4 * 2 * (32 + 32) + 4 * 32;
  CHECK(work.globalRequests == rows);
  CHECK(work.sectors == rows * 4);
  // One in each of two steps, whose copies are in two slots; and before and
  // after the store to shared memory that converts the accumulators.
  CHECK(work.barriers == 4 * 2 * (2 + 2));
  CHECK(work.shared == 2 * (2 * 32 * 32 * 4));
  // A thread has 32 * 32 / 64 accumulators.
  CHECK(work.registers >= 16);
  CHECK(work.instructions > work.products);
}

/// 64 x 64 of 128 x 128 a program, 32 of the depth of 128 at a time.
static const char *const halfGemm = R"(
tile.kernel @gemm(%A: !tile.view<128x128xf16>, %B: !tile.view<128x128xf16>,
                  %C: !tile.view<128x128xf32>)
    grid affine_map<()[a, b, c, d, e, f] -> (2, 2)> {
  %i, %j = tile.program_id
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero)
      -> tensor<64x64xf32> {
    %a = tile.load %A[%i, %k] : !tile.view<128x128xf16> -> tensor<64x32xf16>
    %b = tile.load %B[%k, %j] : !tile.view<128x128xf16> -> tensor<32x64xf16>
    %n = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>
        -> tensor<64x64xf32>
    scf.yield %n : tensor<64x64xf32>
  }
  tile.store %sum, %C[%i, %j] : tensor<64x64xf32>, !tile.view<128x128xf32>
})";

TEST_CASE("the work of matrix instructions and of copies ahead of a loop") {
  schedule::GpuSchedule schedule = warps(4);
  for (unsigned stages : {1, 2, 3, 4}) {
    schedule.stages = stages;
    CAPTURE(stages);
    GpuWork work = workOf(halfGemm, square(128), schedule);
    CHECK(work.tensorOperations == 128.0 * 128 * 128 / (16 * 8 * 16));
    CHECK(work.matrixProducts == 128.0 * 128 * 128);
    CHECK(work.products == 0);
    // Each of 4 programs reads 2 * 64 * 128 elements, however early.
    CHECK(work.sectors == 4 * 2 * 64 * 128 * 2 / 32 + 128 * 128 * 4 / 32);
    // Two tiles of the accumulators' size are converted in 16 KB.
    CHECK(work.shared ==
          std::max<int64_t>(64 * 64 * 4, stages * 2 * 64 * 32 * 2));
  }
  schedule.instruction = 1;
  GpuWork work = workOf(halfGemm, square(128), schedule);
  CHECK(work.tensorOperations == 0);
  CHECK(work.products == 128.0 * 128 * 128 / 32);
}

TEST_CASE("sectors at the edge of a view") {
  GpuWork aligned =
      workOf(twiceText(256), {view({512}), view({512})}, warps(2));
  // 2 programs, 256 * 4 bytes in and out.
  CHECK(aligned.sectors == 2 * 2 * 256 * 4 / 32);
  GpuWork edge = workOf(twiceText(256), {view({300}), view({300})}, warps(2));
  // 300 elements in and out, and where a warp has nothing, or not all, to read
  // it reads the view's first element.
  CHECK(edge.sectors >= 2 * 300 * 4 / 32);
  CHECK(edge.sectors < aligned.sectors);
}

TEST_CASE("more warps share the work") {
  GpuWork two = workOf(gemmText(64, 64, 32), square(256), warps(2));
  GpuWork eight = workOf(gemmText(64, 64, 32), square(256), warps(8));
  CHECK(two.products == eight.products);
  CHECK(two.barriers * 4 == eight.barriers);
  CHECK(two.registers > 2 * eight.registers);
}

TEST_CASE("the terms of a GPU and their names") {
  Estimate result = estimate(gemmText(64, 64, 32), square(2048), warps(4));
  std::vector<std::string> names;
  for (const CostTerm &term : result.terms) {
    names.push_back(term.name);
    CHECK(term.nanoseconds >= 0);
    CHECK_FALSE(term.reason.empty());
    CHECK(result.nanoseconds >= term.nanoseconds);
  }
  CHECK(names == std::vector<std::string>{"compute", "issue", "shared", "l2",
                                          "dram", "latency", "tail",
                                          "overhead"});
  // 2048^3 FMAs, 128 a cycle on each of 132 multiprocessors at 1.83 GHz.
  CHECK(result.terms[0].nanoseconds ==
        Approx(2048.0 * 2048 * 2048 / (128 * 132 * 1.83)));
  CHECK(
      describeEstimate(result) ==
      describeEstimate(estimate(gemmText(64, 64, 32), square(2048), warps(4))));
}

TEST_CASE("a larger launch is never cheaper on a GPU") {
  double last = 0;
  for (int64_t size : {64, 256, 1024, 4096}) {
    double now =
        estimate(gemmText(64, 64, 32), square(size), warps(4)).nanoseconds;
    CHECK(now > last);
    last = now;
  }
}

TEST_CASE("what a block does not have is rejected before it is compiled") {
  Estimate shared =
      estimate(gemmText(128, 128, 128), square(256), warps(8), "sm_86");
  REQUIRE(shared.rejection);
  CHECK(shared.rejection->resource == "shared memory");
  CHECK(shared.rejection->reason == "131,072 B of 101,376 B");
  // The same fits where a multiprocessor has more.
  CHECK_FALSE(estimate(gemmText(128, 128, 128), square(256), warps(8), "sm_90a")
                  .rejection);
  Estimate registers = estimate(gemmText(128, 128, 32), square(256), warps(1));
  REQUIRE(registers.rejection);
  CHECK(registers.rejection->resource == "registers");
  CHECK(registers.rejection->reason.find("registers of 255") !=
        std::string::npos);
}

TEST_CASE("each target has a GPU that stands for it") {
  for (const target::GpuTarget &target : target::gpuTargets()) {
    INFO(target.name);
    CHECK(gpuMachineFor(target.name));
  }
  CHECK(gpuMachineFor("sm_10") == nullptr);
}
