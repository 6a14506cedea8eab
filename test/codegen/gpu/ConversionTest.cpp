// Conversions of layouts that move nothing between threads.
#include "test/codegen/kernels/Harness.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::kerneltest;

TEST_CASE("conversions: to a layout with fewer registers beyond the tile") {
  // A cell of 4 rows, of which the tile has 3, becomes 3 repeats of one row.
  const char *text = R"(
tile.kernel @k(%a: !tile.view<3x14xi32>, %c: i1, %o: !tile.view<3x14x2xi32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<3x14xi32> -> tensor<3x14xi32>
  %j = tile.join %x, %x
      : tensor<3x14xi32>, tensor<3x14xi32> -> tensor<3x14x2xi32>
  %s = tile.scan %j axis 0 {
  ^bb0(%p: i32, %q: i32):
    %sum = arith.addi %p, %q : i32
    tile.yield %sum : i32
  } : tensor<3x14x2xi32> -> tensor<3x14x2xi32>
  %r = arith.select %c, %j, %s : tensor<3x14x2xi32>
  tile.store %r, %o[%c0, %c0, %c0]
      : tensor<3x14x2xi32>, !tile.view<3x14x2xi32>
}
)";
  for (unsigned warps : {1, 2, 4})
    for (int64_t condition : {0, 1}) {
      schedule::GpuSchedule schedule;
      schedule.warps = warps;
      CAPTURE(warps, condition);
      StatusOr<KernelImage> image =
          compileForGpu(text, target::gpuTargets().front(), schedule);
      if (!image.ok())
        FAIL(image.status().message());
      Result result =
          compareOnEmulator(text, *image, {{}, {.scalar = condition}, {}});
      CHECK(result.error == "");
    }
}
