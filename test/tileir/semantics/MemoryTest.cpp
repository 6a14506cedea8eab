// Views, pointers, bounds and initialization.
#include "Semantics.h"

using namespace tilewright::semantics;

TEST_CASE("load: a tile at the edge is padded, a store there is clipped") {
  // 5 elements in tiles of 4: program 1 sees one element and three pads.
  Outcome outcome = launch(R"(
    tile.kernel @k(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>)
        grid affine_map<()[s0, s1] -> (s0 ceildiv 4)> {
      %i = tile.program_id
      %t = tile.load %x[%i] pad 7.0 : !tile.view<?xf32> -> tensor<4xf32>
      tile.store %t, %y[%i] : tensor<4xf32>, !tile.view<?xf32>
    })",
                           {{{5}, {1, 2, 3, 4, 5}}, {{7}, Numbers(7), false}});
  CHECK(outcome.error == "");
  CHECK_SAME(outcome.results[1], {1, 2, 3, 4, 5, 7, 7});
}

TEST_CASE("load: element offsets may be negative and step over elements") {
  // Rows 2*e - 1, columns 1 + e of a 3x4 view: row -1 is padding.
  Outcome outcome = launch(R"(
    tile.kernel @k(%x: !tile.view<3x4xi32>, %y: !tile.view<2x2xi32>) {
      %r = arith.constant -1 : index
      %c = arith.constant 1 : index
      %0 = arith.constant 0 : index
      %t = tile.load %x at [%r, %c] step [2, 1] pad -9
          : !tile.view<3x4xi32> -> tensor<2x2xi32>
      tile.store %t, %y[%0, %0] : tensor<2x2xi32>, !tile.view<2x2xi32>
    })",
                           {{{3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
                            {{2, 2}, Numbers(4)}});
  CHECK(outcome.error == "");
  CHECK_SAME(outcome.results[1], {-9, -9, 5, 6});
}

TEST_CASE("load: outside the view without a pad is an error at the op") {
  Outcome outcome = launch(R"(
    tile.kernel @k(%x: !tile.view<?xf32>) {
      %0 = arith.constant 1 : index
      %t = tile.load %x[%0] : !tile.view<?xf32> -> tensor<4xf32>
    })",
                           {{{5}, Numbers(5)}});
  CHECK(outcome.error == "4: tile.load: element [5] is outside the view, which "
                         "is [5], and there is no pad");
}

TEST_CASE("load: memory never written is an error at the op") {
  Outcome outcome = launch(R"(
    tile.kernel @k(%x: !tile.view<?xf32>) {
      %0 = arith.constant 0 : index
      %t = tile.load %x[%0] : !tile.view<?xf32> -> tensor<4xf32>
    })",
                           {{{4}, Numbers(4), false}});
  CHECK(outcome.error ==
        "4: tile.load: read of byte 0 of 'array', which was never written");
}
