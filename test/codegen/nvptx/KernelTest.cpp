// Tile kernels as PTX: each compiles for every target, and ptxas takes it.
#include "Kernels.h"

#include <catch2/catch.hpp>
#include <chrono>

using namespace tilewright;
using namespace tilewright::ptxtest;

TEST_CASE("kernel: element by element, with edges") {
  KernelImage image = checkAllTargets(R"(
tile.kernel @add(%x: !tile.view<?x64xf32>, %y: !tile.view<?x64xf32>)
    grid affine_map<()[M, c, m, d] -> (M ceildiv 32)> {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<32x64xf32>
  %i = tile.program_id
  %t = tile.load %x[%i, %c0] pad 0.0 : !tile.view<?x64xf32> -> tensor<32x64xf32>
  %s = arith.addf %t, %one : tensor<32x64xf32>
  tile.store %s, %y[%i, %c0] : tensor<32x64xf32>, !tile.view<?x64xf32>
}
)");
  // Rows of 256 bytes: 16 bytes a thread, 4 times 8 rows.
  CHECK(count(image.code, "st.global.v4.b32") >= 4);
  CHECK(count(image.code, "ld.global.v4.b32") >= 4);
  CHECK(count(image.code, "ld.global.b32") == 0);
  CHECK(count(image.code, "shared") == 0);
  CHECK(image.manifest.block == 128);
  CHECK(image.manifest.shared == 0);
  CHECK(image.manifest.guards ==
        std::vector<std::string>{"aligned(arg0, 16)", "aligned(arg1, 16)"});
}

TEST_CASE("kernel: a gather through pointers, masked") {
  KernelImage image = checkAllTargets(R"(
tile.kernel @gather(%x: !tile.ptr<f16>, %i: !tile.view<64xi32>, %y: !tile.view<64xf16>, %n: i32) {
  %c0 = arith.constant 0 : index
  %at = tile.load %i[%c0] : !tile.view<64xi32> -> tensor<64xi32>
  %p = tile.offset %x, %at : !tile.ptr<f16>, tensor<64xi32>
  %bound = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi ult, %at, %bound : tensor<64xi32>
  %v = tile.load_ptr %p mask %m : tensor<64x!tile.ptr<f16>>
  tile.store_ptr %v, %p mask %m : tensor<64x!tile.ptr<f16>>
  tile.store %v, %y[%c0] : tensor<64xf16>, !tile.view<64xf16>
}
)");
  // 64 elements by 32 threads, each element once, and the others skipped.
  CHECK(image.manifest.block == 32);
  CHECK(count(image.code, "ld.global.b16") == 2);
  CHECK(count(image.code, "st.global.b16") >= 2);
  CHECK(count(image.code, "bra") >= 2);
  // The pointers may lead to what is stored: reads come first.
  CHECK(count(image.scheduled, "tilegpu.barrier") >= 1);
}

TEST_CASE("kernel: registers beyond the tile divide by 1") {
  auto text = [](const std::string &size) {
    std::string tile = "tensor<" + size + "xi32>";
    std::string view = "!tile.view<" + size + "xi32>";
    return "tile.kernel @k(%x: " + view + ", %y: " + view + ") {\n" +
           "%c0 = arith.constant 0 : index\n%t = tile.load %x[%c0] : " + view +
           " -> " + tile + "\n%u = tile.load %y[%c0] : " + view + " -> " +
           tile + "\n%q = arith.divsi %t, %u : " + tile +
           "\ntile.store %q, %y[%c0] : " + tile + ", " + view + "\n}\n";
  };
  const char *select = ": vector<2xi1>, vector<2xi32>";
  CHECK(count(checkAllTargets(text("48")).loops, select) == 1);
  CHECK(count(checkAllTargets(text("64")).loops, select) == 0);
}

TEST_CASE("kernel: a combiner computes in f8 with a scalar from outside") {
  KernelImage image = checkAllTargets(R"(
tile.kernel @k(%x: !tile.view<4x64xf8E5M2>, %y: !tile.view<4xf8E5M2>, %s: f8E5M2) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<4x64xf8E5M2> -> tensor<4x64xf8E5M2>
  %r = tile.reduce %t axis 1 {
  ^bb0(%a: f8E5M2, %b: f8E5M2):
    %half = arith.constant 0.5 : f8E5M2
    %c = arith.addf %a, %b : f8E5M2
    %d = arith.mulf %c, %half : f8E5M2
    %e = arith.maximumf %d, %s : f8E5M2
    tile.yield %e : f8E5M2
  } : tensor<4x64xf8E5M2> -> tensor<4xf8E5M2>
  tile.store %r, %y[%c0] : tensor<4xf8E5M2>, !tile.view<4xf8E5M2>
}
)");
  CHECK(count(image.code, "max.NaN.f32") >= 5);
}

TEST_CASE("kernel: what has no lowering is named") {
  StatusOr<KernelImage> image = compileText(R"(
tile.kernel @dot(%x: !tile.view<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  %d = tile.dot %t, %t, %t : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %d, %x[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}
)",
                                            *target::findGpuTarget("sm_80"));
  REQUIRE_FALSE(image.ok());
  CHECK(image.status().message() ==
        "kernel 'dot': loc(\"-\":5:8): tile.dot: not supported on a GPU yet");
}

TEST_CASE("kernel: a constant of a resource is refused") {
  StatusOr<KernelImage> image = compileText(R"(
tile.kernel @k(%y: !tile.view<2xi32>) {
  %c0 = arith.constant 0 : index
  %a = arith.constant dense_resource<data> : tensor<2xi32>
  tile.store %a, %y[%c0] : tensor<2xi32>, !tile.view<2xi32>
}
{-#
  dialect_resources: { builtin: { data: "0x040000000100000002000000" } }
#-}
)",
                                            *target::findGpuTarget("sm_80"));
  REQUIRE_FALSE(image.ok());
  CHECK_THAT(image.status().message(),
             Catch::Contains("arith.constant: expected dense<...>"));
}

constexpr const char *softmax = R"(
tile.kernel @softmax(%x: !tile.view<?x4096xf32>, %y: !tile.view<?x4096xf32>)
    grid affine_map<()[M, c, m, d] -> (M)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %row = tile.load %x[%i, %c0] pad 0.0 : !tile.view<?x4096xf32> -> tensor<1x4096xf32>
  %max = tile.reduce %row axis 1 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    tile.yield %m : f32
  } : tensor<1x4096xf32> -> tensor<1xf32>
  %max1 = tile.reshape %max : tensor<1xf32> -> tensor<1x1xf32>
  %maxes = tile.broadcast %max1 : tensor<1x1xf32> -> tensor<1x4096xf32>
  %shifted = arith.subf %row, %maxes : tensor<1x4096xf32>
  %e = math.exp %shifted : tensor<1x4096xf32>
  %sum = tile.reduce %e axis 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : tensor<1x4096xf32> -> tensor<1xf32>
  %sum1 = tile.reshape %sum : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %sum1 : tensor<1x1xf32> -> tensor<1x4096xf32>
  %r = arith.divf %e, %sums : tensor<1x4096xf32>
  tile.store %r, %y[%i, %c0] : tensor<1x4096xf32>, !tile.view<?x4096xf32>
}
)";

TEST_CASE("kernel: softmax") {
  KernelImage image = checkAllTargets(softmax);
  // 8 warps share the row: each maximum and each sum meets in shared memory,
  // and the second does not overtake the first.
  CHECK(image.schedule.schedule.warps == 8);
  CHECK(count(image.scheduled, "tilegpu.barrier") == 3);
  CHECK(count(image.code, "bar.sync") == 3);
  CHECK(count(image.code, "shfl.sync.bfly") == 10);
  CHECK(image.manifest.shared == 32);
  CHECK(image.manifest.block == 256);
}

/// Prints the time from text to PTX in a warm process; only runs when it is
/// named.
TEST_CASE("kernel: time of softmax", "[.measure]") {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int i = 0; i < 50; ++i) {
    Clock::time_point start = Clock::now();
    REQUIRE(compileText(softmax, *target::findGpuTarget("sm_90a")).ok());
    std::chrono::duration<double, std::milli> took = Clock::now() - start;
    best = std::min(best, took.count());
  }
  WARN("text to PTX: " << best << " ms, least of 50");
}
