// Inline PTX, assertions and prints on a GPU.
#include "Kernels.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::ptxtest;

static std::string rejection(const std::string &text) {
  StatusOr<KernelImage> image =
      compileText(text, *target::findGpuTarget("sm_80"));
  return image.ok() ? "compiled" : image.status().message();
}

/// A kernel that loads 48 numbers and an i1 for each: by 32 threads.
static std::string kernel(const std::string &body) {
  return R"(
tile.kernel @k(%x: !tile.view<48xi32>, %m: !tile.view<48xi1>, %y: !tile.view<48xi32>, %s: i32, %h: f16) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<48xi32> -> tensor<48xi32>
  %b = tile.load %m[%c0] : !tile.view<48xi1> -> tensor<48xi1>
)" + body +
         "}\n";
}

TEST_CASE("effects: inline PTX, for each element") {
  KernelImage image = checkAllTargets(kernel(R"(
  %q, %r = tile.inline_ptx "lop3.b32 $0, $2, $3, 7, 0x96; brev.b32 $1, $2;" constraints "=&r,=r,r,r" pure
      (%t, %t) : (tensor<48xi32>, tensor<48xi32>) -> (tensor<48xi32>, tensor<48xi32>)
  %u = arith.addi %q, %r : tensor<48xi32>
  tile.store %u, %y[%c0] : tensor<48xi32>, !tile.view<48xi32>
)"));
  // 48 elements in two registers of 32 threads.
  CHECK(count(image.code, "lop3.b32") == 2);
  CHECK(count(image.code, "brev.b32") == 2);
}

TEST_CASE("effects: inline PTX on a scalar") {
  KernelImage image = checkAllTargets(kernel(R"(
  %q = tile.inline_ptx "ex2.approx.f16 $0, $1;" constraints "=h,h" pure (%h) : (f16) -> f16
  tile.inline_ptx "{ .reg .b32 %n; add.s32 %n, $0, 1; }" constraints "r" (%s) : (i32) -> ()
  %i = tile.convert %q saturate : f16 -> i32
  %u = tile.splat %i : i32 -> tensor<48xi32>
  tile.store %u, %y[%c0] : tensor<48xi32>, !tile.view<48xi32>
)"));
  CHECK(count(image.code, "ex2.approx.f16") == 1);
  // By the first thread of the block.
  CHECK(count(image.code, "add.s32 %n") == 1);
  CHECK(count(image.code, "setp") >= 1);
}

TEST_CASE("effects: inline PTX with an effect, once for each element") {
  KernelImage image = checkAllTargets(kernel(R"(
  %p = arith.extsi %t : tensor<48xi32> to tensor<48xi64>
  tile.inline_ptx "prefetch.global.L2 [$0];" constraints "l" (%p) : (tensor<48xi64>) -> ()
)"));
  // Two registers, and the second only where it is in the tile.
  CHECK(count(image.code, "prefetch.global.L2") == 2);
  CHECK(count(image.code, "bra") >= 1);
}

TEST_CASE("effects: inline PTX that is no PTX of this target is an error") {
  CHECK_THAT(rejection(kernel(R"(
  tile.inline_ptx "add.s32 $0, $0, 1;" constraints "Z" (%s) : (i32) -> ()
)")),
             Catch::Contains("constraint 'Z'"));
  CHECK_THAT(rejection(kernel(R"(
  %u = tile.inline_ptx "mov.u32 $0, %clock;" constraints "=r" () : () -> i32
  tile.print "", %u : i32
)")),
             Catch::Contains("tile.inline_ptx: expected `pure`: several "
                             "threads need the results"));
}

TEST_CASE("effects: an assertion stops the kernel with its message") {
  std::string text = kernel("tile.assert %b, \"a 100% wrong\" : tensor<48xi1>");
  KernelImage image = checkAllTargets(text);
  CHECK(count(image.code, "call.uni __assertfail") == 1);
  // "a 1"
  CHECK(count(image.code, "{97, 32, 49, ") == 1);
  CompileOptions without;
  without.assertions = false;
  StatusOr<KernelImage> silent =
      compileText(text, *target::findGpuTarget("sm_90a"), without);
  REQUIRE(silent.ok());
  CHECK(count(silent->code, "__assertfail") == 0);
}

TEST_CASE("effects: one thread prints for its program") {
  KernelImage image = checkAllTargets(kernel(R"(
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c3 {
    tile.print "50% of ", %s, %h, %i : i32, f16, index
  }
)"));
  CHECK(count(image.code, "vprintf, (") == 1);
  // "50%% of %lld, %.9g"
  CHECK(count(image.code, "53, 48, 37, 37, 32, 111, 102, 32, 37, 108, 108, "
                          "100, 44, 32, 37, 46, 57, 103") == 1);
  CHECK_THAT(rejection(kernel("tile.print \"all \", %t : tensor<48xi32>")),
             Catch::Contains("tile.print: expected scalars, found a tile"));
  std::string names = "%s", types = "i32";
  for (int i = 1; i < 32; ++i) {
    names += ", %s";
    types += ", i32";
  }
  CHECK_THAT(rejection(kernel("tile.print \"\", " + names + " : " + types)),
             Catch::Contains("expected at most 31 values, found 32"));
}
