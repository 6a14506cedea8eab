// Programs in exact arithmetic, against MPFR with 300 bits and numbers that are
// known.
#include "verify/exact/ExactProgram.h"

#include "test/graph/reference/RandomProgram.h"
#include "tileir/reference/Rounding.h"

#include <catch2/catch.hpp>

namespace tilewright::verify::test {

using namespace graph::reference;
using namespace graph::reference::test;

/// A number of f128 as one of 300 bits.
static Real realOf(const llvm::APFloat &quad) {
  Real sum;
  llvm::APFloat rest = quad;
  // The first 53 bits, the next ones, the last ones.
  for (int part = 0; part < 3; ++part) {
    const double number = tilewright::reference::asDouble(rest);
    mpfr_add_d(sum.value, sum.value, number, MPFR_RNDN);
    if (!std::isfinite(number))
      break;
    llvm::APFloat next(number);
    bool isLost = false;
    next.convert(llvm::APFloat::IEEEquad(), llvm::APFloat::rmNearestTiesToEven,
                 &isLost);
    rest.subtract(next, llvm::APFloat::rmNearestTiesToEven);
  }
  return sum;
}

static double distance(const Real &a, const Real &b) {
  Real difference;
  mpfr_sub(difference.value, a.value, b.value, MPFR_RNDN);
  return std::fabs(difference.near());
}

namespace {
class ExactRun : public TestRun {
public:
  explicit ExactRun(const std::string &text, std::vector<Array> inputs = {})
      : TestRun(text, std::move(inputs), {}, makeExact) {}
  Real real(unsigned result, std::vector<int64_t> index) {
    auto found = element(result, std::move(index));
    REQUIRE(found);
    REQUIRE(found->getType().isF128());
    return realOf(found->real());
  }
};
} // namespace

/// What @main makes of scalars of f32, as r.
static Real computed(const std::string &body, std::vector<float> numbers,
                     const std::string &type = "f32") {
  std::string arguments;
  std::vector<Array> inputs;
  for (size_t n = 0; n < numbers.size(); ++n) {
    arguments += (n ? ", %" : "%") + std::string(1, char('a' + n)) + ": f32";
    inputs.push_back(floats({}, {numbers[n]}));
  }
  ExactRun run("func.func @main(" + arguments + ") -> " + type + " {\n" + body +
                   "\n  return %r : " + type + "\n}",
               inputs);
  return run.real(0, {});
}

static double number(const std::string &body, std::vector<float> numbers,
                     const std::string &type = "f32") {
  return computed(body, std::move(numbers), type).near();
}

TEST_CASE("exact: random programs, against MPFR") {
  int64_t elements = 0;
  double worst = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const RandomProgram program(seed);
    ExactRun run(program.text(), program.inputs());
    const std::vector<ProgramTensor> results = program.results();
    for (size_t result = 0; result < results.size(); ++result) {
      const ProgramTensor &tensor = results[result];
      for (size_t n = 0; n < tensor.exact.size(); ++n, ++elements) {
        std::vector<int64_t> index{int64_t(n)};
        if (tensor.isMatrix)
          index = {int64_t(n) / kColumns, int64_t(n) % kColumns};
        const Real found = run.real(unsigned(result), index);
        const double error = distance(found, tensor.exact[n]) /
                             std::max(1.0, std::fabs(tensor.exact[n].near()));
        worst = std::max(worst, error);
        INFO("seed " << seed << ", " << tensor.name << '\n'
                     << program.text() << error);
        // Without roundings to the types: what is left is the error of 111
        // bits, some ops later.
        if (!(error < 0x1p-90))
          FAIL();
      }
    }
  }
  INFO(elements << " elements, greatest error " << worst);
  CHECK(elements >= 10000);
  CHECK(worst > 0);
}

TEST_CASE("exact: functions, to 111 bits") {
  struct Function {
    const char *name;
    int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  };
  const Function functions[] = {
      {"acos", mpfr_acos},   {"asin", mpfr_asin},   {"asinh", mpfr_asinh},
      {"atan", mpfr_atan},   {"atanh", mpfr_atanh}, {"cbrt", mpfr_cbrt},
      {"cos", mpfr_cos},     {"cosh", mpfr_cosh},   {"erf", mpfr_erf},
      {"erfc", mpfr_erfc},   {"exp", mpfr_exp},     {"exp2", mpfr_exp2},
      {"expm1", mpfr_expm1}, {"log", mpfr_log},     {"log10", mpfr_log10},
      {"log1p", mpfr_log1p}, {"log2", mpfr_log2},   {"rsqrt", mpfr_rec_sqrt},
      {"sin", mpfr_sin},     {"sinh", mpfr_sinh},   {"sqrt", mpfr_sqrt},
      {"tan", mpfr_tan},     {"tanh", mpfr_tanh},
  };
  for (const Function &function : functions)
    for (float x : {0x1p-140f, 0.3f, 0.7f}) {
      Real expected(x);
      function.exact(expected.value, expected.value, MPFR_RNDN);
      const Real found = computed(
          "%r = math." + std::string(function.name) + " %a : f32", {x});
      INFO(function.name << ' ' << x);
      CHECK(distance(found, expected) <= std::fabs(expected.near()) * 0x1p-110);
    }
  CHECK(number("%r = math.powf %a, %b : f32", {2, -3}) == 0.125);
  CHECK(number("%r = math.atan2 %a, %b : f32", {0, -1}) == M_PI);
  CHECK(number("%n = arith.constant 3 : i32\n"
               "%r = math.fpowi %a, %n : f32, i32",
               {-0.5f}) == -0.125);
}

TEST_CASE("exact: zeros, infinities and numbers beyond every type") {
  CHECK(number("%r = math.rsqrt %a : f32", {-0.0f}) == -INFINITY);
  CHECK(number("%r = math.log %a : f32", {0}) == -INFINITY);
  CHECK(std::isnan(number("%r = math.log %a : f32", {-1})));
  CHECK(number("%r = math.exp %a : f32", {-INFINITY}) == 0);
  // Greater than all numbers of f64, and back.
  CHECK(number("%e = math.exp %a : f32\n%r = math.log %e : f32", {1000}) ==
        1000);
  CHECK(number("%e = math.exp %a : f32\n%r = math.log %e : f32", {-1000}) ==
        -1000);
  // Subnormal in f128: less precise, but there.
  CHECK(number("%e = math.exp2 %a : f32\n%r = math.log2 %e : f32", {-16450}) ==
        -16450);
  CHECK(number("%r = math.exp2 %a : f32", {17000}) == INFINITY);
}

TEST_CASE("exact: no sum and no cast rounds") {
  // 2^24 and 1 have no sum in f32.
  CHECK(number("%s = arith.addf %a, %b : f32\n%r = arith.subf %s, %a : f32",
               {0x1p24f, 1}) == 1);
  for (const char *type : {"f16", "bf16", "f8E4M3FN", "f8E5M2", "f8E8M0FNU"}) {
    const std::string narrow = type;
    CHECK(number("%n = arith.truncf %a : f32 to " + narrow +
                     "\n%r = arith.extf %n : " + narrow + " to f32",
                 {1000.123f}) == 1000.123f);
  }
  CHECK(number("%r = arith.truncf %a downward : f32 to bf16", {1.003f},
               "bf16") == 1.003f);
  CHECK(number("%s = arith.constant 16.0 : f8E8M0FNU\n"
               "%r = arith.scaling_truncf %a, %s : f32, f8E8M0FNU to bf16",
               {3.1f}, "bf16") == double(3.1f) / 16);
}

TEST_CASE("exact: a condition follows the exact number") {
  // In f32 the sum is 2^24, which is not greater.
  ExactRun run(R"(
func.func @main(%a: tensor<2xf32>) -> (tensor<2xi64>, f32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<2xf32>
  %s = arith.addf %a, %one : tensor<2xf32>
  %greater = arith.cmpf ogt, %s, %a : tensor<2xf32>
  %i = arith.extui %greater : tensor<2xi1> to tensor<2xi64>
  %first = tensor.extract %greater[%c0] : tensor<2xi1>
  %r = scf.if %first -> f32 {
    %x = arith.constant 1.0 : f32
    scf.yield %x : f32
  } else {
    %x = arith.constant 2.0 : f32
    scf.yield %x : f32
  }
  return %i, %r : tensor<2xi64>, f32
})",
               {floats({2}, {0x1p24f, 0x1p100f})});
  CHECK(run.integers(0) == std::vector<int64_t>{1, 1});
  CHECK(run.real(1, {}).near() == 1);
  // 0.49999997 + 2^-25 rounds to 0.5 in f32, and to 1 as an integer.
  ExactRun rounds(R"(
func.func @main(%a: f32, %b: f32) -> i64 {
  %half = arith.constant 0.5 : f32
  %s = arith.addf %a, %b : f32
  %t = arith.addf %s, %half : f32
  %r = arith.fptosi %t : f32 to i64
  return %r : i64
})",
                  {floats({}, {0.49999997f}), floats({}, {0x1p-26f})});
  CHECK(rounds.integers(0) == std::vector<int64_t>{0});
}

TEST_CASE("exact: loops, calls and constants of a weight's type") {
  ExactRun run(R"(
func.func private @step(%x: f32, %w: tensor<3xf8E4M3FN>, %i: index) -> f32 {
  %e = tensor.extract %w[%i] : tensor<3xf8E4M3FN>
  %f = arith.extf %e : f8E4M3FN to f32
  %r = arith.mulf %x, %f : f32
  return %r : f32
}
func.func @main(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %w = arith.constant dense<[1.5, -0.1015625, 448.0]> : tensor<3xf8E4M3FN>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %x) -> f32 {
    %n = func.call @step(%s, %w, %i) : (f32, tensor<3xf8E4M3FN>, index) -> f32
    scf.yield %n : f32
  }
  return %r : f32
})",
               {floats({}, {0.1f})});
  CHECK(distance(run.real(0, {}), Real(double(0.1f) * -68.25)) < 1e-15);
}

TEST_CASE("exact: a product of quantized matrices") {
  // 256 products of int8 by a scale, which no f16 sums exactly.
  std::vector<float> left, right;
  int64_t sum = 0;
  for (int n = 0; n < 256; ++n) {
    const int a = n * 37 % 255 - 127, b = n * 91 % 255 - 127;
    left.push_back(float(a));
    right.push_back(float(b));
    sum += a * b;
  }
  ExactRun run(R"(
func.func @main(%x: tensor<1x256xf32>, %y: tensor<256x1xf32>) -> tensor<1x1xf16> {
  %a = arith.fptosi %x : tensor<1x256xf32> to tensor<1x256xi8>
  %b = arith.fptosi %y : tensor<256x1xf32> to tensor<256x1xi8>
  %scale = arith.constant dense<0.01> : tensor<1x256xf16>
  %af = arith.sitofp %a : tensor<1x256xi8> to tensor<1x256xf16>
  %bf = arith.sitofp %b : tensor<256x1xi8> to tensor<256x1xf16>
  %as = arith.mulf %af, %scale : tensor<1x256xf16>
  %z = arith.constant dense<0.0> : tensor<1x1xf16>
  %r = linalg.matmul ins(%as, %bf : tensor<1x256xf16>, tensor<256x1xf16>)
      outs(%z : tensor<1x1xf16>) -> tensor<1x1xf16>
  return %r : tensor<1x1xf16>
})",
               {floats({1, 256}, left), floats({256, 1}, right)});
  // 0.01 in f16 is 1311 / 2^17.
  Real expected(double(sum) * 1311);
  mpfr_div_2ui(expected.value, expected.value, 17, MPFR_RNDN);
  CHECK(distance(run.real(0, {0, 0}), expected) == 0);
}

/// Numbers with a large offset, as f32.
static std::vector<float> numbersAround(float offset, int count) {
  std::vector<float> numbers;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (int n = 0; n < count; ++n)
    numbers.push_back(offset + normal(random));
  return numbers;
}

TEST_CASE("exact: softmax") {
  const std::vector<float> x = numbersAround(0, 20);
  ExactRun run(R"(
func.func @main(%x: tensor<20xf32>) -> tensor<20xf32> {
  %e = tensor.empty() : tensor<20xf32>
  %r = linalg.softmax dimension(0) ins(%x : tensor<20xf32>)
      outs(%e : tensor<20xf32>) -> tensor<20xf32>
  return %r : tensor<20xf32>
})",
               {floats({20}, x)});
  Real sum;
  std::vector<Real> powers;
  for (float each : x) {
    Real &power = powers.emplace_back(each);
    mpfr_exp(power.value, power.value, MPFR_RNDN);
    mpfr_add(sum.value, sum.value, power.value, MPFR_RNDN);
  }
  for (int n = 0; n < 20; ++n) {
    mpfr_div(powers[n].value, powers[n].value, sum.value, MPFR_RNDN);
    CHECK(distance(run.real(0, {n}), powers[n]) < 0x1p-105);
  }
}

TEST_CASE("exact: the variance of a layer norm with a large offset") {
  const std::vector<float> x = numbersAround(10000, 64);
  ExactRun run(R"(
func.func @main(%x: tensor<64xf32>) -> tensor<f32> {
  %z = arith.constant dense<0.0> : tensor<f32>
  %n = arith.constant dense<64.0> : tensor<f32>
  %q = arith.mulf %x, %x : tensor<64xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<64xf32>)
      outs(%z : tensor<f32>) dimensions = [0]
  %t = linalg.reduce { arith.addf } ins(%q : tensor<64xf32>)
      outs(%z : tensor<f32>) dimensions = [0]
  %m = arith.divf %s, %n : tensor<f32>
  %m2 = arith.mulf %m, %m : tensor<f32>
  %e = arith.divf %t, %n : tensor<f32>
  %v = arith.subf %e, %m2 : tensor<f32>
  %r = math.rsqrt %v : tensor<f32>
  return %r : tensor<f32>
})",
               {floats({64}, x)});
  Real mean, squares, square;
  for (float each : x) {
    mpfr_set_d(square.value, each, MPFR_RNDN);
    mpfr_add(mean.value, mean.value, square.value, MPFR_RNDN);
    mpfr_sqr(square.value, square.value, MPFR_RNDN);
    mpfr_add(squares.value, squares.value, square.value, MPFR_RNDN);
  }
  mpfr_div_ui(mean.value, mean.value, 64, MPFR_RNDN);
  mpfr_div_ui(squares.value, squares.value, 64, MPFR_RNDN);
  mpfr_sqr(mean.value, mean.value, MPFR_RNDN);
  mpfr_sub(squares.value, squares.value, mean.value, MPFR_RNDN);
  mpfr_rec_sqrt(squares.value, squares.value, MPFR_RNDN);
  // 27 bits cancel.
  CHECK(distance(run.real(0, {}), squares) < 0x1p-78);
}

TEST_CASE("exact: bits of floats") {
  const std::string head = "func.func @main(%a: f32, %b: f32) -> i32 {\n",
                    tail = "\n  %r = arith.bitcast %s : f32 to i32\n"
                           "  return %r : i32\n}";
  const std::vector<Array> inputs = {floats({}, {1.5}), floats({}, {0x1p-30f})};
  // Numbers of f32 have bits.
  ExactRun known(head + "%s = arith.addf %a, %a : f32" + tail, inputs);
  CHECK(known.integers(0) == std::vector<int64_t>{0x40400000});
  // 1.5 + 2^-30 is none.
  ExactRun none(head + "%s = arith.addf %a, %b : f32" + tail, inputs);
  CHECK(none.fault() == "cf.assert: the exact number is none of f32, and so "
                        "has no bits\n");
  CHECK(number("%i = arith.constant 1069547520 : i32\n"
               "%f = arith.bitcast %i : i32 to f32\n"
               "%r = arith.addf %f, %a : f32",
               {0x1p-30f}) == 1.5 + 0x1p-30);
  ExactRun tensors("func.func @main(%a: tensor<2xf32>) -> tensor<2xi32> {\n"
                   "  %r = arith.bitcast %a : tensor<2xf32> to tensor<2xi32>\n"
                   "  return %r : tensor<2xi32>\n}",
                   {floats({2}, {1, 2})});
  CHECK(tensors.fault() ==
        "arith.bitcast: depends on the bits of floats, which exact numbers do "
        "not have\n");
  ExactRun normal("func.func @main(%a: f32) -> i1 {\n"
                  "  %r = math.isnormal %a : f32\n  return %r : i1\n}",
                  {floats({}, {1})});
  CHECK(normal.fault() == "math.isnormal: depends on the format of floats, "
                          "which exact numbers do not have\n");
}

} // namespace tilewright::verify::test
