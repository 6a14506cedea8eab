// Assumptions, assertions, printing.
#include "Semantics.h"

using namespace tilewright::semantics;

TEST_CASE("assume: passes the value on; a broken assumption is poison") {
  const char *text = R"(
    tile.func @f(%x: tensor<2xi32>) -> tensor<2xi32> {
      %y = tile.assume %x divisible 4 range [0, 16] : tensor<2xi32>
      tile.return %y : tensor<2xi32>
    })";
  CHECK_SAME(result(text, {{4, 16}}), {4, 16});
  CHECK_SAME(result(text, {{4, 6}}), {4, kPoison});
  CHECK_SAME(result(text, {{20, -4}}), {kPoison, kPoison});
}

TEST_CASE("assert: stops with the message, the element and the program") {
  const char *text = R"(
    tile.kernel @k(%x: !tile.view<?xi32>) grid affine_map<()[s0] -> (2)> {
      %i = tile.program_id
      %t = tile.load %x[%i] : !tile.view<?xi32> -> tensor<2xi32>
      %zero = arith.constant dense<0> : tensor<2xi32>
      %ok = arith.cmpi sge, %t, %zero : tensor<2xi32>
      tile.assert %ok, "negative" : tensor<2xi1>
    })";
  CHECK(launch(text, {{{4}, {1, 2, 3, 4}}}).error == "");
  CHECK(launch(text, {{{4}, {1, 2, 3, -4}}}).error ==
        "7: tile.assert: negative (element 1, program [1])");
}

TEST_CASE("print: one line for each program") {
  std::string prints;
  Result result = launch(R"(
    tile.kernel @k(%n: index) grid affine_map<()[s0] -> (s0)> {
      %i = tile.program_id
      %t = arith.constant dense<[[1.5, 2.0]]> : tensor<1x2xf32>
      tile.print "t = ", %t, %i : tensor<1x2xf32>, index
      tile.print "done"
    })",
                         {{{}, {2}}}, 0, 1000, &prints);
  CHECK(result.error == "");
  CHECK(prints == "program [0]: t = [[1.5, 2]], 0\nprogram [0]: done\n"
                  "program [1]: t = [[1.5, 2]], 1\nprogram [1]: done\n");
}
