// Runs in which the order of sums is open: which results are permitted.
#include "test/graph/reference/TestRun.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace tilewright::graph::reference::test {

using tilewright::reference::Permitted;
using Floats = std::vector<float>;

static constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The sum, product or the like of all elements, from %init on.
static std::string reductionBy(const std::string &op,
                               const std::string &init = "0.0") {
  return R"(
func.func @main(%x: tensor<?xf32>) -> tensor<f32> {
  %init = arith.constant dense<)" +
         init + R"(> : tensor<f32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %s = )" +
         op + R"( %b, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
})";
}

static Permitted reduced(const std::string &op, Floats numbers,
                         const std::string &init = "0.0") {
  const auto count = int64_t(numbers.size());
  TestRun run(reductionBy(op, init), {floats({count}, std::move(numbers))},
              anyOrder());
  return run.permitted(0, {});
}

static Permitted sumOf(Floats numbers) {
  return reduced("arith.addf", std::move(numbers));
}

static void checkSet(const Permitted &set, double least, double greatest,
                     bool mayBeNaN = false) {
  CHECK(set.least == least);
  CHECK(set.greatest == greatest);
  CHECK(set.mayBeNaN == mayBeNaN);
  CHECK_FALSE(set.isAny);
}

TEST_CASE("order: sums of integers have one value") {
  checkSet(sumOf({1, 2, 3, -4, 100}), 102, 102);
  // All partial sums are at most 2^24, beyond which 1 is lost.
  checkSet(sumOf({16777213, 1, 1, 1}), 16777216, 16777216);
  checkSet(sumOf({0.5, -0.25, 1024.125}), 1024.375, 1024.375);
}

TEST_CASE("order: two terms have one sum, zeros do not count") {
  checkSet(sumOf({1, 1e-10f}), 1, 1);
  checkSet(sumOf({0, 1, 0, 0.1f, 0}), 1.1f, 1.1f);
}

TEST_CASE("order: three terms of which the order matters") {
  // (2^24 + 1) + 1 is 2^24, and 2^24 + (1 + 1) is 2^24 + 2.
  const Permitted set = sumOf({16777216, 1, 1});
  CHECK(set.contains(16777216));
  CHECK(set.contains(16777218));
  CHECK(set.greatest - set.least <= 4);
  // (1 + 2^24) - 2^24 is 0, and 1 + (2^24 - 2^24) is 1.
  const Permitted cancelled = sumOf({1, 16777216, -16777216});
  CHECK(cancelled.contains(0));
  CHECK(cancelled.contains(1));
  CHECK(cancelled.least >= -1);
  CHECK(cancelled.greatest <= 2);
}

TEST_CASE("order: which elements an element permits") {
  using tilewright::reference::Element;
  TestRun run(reductionBy("arith.addf"), {floats({3}, {16777216, 1, 1})},
              anyOrder());
  const Element open = *run.element(0, {});
  auto number = [&](double value) {
    return Element::ofDouble(open.getType(), value);
  };
  CHECK(open.permits(number(16777218)));
  CHECK_FALSE(open.permits(number(16777300)));
  CHECK_FALSE(open.permits(number(NAN)));
  CHECK_FALSE(open.permits(Element::poison(open.getType(), nullptr)));
  CHECK(number(0).permits(number(0)));
  CHECK_FALSE(number(0).permits(number(-0.0)));
  CHECK(number(NAN).permits(number(-NAN)));
  CHECK_FALSE(number(1).permits(Element::poison(open.getType(), nullptr)));
}

TEST_CASE("order: an overflow that the order decides") {
  // 3e38 + 3e38 - 3e38 is infinite or 3e38.
  const Permitted set = sumOf({3e38f, 3e38f, -3e38f});
  CHECK(set.contains(3e38f));
  CHECK(set.contains(kInfinity));
  CHECK_FALSE(set.contains(-kInfinity));
  CHECK_FALSE(set.mayBeNaN);
  // With two of each sign infinities may meet.
  const Permitted both = sumOf({3e38f, 3e38f, -3e38f, -3e38f});
  CHECK(both.contains(0));
  CHECK(both.contains(kInfinity));
  CHECK(both.contains(-kInfinity));
  CHECK(both.mayBeNaN);
}

TEST_CASE("order: infinities and NaN as terms") {
  checkSet(sumOf({1, kInfinity, 0.1f, 0.2f}), kInfinity, kInfinity);
  const Permitted nan = sumOf({1, kInfinity, -kInfinity});
  CHECK(nan.mayBeNaN);
  CHECK_FALSE(nan.hasNumbers());
  CHECK(sumOf({std::nanf(""), 0.1f, 0.2f, 1}).isSingle());
  // Three numbers may overflow downward before they meet the infinity.
  CHECK(sumOf({kInfinity, -3e38f, -3e38f}).mayBeNaN);
}

TEST_CASE("order: a sum of zeros keeps its sign") {
  TestRun negative(reductionBy("arith.addf", "-0.0"),
                   {floats({3}, {-0.0f, -0.0f, -0.0f})}, anyOrder());
  CHECK(std::signbit(negative.floats()[0]));
  auto element = negative.element(0, {});
  REQUIRE(element);
  CHECK_FALSE(element->hasSpread());
  // 0.1 - 0.1 is 0 in each order.
  auto zero = TestRun(reductionBy("arith.addf"), {floats({2}, {0.1f, -0.1f})},
                      anyOrder())
                  .element(0, {});
  REQUIRE(zero);
  CHECK_FALSE(zero->hasSpread());
}

TEST_CASE("order: sums of subnormal numbers are exact") {
  checkSet(sumOf({1e-45f, 3e-45f, 1e-40f, -2e-41f}),
           1e-45f + 3e-45f + 1e-40f - 2e-41f,
           1e-45f + 3e-45f + 1e-40f - 2e-41f);
}

TEST_CASE("order: products") {
  checkSet(reduced("arith.mulf", {2, 3, 5, 7}, "1.0"), 210, 210);
  const Permitted set =
      reduced("arith.mulf", {1.1f, 1.2f, 1.3f, 1.4f, 1.7f}, "1.0");
  CHECK(set.contains(1.1f * 1.2f * 1.3f * 1.4f * 1.7f));
  CHECK(set.contains(1.7f * 1.4f * 1.3f * 1.2f * 1.1f));
  CHECK((set.greatest - set.least) / set.least < 2e-6);
  CHECK((set.greatest - set.least) / set.least > 1e-8);
  // 1e30 * 1e30 overflows, 1e-30 * 1e30 does not; 1e-30 * 1e-30 is 0.
  const Permitted wide =
      reduced("arith.mulf", {1e30f, 1e30f, 1e-30f, 1e-30f}, "1.0");
  CHECK(wide.contains(1));
  CHECK(wide.contains(kInfinity));
  CHECK(wide.contains(0));
  CHECK(wide.mayBeNaN);
}

TEST_CASE("order: minima and maxima have one value") {
  checkSet(reduced("arith.maximumf", {0.1f, 0.3f, -7}), 0.3f, 0.3f);
  checkSet(reduced("arith.minnumf", {0.1f, 0.3f, -7}), -7, -7);
}

TEST_CASE("order: what is computed from a sum") {
  // r is 2^24, 2^24 + 2 or near them; its root is about 4096, its sine any.
  const std::string module = R"(
func.func @main(%x: tensor<?xf32>) -> (tensor<f32>, tensor<f32>, tensor<i1>,
                                       tensor<i32>, tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %b, %a : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %root = math.sqrt %s : tensor<f32>
  %minus = arith.subf %s, %s : tensor<f32>
  %limit = arith.constant dense<16777216.0> : tensor<f32>
  %above = arith.cmpf ogt, %s, %limit : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<f32>
  %three = arith.constant dense<3.0> : tensor<f32>
  %i = arith.fptosi %root : tensor<f32> to tensor<i32>
  %chosen = arith.select %above, %one, %three : tensor<i1>, tensor<f32>
  %same = arith.maximumf %chosen, %three : tensor<f32>
  return %root, %minus, %above, %i, %chosen, %same : tensor<f32>, tensor<f32>,
      tensor<i1>, tensor<i32>, tensor<f32>, tensor<f32>
})";
  TestRun run(module, {floats({3}, {16777216, 1, 1})}, anyOrder());
  const Permitted root = run.permitted(0, {});
  CHECK(root.contains(4096));
  CHECK(root.greatest - root.least < 0.001);
  CHECK(run.permitted(1, {}).contains(2));
  CHECK(run.permitted(1, {}).contains(-2));
  CHECK(run.permitted(2, {}).isAny);
  CHECK(run.permitted(3, {}).contains(4096));
  checkSet(run.permitted(4, {}), 1, 3);
  checkSet(run.permitted(5, {}), 3, 3);
  CHECK_FALSE(run.element(5, {})->hasSpread());
}

TEST_CASE("order: a condition that a sum decides ends the run") {
  const std::string module = R"(
func.func @main(%x: tensor<?xf32>) -> f32 {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<?xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %b, %a : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %number = tensor.extract %s[] : tensor<f32>
  %limit = arith.constant 16777216.0 : f32
  %above = arith.cmpf ogt, %number, %limit : f32
  %one = arith.constant 1.0 : f32
  %r = scf.if %above -> f32 {
    scf.yield %one : f32
  } else {
    scf.yield %limit : f32
  }
  return %r : f32
})";
  TestRun open(module, {floats({3}, {16777216, 1, 1})}, anyOrder());
  CHECK(open.undetermined() == "an index, a size or a condition");
  CHECK(open.fault().empty());
  TestRun decided(module, {floats({3}, {1, 2, 3})}, anyOrder());
  CHECK(decided.undetermined().empty());
  checkSet(decided.permitted(0, {}), 16777216, 16777216);
}

TEST_CASE("order: scans, scatters, fused sums and those of f64") {
  const std::string module = R"(
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<1xf32>,
                                       tensor<f32>, tensor<f64>) {
  %p = graph.scan %x axis 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  } : tensor<3xf32>
  %at = arith.constant dense<0> : tensor<3xi64>
  %data = arith.constant dense<1.0> : tensor<1xf32>
  %added = graph.scatter "add" %x into %data at(%at : tensor<3xi64>)
      target affine_map<(d0)[s0] -> (s0)>
      index_maps [affine_map<(d0) -> (d0)>] : tensor<3xf32>, tensor<1xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %fused = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<3xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %t = math.fma %a, %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %y = arith.constant dense<[0.1, 0.2]> : tensor<2xf64>
  %wide = arith.constant dense<0.0> : tensor<f64>
  %two = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%y : tensor<2xf64>) outs(%wide : tensor<f64>) {
  ^bb0(%a: f64, %b: f64):
    %t = arith.addf %b, %a : f64
    linalg.yield %t : f64
  } -> tensor<f64>
  return %p, %added, %fused, %two : tensor<3xf32>, tensor<1xf32>, tensor<f32>,
      tensor<f64>
})";
  TestRun run(module, {floats({3}, {16777216, 1, 1})}, anyOrder());
  checkSet(run.permitted(0, {1}), 16777216, 16777216);
  CHECK(run.permitted(0, {2}).contains(16777218));
  // 1 + 2^24 + 1 + 1 is 2^24 + 4 from the other end on.
  CHECK(run.permitted(1, {0}).contains(16777216));
  CHECK(run.permitted(1, {0}).contains(16777220));
  // 2^48 + 1 + 1, where a unit in the last place is 2^25.
  CHECK(run.permitted(2, {}).contains(0x1p48));
  CHECK(run.permitted(2, {}).least >= 0x1p48 - 0x1p25);
  CHECK(run.permitted(2, {}).greatest <= 0x1p48 + 0x1p25);
  checkSet(run.permitted(3, {}), 0.1 + 0.2, 0.1 + 0.2);
}

TEST_CASE("order: a long scan, and the sum of its row") {
  const int64_t count = 3000;
  const std::string module = R"(
func.func @main(%x: tensor<3000xf32>) -> (tensor<3000xf32>, tensor<f32>) {
  %p = graph.scan %x axis 0 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  } : tensor<3000xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<3000xf32>)
      outs(%zero : tensor<f32>) dimensions = [0]
  return %p, %sum : tensor<3000xf32>, tensor<f32>
})";
  Floats numbers(count);
  for (int64_t i = 0; i < count; ++i)
    numbers[i] = 0.1f + float(i % 7) / 3;
  TestRun run(module, {floats({count}, numbers)}, anyOrder());
  const Permitted sum = run.permitted(1, {});
  const Permitted last = run.permitted(0, {count - 1});
  CHECK(last.least <= sum.least);
  CHECK(last.greatest >= sum.greatest);
  CHECK(last.greatest - last.least < 2.5 * (sum.greatest - sum.least));
}

TEST_CASE("order: a softmax adds up its row in any order") {
  TestRun run(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.softmax dimension(0) ins(%x : tensor<4xf32>)
      outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})",
              {floats({4}, {0.3f, 1, -0.7f, 0.9f})}, anyOrder());
  const float terms[] = {std::exp(0.3f - 1), 1, std::exp(-1.7f),
                         std::exp(0.9f - 1)};
  const float forward = ((terms[0] + terms[1]) + terms[2]) + terms[3];
  const float backward = ((terms[3] + terms[2]) + terms[1]) + terms[0];
  for (int64_t i = 0; i < 4; ++i) {
    const Permitted set = run.permitted(0, {i});
    // The host's library may round an exponential in another way.
    CHECK(set.least <= terms[i] / forward * (1 + 1e-7));
    CHECK(set.greatest >= terms[i] / backward * (1 - 1e-7));
    CHECK(set.greatest > set.least);
    CHECK((set.greatest - set.least) / set.least < 1e-6);
  }
}

TEST_CASE("order: sorted rows of sums that overlap") {
  const std::string module = R"(
func.func @main(%x: tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x3xf32>) outs(%zero : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %b, %a : f32
    linalg.yield %t : f32
  } -> tensor<3xf32>
  %n = arith.constant dense<[10, 20, 30]> : tensor<3xi32>
  %k, %v = graph.sort %s, %n axis 0 : tensor<3xf32>, tensor<3xi32>
  return %k, %v : tensor<3xf32>, tensor<3xi32>
})";
  // Two sums around 2^24, and one of 6.
  TestRun run(module,
              {floats({3, 3}, {16777216, 1, 1, 1, 2, 3, 16777216, 1, 1.5})},
              anyOrder());
  checkSet(run.permitted(0, {0}), 6, 6);
  checkSet(run.permitted(1, {0}), 20, 20);
  CHECK(run.permitted(0, {1}).contains(16777218));
  CHECK(run.permitted(1, {1}).contains(10));
  CHECK(run.permitted(1, {1}).contains(30));
}

//===--- Random sums ------------------------------------------------------===//

/// Terms of which the sum is worth some thought.
static Floats randomTerms(std::mt19937_64 &random, size_t count) {
  std::normal_distribution<float> normal;
  const int kind = int(random() % 4);
  Floats terms(count);
  for (float &term : terms) {
    term = normal(random);
    if (kind == 1)
      term = std::fabs(term);
    if (kind == 2)
      term *= std::ldexp(1.0f, int(random() % 20));
  }
  // The sum is near 0.
  if (kind == 3)
    for (size_t i = 0; i + 1 < count; i += 2)
      terms[i + 1] = -terms[i] * (1 + std::ldexp(normal(random), -12));
  return terms;
}

/// The sum by a random tree: two partial sums, or the next two, until one is
/// left.
static float anySum(Floats terms, std::mt19937_64 &random) {
  std::shuffle(terms.begin(), terms.end(), random);
  if (random() % 2 == 0)
    return std::accumulate(terms.begin(), terms.end(), 0.0f);
  while (terms.size() > 1) {
    std::swap(terms[random() % terms.size()], terms.back());
    const float last = terms.back();
    terms.pop_back();
    terms[random() % terms.size()] += last;
  }
  return terms[0];
}

TEST_CASE("order: random orders of random sums are permitted, and few else") {
  std::mt19937_64 random(1);
  double logRatio = 0, worst = 0;
  int measured = 0;
  for (int n = 0; n < 200; ++n) {
    const size_t count = 3 + random() % (n % 10 == 0 ? 500 : 60);
    Floats terms = randomTerms(random, count);
    const Permitted set = sumOf(terms);
    float least = kInfinity, greatest = -kInfinity;
    auto found = [&](float sum) {
      INFO(set.text() << ", found " << sum);
      REQUIRE(set.contains(sum));
      least = std::min(least, sum);
      greatest = std::max(greatest, sum);
    };
    for (int order = 0; order < 1000; ++order)
      found(anySum(terms, random));
    // Bad orders: all of one sign first, the great ones first.
    std::sort(terms.begin(), terms.end());
    found(std::accumulate(terms.begin(), terms.end(), 0.0f));
    found(std::accumulate(terms.rbegin(), terms.rend(), 0.0f));
    if (greatest == least)
      continue;
    const double ratio = (set.greatest - set.least) / (greatest - least);
    logRatio += std::log(ratio);
    worst = std::max(worst, ratio);
    ++measured;
  }
  REQUIRE(measured > 100);
  const double mean = std::exp(logRatio / measured);
  INFO("width of the set by the width found: mean " << mean << ", greatest "
                                                    << worst);
  CHECK(mean <= 50);
  CHECK(worst <= 1000);
}

TEST_CASE("order: random orders of random products are permitted") {
  std::mt19937_64 random(2);
  std::normal_distribution<float> normal;
  for (int n = 0; n < 50; ++n) {
    Floats terms(3 + random() % 20);
    for (float &term : terms)
      term = normal(random) * std::ldexp(1.0f, int(random() % (n + 1)) - n / 2);
    const Permitted set = reduced("arith.mulf", terms, "1.0");
    for (int order = 0; order < 1000; ++order) {
      std::shuffle(terms.begin(), terms.end(), random);
      const float product = std::accumulate(terms.begin(), terms.end(), 1.0f,
                                            std::multiplies<>());
      INFO(set.text() << ", found " << product);
      REQUIRE(set.contains(product));
    }
  }
}

} // namespace tilewright::graph::reference::test
