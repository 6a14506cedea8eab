// Programs that folders and canonicalization change: the harness runs each one
// before and after. The results are computed by hand, so that a rewrite and the
// interpreter cannot be wrong together.
#include "Semantics.h"

using namespace tilewright::semantics;

static const Numbers kSix = {1, 2, 3, 4, 5, 6};

TEST_CASE("two transposes become one, or none") {
  // x[i, j, 0] = a[0, i, j], and r[i, 0, k] = x[k, i, 0] = a[0, k, i].
  CHECK_SAME(compute(R"(
      %x = tile.transpose %a [1, 2, 0]
          : tensor<1x2x3xi32> -> tensor<2x3x1xi32>
      %r = tile.transpose %x [1, 2, 0]
          : tensor<2x3x1xi32> -> tensor<3x1x2xi32>)",
                     {"tensor<1x2x3xi32>"}, "tensor<3x1x2xi32>", {kSix}),
             {1, 4, 2, 5, 3, 6});
  CHECK_SAME(compute(R"(
      %x = tile.transpose %a [1, 2, 0]
          : tensor<1x2x3xi32> -> tensor<2x3x1xi32>
      %r = tile.transpose %x [2, 0, 1]
          : tensor<2x3x1xi32> -> tensor<1x2x3xi32>)",
                     {"tensor<1x2x3xi32>"}, "tensor<1x2x3xi32>", {kSix}),
             {1, 2, 3, 4, 5, 6});
}

TEST_CASE("two reshapes, two broadcasts become one") {
  CHECK_SAME(compute(R"(
      %x = tile.reshape %a : tensor<2x3xi32> -> tensor<6xi32>
      %r = tile.reshape %x : tensor<6xi32> -> tensor<3x2xi32>)",
                     {"tensor<2x3xi32>"}, "tensor<3x2xi32>", {kSix}),
             {1, 2, 3, 4, 5, 6});
  CHECK_SAME(compute(R"(
      %x = tile.broadcast %a : tensor<2x1x1xi32> -> tensor<2x2x1xi32>
      %r = tile.broadcast %x : tensor<2x2x1xi32> -> tensor<2x2x2xi32>)",
                     {"tensor<2x1x1xi32>"}, "tensor<2x2x2xi32>", {{7, 8}}),
             {7, 7, 7, 7, 8, 8, 8, 8});
}

TEST_CASE("a splat is a splat, however it is moved") {
  CHECK_SAME(compute(R"(
      %b = tile.splat %a : i32 -> tensor<1x4xi32>
      %c = tile.broadcast %b : tensor<1x4xi32> -> tensor<3x4xi32>
      %d = tile.reshape %c : tensor<3x4xi32> -> tensor<2x6xi32>
      %e = tile.slice %d [0, 4] : tensor<2x6xi32> -> tensor<2x1xi32>
      %r = tile.transpose %e [1, 0] : tensor<2x1xi32> -> tensor<1x2xi32>)",
                     {"i32"}, "tensor<1x2xi32>", {{9}}),
             {9, 9});
  CHECK_SAME(compute(R"(
      %c = arith.constant 1 : index
      %b = tile.splat %a : i32 -> tensor<4xi32>
      %r = tile.extract %b[%c] : tensor<4xi32>)",
                     {"i32"}, "i32", {{9}}),
             {9});
}

TEST_CASE("what join puts together split takes apart") {
  CHECK_SAME(compute(R"(
      %j = tile.join %a, %b : tensor<2xi32>, tensor<2xi32> -> tensor<2x2xi32>
      %x, %y = tile.split %j : tensor<2x2xi32> -> tensor<2xi32>, tensor<2xi32>
      %r = arith.subi %x, %y : tensor<2xi32>)",
                     {"tensor<2xi32>", "tensor<2xi32>"}, "tensor<2xi32>",
                     {{5, 6}, {1, 3}}),
             {4, 3});
}

TEST_CASE("conversions to the same type: only saturation does something") {
  CHECK_SAME(compute(R"(
      %x = tile.convert %a : tensor<2xf16> -> tensor<2xf16>
      %r = tile.convert %x saturate : tensor<2xf16> -> tensor<2xf16>)",
                     {"tensor<2xf16>"}, "tensor<2xf16>", {{1.5, kInf}}),
             {1.5, 65504});
}

TEST_CASE("sizes and strides of a static view are constants") {
  // The sum of dim, stride and count: 7 + 7 + ceil(7 / 4).
  Result result = launch(R"(
    tile.kernel @k(%x: !tile.view<?x7xi64>) {
      %0 = arith.constant 0 : index
      %d = tile.dim %x, 1 : !tile.view<?x7xi64>
      %s = tile.stride %x, 0 : !tile.view<?x7xi64>
      %c = tile.count %x, 1 by 4 : !tile.view<?x7xi64>
      %a = arith.addi %d, %s : index
      %b = arith.addi %a, %c : index
      %e = arith.index_cast %b : index to i64
      %t = tile.splat %e : i64 -> tensor<1x1xi64>
      tile.store %t, %x[%0, %0] : tensor<1x1xi64>, !tile.view<?x7xi64>
    })",
                         {{{1, 7}, {0, 1, 2, 3, 4, 5, 6}}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[0], {16, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("a pointer that goes nowhere, and one that comes back") {
  Result result = launch(R"(
    tile.kernel @k(%p: !tile.ptr<i32>) {
      %true = arith.constant true
      tile.assert %true, "holds" : i1
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : i32
      %q = tile.offset %p, %0 : !tile.ptr<i32>, index
      %c = tile.ptr_cast %q : !tile.ptr<i32> -> !tile.ptr<i32>
      %n = tile.ptr_to_int %c : !tile.ptr<i32> -> i64
      %r = tile.int_to_ptr %n : i64 -> !tile.ptr<i32>
      %v = tile.load_ptr %r : !tile.ptr<i32>
      %w = arith.addi %v, %1 : i32
      tile.store_ptr %w, %r : !tile.ptr<i32>
    })",
                         {{{2}, {41, 7}}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[0], {42, 7});
}
