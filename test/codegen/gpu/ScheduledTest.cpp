// A kernel computes the same at the scheduled level as at the tile level:
// layouts, steps of reductions, shared memory and barriers are right. Both run
// on the interpreter, with several numbers of warps.
#include "test/codegen/kernels/Harness.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::kerneltest;

static void checkWarps(const std::string &text, unsigned warps,
                       const std::vector<Input> &inputs = {},
                       uint64_t seed = 1) {
  schedule::GpuSchedule schedule;
  schedule.warps = warps;
  Result result = compareScheduled(text, schedule, inputs, seed);
  INFO(text);
  CAPTURE(warps);
  CHECK(result.error == "");
}

TEST_CASE("scheduled: softmax of a row that all warps share") {
  for (unsigned warps : {1, 2, 8})
    checkWarps(R"(
tile.kernel @k(%x: !tile.view<3x1024xi32>, %y: !tile.view<3x1024xi32>)
    grid affine_map<()[a, b, c, d] -> (3)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %row = tile.load %x[%i, %c0] : !tile.view<3x1024xi32> -> tensor<1x1024xi32>
  %max = tile.reduce %row axis 1 {
  ^bb0(%a: i32, %b: i32):
    %m = arith.maxsi %a, %b : i32
    tile.yield %m : i32
  } : tensor<1x1024xi32> -> tensor<1xi32>
  %column = tile.reshape %max : tensor<1xi32> -> tensor<1x1xi32>
  %maxes = tile.broadcast %column : tensor<1x1xi32> -> tensor<1x1024xi32>
  %shifted = arith.subi %row, %maxes : tensor<1x1024xi32>
  %sum = tile.reduce %shifted axis 1 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  } : tensor<1x1024xi32> -> tensor<1xi32>
  %column2 = tile.reshape %sum : tensor<1xi32> -> tensor<1x1xi32>
  %sums = tile.broadcast %column2 : tensor<1x1xi32> -> tensor<1x1024xi32>
  %r = arith.muli %shifted, %sums : tensor<1x1024xi32>
  tile.store %r, %y[%i, %c0] : tensor<1x1024xi32>, !tile.view<3x1024xi32>
})",
               warps);
}

TEST_CASE("scheduled: a transpose goes through shared memory, in a loop") {
  for (unsigned warps : {1, 4})
    checkWarps(R"(
tile.kernel @k(%x: !tile.view<96x80xi16>, %y: !tile.view<80x96xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %t = tile.load %x[%i, %c0] : !tile.view<96x80xi16> -> tensor<32x80xi16>
    %u = tile.transpose %t [1, 0] : tensor<32x80xi16> -> tensor<80x32xi16>
    tile.store %u, %y[%c0, %i] : tensor<80x32xi16>, !tile.view<80x96xi16>
  }
})",
               warps);
}
