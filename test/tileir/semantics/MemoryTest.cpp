// Views, pointers, bounds and initialization.
#include "Semantics.h"

using namespace tilewright::semantics;

TEST_CASE("load: a tile at the edge is padded, a store there is clipped") {
  // 5 elements in tiles of 4: program 1 sees one element and three pads.
  Result result = launch(R"(
    tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>)
        grid affine_map<()[s0, s1] -> (s0 ceildiv 4)> {
      %i = tile.program_id
      %t = tile.load %x[%i] pad 7.0 : !tile.view<?xf32> -> tensor<4xf32>
      tile.store %t, %y[%i] : tensor<4xf32>, !tile.view<?xf32>
    })",
                         {{{5}, {1, 2, 3, 4, 5}}, {{7}, Numbers(7), false}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[1], {1, 2, 3, 4, 5, 7, 7});
}

TEST_CASE("load: element offsets may be negative and step over elements") {
  // Rows 2*e - 1, columns 1 + e of a 3x4 view: row -1 is padding.
  Result result = launch(
      R"(
    tile.kernel @k(%x: !tile.view<3x4xi32>, %y: !tile.view<2x2xi32>) {
      %r = arith.constant -1 : index
      %c = arith.constant 1 : index
      %0 = arith.constant 0 : index
      %t = tile.load %x at [%r, %c] step [2, 1] pad -9
          : !tile.view<3x4xi32> -> tensor<2x2xi32>
      tile.store %t, %y[%0, %0] : tensor<2x2xi32>, !tile.view<2x2xi32>
    })",
      {{{3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}, {{2, 2}, Numbers(4)}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[1], {-9, -9, 5, 6});
}

TEST_CASE("load: outside the view without a pad is an error at the op") {
  Result result = launch(R"(
    tile.kernel @k(%x: !tile.view<?xf32>) {
      %0 = arith.constant 1 : index
      %t = tile.load %x[%0] : !tile.view<?xf32> -> tensor<4xf32>
    })",
                         {{{5}, Numbers(5)}});
  CHECK(result.error == "4: tile.load: element [5] is outside the view, which "
                        "is [5], and there is no pad");
}

TEST_CASE("load: memory never written is an error at the op") {
  Result result = launch(R"(
    tile.kernel @k(%x: !tile.view<?xf32>) {
      %0 = arith.constant 0 : index
      %t = tile.load %x[%0] : !tile.view<?xf32> -> tensor<4xf32>
    })",
                         {{{4}, Numbers(4), false}});
  CHECK(result.error ==
        "4: tile.load: read of byte 0 of 'array', which was never written");
}

TEST_CASE("store: a tile between others leaves them alone") {
  Result result = launch(R"(
    tile.kernel @k(%y: !tile.view<?xi8>) {
      %m = arith.constant -1 : index
      %t = arith.constant dense<[7, 8, 9]> : tensor<3xi8>
      tile.store %t, %y at [%m] step [2] : tensor<3xi8>, !tile.view<?xi8>
    })",
                         {{{5}, {0, 1, 2, 3, 4}}});
  // Elements -1, 1 and 3; the first is dropped.
  CHECK(result.error == "");
  CHECK_SAME(result.results[0], {0, 8, 2, 9, 4});
}

TEST_CASE("views may have strides, also 0 and negative ones") {
  // A transposed view of 2x3, and a view that repeats one row.
  Result result = launch(
      R"(
    tile.kernel @k(%x: !tile.view<3x2xi32, strides<[1, 3]>>,
                   %y: !tile.view<3x2xi32>) {
      %0 = arith.constant 0 : index
      %t = tile.load %x[%0, %0] : !tile.view<3x2xi32, strides<[1, 3]>>
          -> tensor<3x2xi32>
      tile.store %t, %y[%0, %0] : tensor<3x2xi32>, !tile.view<3x2xi32>
    })",
      {{{3, 2}, {1, 2, 3, 4, 5, 6}, true, {1, 3}}, {{3, 2}, Numbers(6)}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[1], {1, 4, 2, 5, 3, 6});
  result = launch(R"(
    tile.kernel @k(%p: !tile.ptr<i32>, %y: !tile.view<2x2xi32>, %s: index) {
      %0 = arith.constant 0 : index
      %one = arith.constant 1 : index
      %q = tile.offset %p, %one : !tile.ptr<i32>, index
      %v = tile.make_view %q strides [%0, %s]
          : !tile.ptr<i32> -> !tile.view<2x2xi32, strides<[?, ?]>>
      %t = tile.load %v[%0, %0]
          : !tile.view<2x2xi32, strides<[?, ?]>> -> tensor<2x2xi32>
      tile.store %t, %y[%0, %0] : tensor<2x2xi32>, !tile.view<2x2xi32>
    })",
                  {{{}, {5, 6}}, {{2, 2}, Numbers(4)}, {{}, {-1}}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[1], {6, 5, 6, 5});
}

TEST_CASE("dim, stride, count") {
  Result result = launch(R"(
    tile.kernel @k(%x: !tile.view<?x?xf32>, %y: !tile.view<3xi64>) {
      %0 = arith.constant 0 : index
      %d = tile.dim %x, 1 : !tile.view<?x?xf32>
      %s = tile.stride %x, 0 : !tile.view<?x?xf32>
      %c = tile.count %x, 1 by 4 : !tile.view<?x?xf32>
      %a = tile.splat %d : index -> tensor<index>
      %b = tile.splat %s : index -> tensor<index>
      %e = tile.splat %c : index -> tensor<index>
      %j = tile.join %a, %b, %e
          : tensor<index>, tensor<index>, tensor<index> -> tensor<3xindex>
      %i = arith.index_cast %j : tensor<3xindex> to tensor<3xi64>
      tile.store %i, %y[%0] : tensor<3xi64>, !tile.view<3xi64>
    })",
                         {{{2, 9}, Numbers(18)}, {{3}, Numbers(3)}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[1], {9, 9, 3});
}

TEST_CASE("elements of 4 bits: writing one keeps its neighbour") {
  Result result = launch(R"(
    tile.kernel @k(%y: !tile.view<4xi4>) {
      %1 = arith.constant 1 : index
      %t = arith.constant dense<-3> : tensor<1xi4>
      tile.store %t, %y[%1] : tensor<1xi4>, !tile.view<4xi4>
    })",
                         {{{4}, {1, 2, 3, 4}}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[0], {1, -3, 3, 4});
}

TEST_CASE("elements of 4 bits: each takes a byte") {
  Result result = launch(R"(
    tile.kernel @k(%y: !tile.view<2xf4E2M1FN>) {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      %x = arith.constant dense<1.5> : tensor<1xf4E2M1FN>
      tile.store %x, %y[%0] : tensor<1xf4E2M1FN>, !tile.view<2xf4E2M1FN>
      %a = tile.load %y[%0] : !tile.view<2xf4E2M1FN> -> tensor<1xf4E2M1FN>
      %b = tile.load %y[%1] : !tile.view<2xf4E2M1FN> -> tensor<1xf4E2M1FN>
    })",
                         {{{2}, Numbers(2), false}});
  CHECK(result.error ==
        "8: tile.load: read of byte 1 of 'array', which was never written");
}

TEST_CASE("load_ptr: mask and other; without other it is zero") {
  Result result = launch(R"(
    tile.kernel @k(%p: !tile.ptr<f32>, %y: !tile.view<2x3xf32>) {
      %0 = arith.constant 0 : index
      %1 = arith.constant 1 : index
      // The last pointer is far out of bounds, but masked.
      %i = arith.constant dense<[1, 0, 1000]> : tensor<3xi32>
      %m = arith.constant dense<[true, true, false]> : tensor<3xi1>
      %o = arith.constant dense<9.0> : tensor<3xf32>
      %q = tile.offset %p, %i : !tile.ptr<f32>, tensor<3xi32>
      %a = tile.load_ptr %q mask %m : tensor<3x!tile.ptr<f32>>
      %b = tile.load_ptr %q mask %m other %o : tensor<3x!tile.ptr<f32>>
      %c = tile.reshape %a : tensor<3xf32> -> tensor<1x3xf32>
      %d = tile.reshape %b : tensor<3xf32> -> tensor<1x3xf32>
      tile.store %c, %y[%0, %0] : tensor<1x3xf32>, !tile.view<2x3xf32>
      tile.store %d, %y[%1, %0] : tensor<1x3xf32>, !tile.view<2x3xf32>
    })",
                         {{{}, {5, 6}}, {{2, 3}, Numbers(6)}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[1], {6, 5, 0, 6, 5, 9});
}

TEST_CASE("store_ptr: scatters; a masked element is not written") {
  Result result = launch(R"(
    tile.kernel @k(%x: !tile.view<4xi32>) {
      %p = tile.base %x : !tile.view<4xi32> -> !tile.ptr<i32>
      %i = arith.constant dense<[3, 0, 2]> : tensor<3xi32>
      %m = arith.constant dense<[true, true, false]> : tensor<3xi1>
      %q = tile.offset %p, %i : !tile.ptr<i32>, tensor<3xi32>
      tile.store_ptr %i, %q mask %m : tensor<3x!tile.ptr<i32>>
    })",
                         {{{4}, {10, 11, 12, 13}}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[0], {0, 11, 12, 3});
}

TEST_CASE("a pointer may not leave its allocation, even into another one") {
  Result result = launch(R"(
    tile.kernel @k(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>) {
      %a = tile.ptr_to_int %p : !tile.ptr<i32> -> i64
      %b = tile.ptr_to_int %q : !tile.ptr<i32> -> i64
      %bytes = arith.subi %b, %a : i64
      %four = arith.constant 4 : i64
      %elements = arith.divsi %bytes, %four : i64
      %r = tile.offset %p, %elements : !tile.ptr<i32>, i64
      %x = tile.load_ptr %r : !tile.ptr<i32>
    })",
                         {{{}, {1}}, {{}, {2}}});
  CHECK(result.error == "9: tile.load_ptr: access to byte 8192 of 'array', "
                        "which has 4 bytes");
}

TEST_CASE("a pointer whose element would end behind 2^63 is outside") {
  Result result = launch(R"(
    tile.kernel @k(%p: !tile.ptr<i32>) {
      %most = arith.constant 2305843009213693951 : i64
      %r = tile.offset %p, %most : !tile.ptr<i32>, i64
      %x = tile.load_ptr %r : !tile.ptr<i32>
    })",
                         {{{}, {1}}});
  CHECK(result.error == "5: tile.load_ptr: access to byte 9223372036854775804 "
                        "of 'array', which has 4 bytes");
}

TEST_CASE("pointers go through integers and other types and come back") {
  // 1.0 in f32 is 0x3F800000: its upper half as bf16 is 1.0 too.
  Result result = launch(R"(
    tile.kernel @k(%p: !tile.ptr<f32>, %y: !tile.view<bf16>) {
      %i = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
      %two = arith.constant 2 : i64
      %j = arith.addi %i, %two : i64
      %q = tile.int_to_ptr %j : i64 -> !tile.ptr<i16>
      %r = tile.ptr_cast %q : !tile.ptr<i16> -> !tile.ptr<bf16>
      %x = tile.load_ptr %r : !tile.ptr<bf16>
      %t = tile.splat %x : bf16 -> tensor<bf16>
      tile.store %t, %y[] : tensor<bf16>, !tile.view<bf16>
    })",
                         {{{}, {1}}, {{}, {0}}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[1], {1});
}

TEST_CASE("an access must be aligned to its element") {
  Result result = launch(R"(
    tile.kernel @k(%p: !tile.ptr<i8>) {
      %one = arith.constant 1 : i32
      %q = tile.offset %p, %one : !tile.ptr<i8>, i32
      %r = tile.ptr_cast %q : !tile.ptr<i8> -> !tile.ptr<i16>
      %x = tile.load_ptr %r : !tile.ptr<i16>
    })",
                         {{{}, {1, 2, 3, 4}}});
  CHECK(result.error == "6: tile.load_ptr: access to byte 1 of 'array' is not "
                        "aligned to its 2 bytes");
}
