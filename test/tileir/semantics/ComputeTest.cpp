// Contractions, reductions, scans, order, random numbers.
#include "Semantics.h"

using namespace tilewright::semantics;

TEST_CASE("dot: acc plus the matrix product") {
  // [1 2; 3 4] * [5 6; 7 8] = [19 22; 43 50]
  CHECK_SAME(
      compute("%r = tile.dot %a, %b, %c : tensor<2x2xbf16>, "
              "tensor<2x2xbf16> -> tensor<2x2xf32>",
              {"tensor<2x2xbf16>", "tensor<2x2xbf16>", "tensor<2x2xf32>"},
              "tensor<2x2xf32>", {{1, 2, 3, 4}, {5, 6, 7, 8}, {1, 0, 0, 0}}),
      {20, 22, 43, 50});
}

TEST_CASE("dot: batches do not mix") {
  // [1 2] * [3; 4] = 11 and [5 6] * [7; 8] = 83
  CHECK_SAME(
      compute("%r = tile.dot %a, %b, %c : tensor<2x1x2xf32>, "
              "tensor<2x2x1xf32> -> tensor<2x1x1xf32>",
              {"tensor<2x1x2xf32>", "tensor<2x2x1xf32>", "tensor<2x1x1xf32>"},
              "tensor<2x1x1xf32>", {{1, 2, 5, 6}, {3, 4, 7, 8}, {0, 0}}),
      {11, 83});
  // [1; 2] * [5 6 7] = [5 6 7; 10 12 14] and [3; 4] * [8 9 10]
  CHECK_SAME(
      compute("%r = tile.dot %a, %b, %c : tensor<2x2x1xi32>, "
              "tensor<2x1x3xi32> -> tensor<2x2x3xi32>",
              {"tensor<2x2x1xi32>", "tensor<2x1x3xi32>", "tensor<2x2x3xi32>"},
              "tensor<2x2x3xi32>",
              {{1, 2, 3, 4}, {5, 6, 7, 8, 9, 10}, Numbers(12, 1)}),
      {6, 7, 8, 11, 13, 15, 25, 28, 31, 33, 37, 41});
}

TEST_CASE("dot: poison spreads along its row or column alone") {
  // 1 << 32 is poison; [8 2; 16 4] * [1 2; 3 4] = [14 24; 28 48]
  const std::vector<Numbers> numbers = {{4, 1, 8, 2}, {1, 2, 3, 4}};
  auto product = [&](const std::string &operands, const Numbers &shifts) {
    return compute("%s = arith.shli %a, %c : tensor<2x2xi32>\n"
                   "%r = tile.dot " +
                       operands +
                       " : tensor<2x2xi32>, tensor<2x2xi32> -> "
                       "tensor<2x2xi32>",
                   {"tensor<2x2xi32>", "tensor<2x2xi32>", "tensor<2x2xi32>",
                    "tensor<2x2xi32>"},
                   "tensor<2x2xi32>",
                   {numbers[0], numbers[1], shifts, Numbers(4, 0)});
  };
  CHECK_SAME(product("%s, %b, %d", {1, 1, 1, 1}), {14, 24, 28, 48});
  CHECK_SAME(product("%s, %b, %d", {1, 32, 1, 1}), {kPoison, kPoison, 28, 48});
  CHECK_SAME(product("%b, %s, %d", {0, 0, 32, 0}), {kPoison, 5, kPoison, 11});
  CHECK_SAME(product("%b, %b, %s", {0, 0, 0, 32}), {11, 11, 23, kPoison});
}

TEST_CASE("dot: integers are widened as signed or unsigned") {
  auto product = [](const std::string &flags) {
    return compute("%r = tile.dot %a, %b, %c " + flags +
                       " : tensor<1x1xi8>, tensor<1x1xi8> -> "
                       "tensor<1x1xi32>",
                   {"tensor<1x1xi8>", "tensor<1x1xi8>", "tensor<1x1xi32>"},
                   "tensor<1x1xi32>", {{-1}, {-2}, {10}});
  };
  CHECK_SAME(product(""), {12});
  CHECK_SAME(product("lhs_unsigned"), {10 + 255 * -2});
  CHECK_SAME(product("lhs_unsigned rhs_unsigned"), {10 + 255 * 254});
}

TEST_CASE("dot: the sum is rounded once at the end") {
  // 2048 + 1 + 1 in f16: each addition alone would round back to 2048.
  CHECK_SAME(compute("%r = tile.dot %a, %b, %c : tensor<1x2xf16>, "
                     "tensor<2x1xf16> -> tensor<1x1xf16>",
                     {"tensor<1x2xf16>", "tensor<2x1xf16>", "tensor<1x1xf16>"},
                     "tensor<1x1xf16>", {{1, 1}, {1, 1}, {2048}}),
             {2050});
}

TEST_CASE("dot: tf32 rounds f32 operands to 11 bits") {
  // 2049 needs 12 bits; it rounds to 2048.
  auto product = [](const std::string &precision) {
    return compute("%r = tile.dot %a, %b, %c precision " + precision +
                       " : tensor<1x1xf32>, tensor<1x1xf32> -> "
                       "tensor<1x1xf32>",
                   {"tensor<1x1xf32>", "tensor<1x1xf32>", "tensor<1x1xf32>"},
                   "tensor<1x1xf32>", {{2049}, {1}, {0}});
  };
  CHECK_SAME(product("ieee"), {2049});
  CHECK_SAME(product("tf32"), {2048});
  CHECK_SAME(product("tf32x3"), {2049});
}

TEST_CASE("scaled_dot: each block of k has its scales") {
  // 32 ones times 32 ones in two blocks of 16: the first scaled by 2 * 0.5,
  // the second by 4 * 8.
  CHECK_SAME(compute("%r = tile.scaled_dot %a scale %b, %c scale %d, %e : "
                     "tensor<1x32xf8E4M3FN> scale tensor<1x2xf8E8M0FNU>, "
                     "tensor<32x1xf4E2M1FN> scale tensor<2x1xf8E8M0FNU> -> "
                     "tensor<1x1xf32>",
                     {"tensor<1x32xf8E4M3FN>", "tensor<1x2xf8E8M0FNU>",
                      "tensor<32x1xf4E2M1FN>", "tensor<2x1xf8E8M0FNU>",
                      "tensor<1x1xf32>"},
                     "tensor<1x1xf32>",
                     {Numbers(32, 1), {2, 4}, Numbers(32, 1), {0.5, 8}, {3}}),
             {16 + 16 * 32 + 3});
}

TEST_CASE("reduce: along one axis, with one or two inputs") {
  CHECK_SAME(compute(R"(%r = tile.reduce %a axis 1 {
                        ^bb0(%x: i32, %y: i32):
                          %z = arith.addi %x, %y : i32
                          tile.yield %z : i32
                        } : tensor<2x3xi32> -> tensor<2xi32>)",
                     {"tensor<2x3xi32>"}, "tensor<2xi32>",
                     {{1, 2, 3, 4, 5, 6}}),
             {6, 15});
  // The index of the greatest element; of equal ones the first.
  CHECK_SAME(compute(R"(
      %i = tile.iota : tensor<4xi32>
      %v, %r = tile.reduce %a, %i axis 0 {
      ^bb0(%x: f32, %xi: i32, %y: f32, %yi: i32):
        %c = arith.cmpf oge, %x, %y : f32
        %z = arith.select %c, %x, %y : f32
        %zi = arith.select %c, %xi, %yi : i32
        tile.yield %z, %zi : f32, i32
      } : tensor<4xf32>, tensor<4xi32> -> tensor<f32>, tensor<i32>)",
                     {"tensor<4xf32>"}, "tensor<i32>", {{1, 7, 7, 3}}),
             {1});
}

TEST_CASE("scan: running sums, from either end") {
  auto sums = [](const std::string &flags) {
    return compute("%r = tile.scan %a axis 1 " + flags + R"( {
                    ^bb0(%x: i32, %y: i32):
                      %z = arith.addi %x, %y : i32
                      tile.yield %z : i32
                    } : tensor<2x3xi32> -> tensor<2x3xi32>)",
                   {"tensor<2x3xi32>"}, "tensor<2x3xi32>",
                   {{1, 2, 3, 4, 5, 6}});
  };
  CHECK_SAME(sums(""), {1, 3, 6, 4, 9, 15});
  CHECK_SAME(sums("reverse"), {6, 5, 3, 15, 11, 6});
}

TEST_CASE("sort: stable, NaN last, values follow keys") {
  Result result = evaluate(R"(
    tile.func @f(%k: tensor<5xf32>, %v: tensor<5xi32>)
        -> (tensor<5xf32>, tensor<5xi32>, tensor<5xi32>) {
      %a, %b = tile.sort %k, %v axis 0 : tensor<5xf32>, tensor<5xi32>
      %c, %d = tile.sort %k, %v axis 0 descending
          : tensor<5xf32>, tensor<5xi32>
      tile.return %a, %b, %d : tensor<5xf32>, tensor<5xi32>, tensor<5xi32>
    })",
                           {{2, kNan, 1, 2, -kInf}, {0, 1, 2, 3, 4}});
  REQUIRE(result.error == "");
  CHECK_SAME(result.results[0], {-kInf, 1, 2, 2, kNan});
  CHECK_SAME(result.results[1], {4, 2, 0, 3, 1});
  CHECK_SAME(result.results[2], {1, 0, 3, 2, 4});
}

TEST_CASE("sort: unsigned keys, along the first axis") {
  // The columns are (-1, 1) and (2, 1); -1 is the greatest unsigned number.
  CHECK_SAME(compute("%r = tile.sort %a axis 0 unsigned : tensor<2x2xi8>",
                     {"tensor<2x2xi8>"}, "tensor<2x2xi8>", {{-1, 2, 1, 1}}),
             {1, 1, -1, 2});
}

TEST_CASE("top_k: greatest or smallest, first of equal ones first") {
  auto indices = [](const std::string &flags) {
    return compute("%v, %r = tile.top_k %a axis 0 " + flags +
                       " : tensor<5xi32> -> tensor<3xi32>, tensor<3xi32>",
                   {"tensor<5xi32>"}, "tensor<3xi32>", {{3, 1, 3, -2, 2}});
  };
  CHECK_SAME(indices(""), {0, 2, 4});
  CHECK_SAME(indices("smallest"), {3, 1, 4});
  CHECK_SAME(indices("unsigned"), {3, 0, 2});
}

TEST_CASE("histogram: numbers out of range or masked are not counted") {
  CHECK_SAME(compute("%r = tile.histogram %a mask %b : tensor<6xi32> -> "
                     "tensor<3xi32>",
                     {"tensor<6xi32>", "tensor<6xi1>"}, "tensor<3xi32>",
                     {{0, 2, 2, 3, -1, 2}, {1, 1, 1, 1, 1, 0}}),
             {1, 0, 2});
}

TEST_CASE("philox: the published test vectors") {
  // From the kat_vectors of Random123: counters and keys all 0 and all ones,
  // and digits of pi.
  auto words = [](Numbers counter, Numbers key) {
    std::vector<Numbers> arguments;
    for (double word : counter)
      arguments.push_back({word});
    for (double word : key)
      arguments.push_back({word});
    Result result = evaluate(R"(
      tile.func @f(%a: i32, %b: i32, %c: i32, %d: i32, %k: i32, %l: i32)
          -> (i64, i64, i64, i64) {
        %0, %1, %2, %3 = tile.philox %a, %b, %c, %d key %k, %l : i32
        %4 = arith.extui %0 : i32 to i64
        %5 = arith.extui %1 : i32 to i64
        %6 = arith.extui %2 : i32 to i64
        %7 = arith.extui %3 : i32 to i64
        tile.return %4, %5, %6, %7 : i64, i64, i64, i64
      })",
                             arguments);
    Numbers all;
    for (const Numbers &each : result.results)
      all.push_back(each[0]);
    return all;
  };
  CHECK_SAME(words({0, 0, 0, 0}, {0, 0}),
             {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK_SAME(words({-1, -1, -1, -1}, {-1, -1}),
             {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK_SAME(words({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
             {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}
