// Results that are rounded up or down at random, each as likely.
#include "test/graph/reference/TestRun.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>

namespace tilewright::graph::reference::test {

static ReferenceOptions randomly(uint64_t seed) {
  ReferenceOptions options;
  options.roundingSeed = seed;
  return options;
}

/// How often 64 runs have each result, which @main makes of %x: f32.
static std::map<float, int> resultsOf(const std::string &body, float x) {
  const std::string text =
      "func.func @main(%x: f32) -> f32 {\n" + body + "\n  return %r : f32\n}";
  std::map<float, int> found;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    TestRun run(text, {floats({}, {x})}, randomly(seed));
    std::vector<float> result = run.floats();
    INFO(run.fault());
    REQUIRE(result.size() == 1);
    ++found[result[0]];
  }
  return found;
}

/// Two numbers beside each other, and both come often: each in 32 of 64 runs,
/// give or take five standard deviations.
static bool areBothLikely(const std::map<float, int> &found) {
  return found.size() == 2 && found.begin()->second >= 12 &&
         found.rbegin()->second >= 12 &&
         std::nextafter(found.begin()->first, INFINITY) ==
             found.rbegin()->first;
}

TEST_CASE("random rounding: what is no number becomes one of two") {
  const char *const third = "  %one = arith.constant 1.0 : f32\n"
                            "  %r = arith.divf %one, %x : f32";
  auto found = resultsOf(third, 3);
  CHECK(areBothLikely(found));
  CHECK((found.begin()->first < 1.0 / 3 && 1.0 / 3 < found.rbegin()->first));
  // A part that is far below the last place, too.
  found = resultsOf("  %one = arith.constant 1.0e-20 : f32\n"
                    "  %r = arith.addf %one, %x : f32",
                    1);
  CHECK(areBothLikely(found));
  CHECK(found.begin()->first == 1);
  CHECK(areBothLikely(resultsOf("  %r = math.exp %x : f32", 1)));
  // The greatest number, or infinity.
  found = resultsOf("  %r = arith.mulf %x, %x : f32", 1e30F);
  CHECK(areBothLikely(found));
  CHECK(found.rbegin()->first == INFINITY);
}

TEST_CASE("random rounding: what is a number stays") {
  CHECK(resultsOf("  %r = arith.mulf %x, %x : f32", 3) ==
        std::map<float, int>{{9, 64}});
  CHECK(resultsOf("  %r = arith.maximumf %x, %x : f32", 0.1F).size() == 1);
  // Bits are no number that could be rounded, and a direction is obeyed.
  CHECK(resultsOf("  %i = arith.bitcast %x : f32 to i32\n"
                  "  %r = arith.bitcast %i : i32 to f32",
                  0.1F) == std::map<float, int>{{0.1F, 64}});
  CHECK(resultsOf("  %h = arith.truncf %x to_nearest_even : f32 to f16\n"
                  "  %r = arith.extf %h : f16 to f32",
                  0.1F)
            .size() == 1);
  CHECK(resultsOf("  %h = arith.truncf %x : f32 to f16\n"
                  "  %r = arith.extf %h : f16 to f32",
                  0.1F)
            .size() == 2);
  // Not without a seed.
  TestRun run("func.func @main(%x: f32) -> f32 {\n"
              "  %r = arith.divf %x, %x : f32\n  return %r : f32\n}",
              {floats({}, {3})});
  CHECK(run.floats() == std::vector<float>{1});
}

TEST_CASE("random rounding: sums in bodies, softmax and scatter") {
  const char *const text = R"(
func.func @main(%x: tensor<4xf32>, %i: tensor<4xi64>)
    -> (tensor<f32>, tensor<4xf32>, tensor<2xf32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4xf32>)
      outs(%zero : tensor<f32>) dimensions = [0]
  %e = tensor.empty() : tensor<4xf32>
  %soft = linalg.softmax dimension(0) ins(%x : tensor<4xf32>)
      outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %zeros = arith.constant dense<0.0> : tensor<2xf32>
  %added = graph.scatter "add" %x into %zeros at(%i : tensor<4xi64>)
      target affine_map<(n)[s] -> (s)>
      index_maps [affine_map<(n) -> (n)>] : tensor<4xf32>, tensor<2xf32>
  return %sum, %soft, %added : tensor<f32>, tensor<4xf32>, tensor<2xf32>
})";
  const std::vector<float> numbers = {0.1F, 1, 3.3F, 0.7F};
  std::map<float, int> found[3];
  for (uint64_t seed = 0; seed < 32; ++seed) {
    TestRun run(text, {floats({4}, numbers), integers({4}, {0, 0, 0, 0})},
                randomly(seed));
    for (unsigned result = 0; result < 3; ++result) {
      std::vector<float> all = run.floats(result);
      INFO(run.fault());
      REQUIRE(!all.empty());
      ++found[result][all[0]];
    }
  }
  for (const std::map<float, int> &each : found)
    CHECK(each.size() > 1);
  // Three roundings: at most that many units around the sum.
  for (unsigned result : {0U, 2U})
    for (auto [number, count] : found[result])
      CHECK(std::fabs(number - 5.1) < 4 * 0x1p-21);
}

} // namespace tilewright::graph::reference::test
