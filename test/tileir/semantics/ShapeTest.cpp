// Ops that make tiles and move their elements.
#include "Semantics.h"

using namespace tilewright::semantics;

TEST_CASE("iota: 0, 1, 2, ...; in i4 it wraps to negative numbers") {
  CHECK_SAME(compute("%r = tile.iota : tensor<5xi32>", {}, "tensor<5xi32>", {}),
             {0, 1, 2, 3, 4});
  CHECK_SAME(compute("%r = tile.iota : tensor<9xi4>", {}, "tensor<9xi4>", {}),
             {0, 1, 2, 3, 4, 5, 6, 7, -8});
}

TEST_CASE("splat: every element is the scalar") {
  CHECK_SAME(compute("%r = tile.splat %a : f32 -> tensor<1x3xf32>", {"f32"},
                     "tensor<1x3xf32>", {{2.5}}),
             {2.5, 2.5, 2.5});
}

TEST_CASE("broadcast: dimensions of size 1 are repeated") {
  // A column becomes rows of equal numbers.
  CHECK_SAME(
      compute("%r = tile.broadcast %a : tensor<2x1xi32> -> tensor<2x3xi32>",
              {"tensor<2x1xi32>"}, "tensor<2x3xi32>", {{4, 5}}),
      {4, 4, 4, 5, 5, 5});
}

TEST_CASE("reshape: the row-major order stays") {
  CHECK_SAME(
      compute("%r = tile.reshape %a : tensor<2x3xi32> -> tensor<3x2xi32>",
              {"tensor<2x3xi32>"}, "tensor<3x2xi32>", {{1, 2, 3, 4, 5, 6}}),
      {1, 2, 3, 4, 5, 6});
}

TEST_CASE("transpose: dimension d of the result is permutation[d]") {
  CHECK_SAME(compute("%r = tile.transpose %a [1, 0] : tensor<2x3xi32> -> "
                     "tensor<3x2xi32>",
                     {"tensor<2x3xi32>"}, "tensor<3x2xi32>",
                     {{1, 2, 3, 4, 5, 6}}),
             {1, 4, 2, 5, 3, 6});
  // With three dimensions a permutation differs from its inverse:
  // result[i, j, k] = source[k, i, j].
  CHECK_SAME(compute("%r = tile.transpose %a [1, 2, 0] : tensor<2x1x3xi32> -> "
                     "tensor<1x3x2xi32>",
                     {"tensor<2x1x3xi32>"}, "tensor<1x3x2xi32>",
                     {{1, 2, 3, 4, 5, 6}}),
             {1, 4, 2, 5, 3, 6});
}

TEST_CASE("join and split: along a new last dimension, and back") {
  CHECK_SAME(compute("%r = tile.join %a, %b : tensor<3xi32>, tensor<3xi32> -> "
                     "tensor<3x2xi32>",
                     {"tensor<3xi32>", "tensor<3xi32>"}, "tensor<3x2xi32>",
                     {{1, 2, 3}, {4, 5, 6}}),
             {1, 4, 2, 5, 3, 6});
  CHECK_SAME(compute("%x, %r = tile.split %a : tensor<2x2xi32> -> "
                     "tensor<2xi32>, tensor<2xi32>",
                     {"tensor<2x2xi32>"}, "tensor<2xi32>", {{1, 2, 3, 4}}),
             {2, 4});
}

TEST_CASE("concat: one tile after the other") {
  CHECK_SAME(compute("%r = tile.concat %a, %b axis 1 : tensor<2x1xi32>, "
                     "tensor<2x2xi32> -> tensor<2x3xi32>",
                     {"tensor<2x1xi32>", "tensor<2x2xi32>"}, "tensor<2x3xi32>",
                     {{1, 2}, {3, 4, 5, 6}}),
             {1, 3, 4, 2, 5, 6});
}

TEST_CASE("slice: from offsets, by steps") {
  CHECK_SAME(
      compute("%r = tile.slice %a [1, 0] step [1, 2] : tensor<2x4xi32> -> "
              "tensor<1x2xi32>",
              {"tensor<2x4xi32>"}, "tensor<1x2xi32>",
              {{1, 2, 3, 4, 5, 6, 7, 8}}),
      {5, 7});
}

TEST_CASE("extract: one element; outside the tile is poison") {
  const char *text = R"(
    tile.func @f(%t: tensor<2x3xi32>, %i: index) -> i32 {
      %one = arith.constant 1 : index
      %r = tile.extract %t[%one, %i] : tensor<2x3xi32>
      tile.return %r : i32
    })";
  CHECK_SAME(result(text, {{1, 2, 3, 4, 5, 6}, {2}}), {6});
  CHECK_SAME(result(text, {{1, 2, 3, 4, 5, 6}, {3}}), {kPoison});
}

TEST_CASE("gather: indices choose along one axis; outside is poison") {
  const char *text = R"(
    tile.func @f(%t: tensor<3x2xi32>, %i: tensor<2x2xi32>) -> tensor<2x2xi32> {
      %r = tile.gather %t, %i axis 0
          : tensor<3x2xi32>, tensor<2x2xi32> -> tensor<2x2xi32>
      tile.return %r : tensor<2x2xi32>
    })";
  // Column 0 takes rows 2 and 0, column 1 rows 1 and 1.
  CHECK_SAME(result(text, {{1, 2, 3, 4, 5, 6}, {2, 1, 0, 1}}), {5, 4, 1, 4});
  CHECK_SAME(result(text, {{1, 2, 3, 4, 5, 6}, {0, 0, 3, -1}}),
             {1, 2, kPoison, kPoison});
}
