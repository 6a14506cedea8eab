// Runs in which each rounding is open: the sets enclose the exact results of
// random programs, which MPFR computes, and are not much wider than the errors.
#include "test/graph/reference/RandomProgram.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace tilewright::graph::reference::test {

using tilewright::reference::Freedom;
using tilewright::reference::FunctionBound;
using tilewright::reference::Permitted;

static const std::vector<FunctionBound> kBounds = {
#define MATH_BOUND(function, f32, f64, operands) {#function, f32, f64},
#include "codegen/math/Bounds.inc"
};

static ReferenceOptions openRoundings() {
  ReferenceOptions options;
  options.freedom = {Freedom::roundings, kBounds};
  return options;
}

namespace {
/// Bounds by errors, of one result each: the greatest ones of its elements. An
/// error that is less than what rounding the result alone may lose is luck, and
/// counts as that: a bound cannot know of it.
struct Ratios {
  double logSum = 0, worst = 0;
  int count = 0;

  void add(double bound, double error, double rounding) {
    if (error == 0)
      return;
    error = std::max(error, rounding);
    logSum += std::log(bound / error);
    worst = std::max(worst, bound / error);
    ++count;
  }
  double mean() const { return std::exp(logSum / count); }
};
} // namespace

/// The set of a scalar that @main computes from scalars of f32.
static Permitted computed(const std::string &body, std::vector<float> numbers,
                          const std::string &type = "f32") {
  std::string arguments;
  std::vector<Array> inputs;
  for (size_t n = 0; n < numbers.size(); ++n) {
    arguments += (n ? ", %" : "%") + std::string(1, char('a' + n)) + ": f32";
    inputs.push_back(floats({}, {numbers[n]}));
  }
  TestRun run("func.func @main(" + arguments + ") -> " + type + " {\n" + body +
                  "\n  return %r : " + type + "\n}",
              inputs, openRoundings());
  return run.permitted(0, {});
}

TEST_CASE("roundings: what is exact has one value") {
  CHECK(computed("%r = arith.addf %a, %b : f32", {1.5, 2.25}).isSingle());
  CHECK(computed("%r = arith.mulf %a, %b : f32", {3, 0.125}).isSingle());
  CHECK(computed("%r = math.sqrt %a : f32", {2}).contains(std::sqrt(2.0)));
  CHECK(computed("%r = math.floor %a : f32", {-2.5}).isSingle());
  CHECK(
      computed("%r = arith.fptosi %a : f32 to i32", {7.9f}, "i32").contains(7));
}

TEST_CASE("roundings: a product that is rounded, or fused with a sum") {
  // a * a is 1 + 2^-11 + 2^-24; rounded to f32 it has no 2^-24.
  const float a = 1 + 0x1p-12f;
  const Permitted product = computed("%r = arith.mulf %a, %a : f32", {a});
  CHECK(product.contains(1 + 0x1p-11));
  CHECK(product.contains(1 + 0x1p-11 + 0x1p-24));
  // Half a unit in the last place to each side of the exact product.
  CHECK(product.contains(1 + 0x1p-11 + 0x1p-23));
  CHECK(product.greatest - product.least <= 4 * 0x1p-24);
  const Permitted fused = computed("%p = arith.mulf %a, %a : f32\n"
                                   "%r = arith.subf %p, %b : f32",
                                   {a, 1 + 0x1p-11f});
  CHECK(fused.contains(0));
  CHECK(fused.contains(0x1p-24));
}

TEST_CASE("roundings: functions within their bounds") {
  // 2.75 units in the last place of f32, which are 2^-25 from 1/4 on, and 1 of
  // 2^-22 from 2 on.
  const Permitted tanh = computed("%r = math.tanh %a : f32", {0.5f});
  CHECK(tanh.contains(std::tanh(0.5) + 2.7 * 0x1p-25));
  CHECK(tanh.contains(std::tanh(0.5) - 2.7 * 0x1p-25));
  CHECK_FALSE(tanh.contains(std::tanh(0.5) + 2.8 * 0x1p-25));
  const Permitted exp = computed("%r = math.exp %a : f32", {1});
  CHECK(exp.contains(std::exp(1.0) + 0.99 * 0x1p-22));
  CHECK_FALSE(exp.contains(std::exp(1.0) + 1.01 * 0x1p-22));
}

TEST_CASE("roundings: casts, overflow and subnormal numbers") {
  const Permitted narrow =
      computed("%r = arith.truncf %a : f32 to bf16", {1.003f}, "bf16");
  CHECK(narrow.contains(1));
  CHECK(narrow.contains(1.003f));
  CHECK(narrow.greatest - narrow.least <= 0x1p-7);
  // 1e30 * 1e30 is exact 1e60, and infinite in f32.
  const Permitted large = computed("%r = arith.mulf %a, %a : f32", {1e30f});
  CHECK(large.contains(double(1e30f) * double(1e30f)));
  CHECK(large.contains(INFINITY));
  CHECK_FALSE(large.mayBeNaN);
  CHECK(large.least > 3e38);
  // Half of the least number is rounded to 0.
  const Permitted small =
      computed("%r = arith.mulf %a, %b : f32", {1e-45f, 0.5f});
  CHECK(small.contains(0));
  CHECK(small.contains(0x1p-150));
  CHECK(small.greatest <= 0x1p-149);
  CHECK(computed("%i = arith.fptosi %a : f32 to i32\n"
                 "%r = arith.bitcast %i : i32 to f32",
                 {1})
            .isSingle());
  // 3 * 2^4, and 3.1 / 2^4 in bf16.
  const std::string scale = "%s = arith.constant 16.0 : f8E8M0FNU\n";
  CHECK(computed(scale + "%n = arith.truncf %a : f32 to f8E4M3FN\n"
                         "%r = arith.scaling_extf %n, %s : f8E4M3FN, "
                         "f8E8M0FNU to f32",
                 {3})
            .isSingle());
  const Permitted scaled = computed(
      scale + "%r = arith.scaling_truncf %a, %s : f32, f8E8M0FNU to bf16",
      {3.1f}, "bf16");
  CHECK(scaled.contains(3.1f / 16));
  CHECK(scaled.greatest - scaled.least < 0.004);
  // Too large a number of 8 bits is NaN, if it is rounded there.
  const Permitted eight =
      computed("%r = arith.truncf %a : f32 to f8E4M3FN", {1000}, "f8E4M3FN");
  CHECK(eight.mayBeNaN);
  CHECK(eight.contains(1000));
}

TEST_CASE("roundings: exact results of random programs are in their sets") {
  Ratios ratios;
  int64_t elements = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const RandomProgram program(seed);
    TestRun run(program.text(), program.inputs(), openRoundings());
    const std::vector<ProgramTensor> results = program.results();
    for (size_t result = 0; result < results.size(); ++result) {
      double bound = 0, error = 0, largest = 0;
      const ProgramTensor &tensor = results[result];
      const int precision = tensor.element == "f64"   ? 53
                            : tensor.element == "f32" ? 24
                            : tensor.element == "f16" ? 11
                                                      : 8;
      for (size_t n = 0; n < tensor.exact.size(); ++n) {
        std::vector<int64_t> index{int64_t(n)};
        if (tensor.isMatrix)
          index = {int64_t(n) / kColumns, int64_t(n) % kColumns};
        const Permitted set = run.permitted(unsigned(result), index);
        const Real &exact = tensor.exact[n];
        const double computed =
            run.element(unsigned(result), index)->toDouble();
        INFO("seed " << seed << ", result " << result << ", " << tensor.name
                     << '\n'
                     << program.text() << set.text() << ", exact "
                     << exact.near() << ", computed " << computed);
        if (!exact.isIn(set) || set.mayBeNaN || !set.contains(computed))
          FAIL();
        bound = std::max({bound, exact.distanceFrom(set.least),
                          exact.distanceFrom(set.greatest)});
        error = std::max(error, exact.distanceFrom(computed));
        largest = std::max(largest, std::fabs(computed));
        ++elements;
      }
      ratios.add(bound, error, std::ldexp(largest, -precision - 1));
    }
  }
  INFO(elements << " elements, bound by error: mean " << ratios.mean()
                << ", greatest " << ratios.worst);
  CHECK(elements >= 10000);
  CHECK(ratios.mean() <= 50);
  CHECK(ratios.worst <= 1000);
}

} // namespace tilewright::graph::reference::test
