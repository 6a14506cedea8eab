// The rules of errors: for operands anywhere within their bounds, and rounded
// anyhow within the op's own bound, results are within the rule's bound.
#include "verify/threads/ErrorRules.h"
#include "verify/threads/MatrixErrors.h"

#include <catch2/catch.hpp>

#include <random>

using namespace mlir;

namespace tilewright::verify::threads {

namespace {
using Exact = long double (*)(const long double *);
struct Tried {
  const char *name;
  Exact exact;
  unsigned operands = 1;
  /// Of the values.
  double low = -4, high = 4;
  bool rounds = true;
};
} // namespace

static long double fusedOf(const long double *x) { return x[0] * x[1] + x[2]; }

static const Tried kRules[] = {
    {"addf", [](auto *x) { return x[0] + x[1]; }, 2},
    {"subf", [](auto *x) { return x[0] - x[1]; }, 2},
    {"mulf", [](auto *x) { return x[0] * x[1]; }, 2},
    {"divf", [](auto *x) { return x[0] / x[1]; }, 2},
    {"fma", fusedOf, 3},
    {"maximumf", [](auto *x) { return std::max(x[0], x[1]); }, 2, -4, 4, false},
    {"minnumf", [](auto *x) { return std::min(x[0], x[1]); }, 2, -4, 4, false},
    {"negf", [](auto *x) { return -x[0]; }, 1, -4, 4, false},
    {"absf", [](auto *x) { return std::fabs(x[0]); }, 1, -4, 4, false},
    {"truncf", [](auto *x) { return x[0]; }},
    {"floor", [](auto *x) { return std::floor(x[0]); }, 1, -4, 4, false},
    {"ceil", [](auto *x) { return std::ceil(x[0]); }, 1, -4, 4, false},
    {"roundeven", [](auto *x) { return std::nearbyint(x[0]); }, 1, -4, 4,
     false},
    {"copysign", [](auto *x) { return std::copysign(x[0], x[1]); }, 2, -4, 4,
     false},
    {"powf", [](auto *x) { return std::pow(x[0], x[1]); }, 2, 0.5, 4},
    {"acos", [](auto *x) { return std::acos(x[0]); }, 1, -1, 1},
    {"acosh", [](auto *x) { return std::acosh(x[0]); }, 1, 1, 4},
    {"asin", [](auto *x) { return std::asin(x[0]); }, 1, -1, 1},
    {"asinh", [](auto *x) { return std::asinh(x[0]); }},
    {"atan", [](auto *x) { return std::atan(x[0]); }},
    {"atanh", [](auto *x) { return std::atanh(x[0]); }, 1, -1, 1},
    {"cbrt", [](auto *x) { return std::cbrt(x[0]); }},
    {"cos", [](auto *x) { return std::cos(x[0]); }},
    {"cosh", [](auto *x) { return std::cosh(x[0]); }},
    {"erf", [](auto *x) { return std::erf(x[0]); }},
    {"erfc", [](auto *x) { return std::erfc(x[0]); }},
    {"exp", [](auto *x) { return std::exp(x[0]); }},
    {"exp2", [](auto *x) { return std::exp2(x[0]); }},
    {"expm1", [](auto *x) { return std::expm1(x[0]); }},
    {"log", [](auto *x) { return std::log(x[0]); }, 1, 0, 4},
    {"log10", [](auto *x) { return std::log10(x[0]); }, 1, 0, 4},
    {"log1p", [](auto *x) { return std::log1p(x[0]); }, 1, -1, 4},
    {"log2", [](auto *x) { return std::log2(x[0]); }, 1, 0, 4},
    {"rsqrt", [](auto *x) { return 1 / std::sqrt(x[0]); }, 1, 0, 4},
    {"sin", [](auto *x) { return std::sin(x[0]); }},
    {"sinh", [](auto *x) { return std::sinh(x[0]); }},
    {"sqrt", [](auto *x) { return std::sqrt(x[0]); }, 1, 0, 4},
    {"tan", [](auto *x) { return std::tan(x[0]); }},
    {"tanh", [](auto *x) { return std::tanh(x[0]); }},
};

/// Between -1 and 1, often one of these.
static double side(std::mt19937_64 &random) {
  switch (random() % 4) {
  case 0:
    return -1;
  case 1:
    return 1;
  default:
    return std::uniform_real_distribution<double>(-1, 1)(random);
  }
}

/// One choice of operands; false where the rule knows no bound.
static bool tryRule(const Tried &tried, const NumberFormat &format,
                    std::mt19937_64 &random) {
  const bool isExact = random() % 4 == 0;
  const double size = std::ldexp(1.0, -int(random() % 30));
  Inexact x[3];
  long double value[3], exact[3], device[3];
  std::uniform_real_distribution<double> range(tried.low, tried.high);
  for (unsigned i = 0; i < tried.operands; ++i) {
    x[i] = {double(float(range(random))), isExact ? 0 : size};
    value[i] = x[i].value;
    exact[i] = value[i] + x[i].error * (long double)(side(random));
    device[i] = exact[i] + x[i].error * (long double)(side(random));
  }
  const double made = double(float(tried.exact(value)));
  const double bound = errorRuleOf(tried.name)(
      {llvm::ArrayRef(x, tried.operands), made, format, tried.name, {}});
  if (!(bound < kUnbounded))
    return false;
  const long double right = tried.exact(exact);
  CAPTURE(tried.name, x[0].value, x[1].value, x[2].value, size, isExact, made);
  CHECK(std::fabs(made - right) <= bound);
  const long double other = tried.exact(device);
  CHECK(std::fabs((tried.rounds ? float(other) : other) - right) <= bound);
  return true;
}

TEST_CASE("error rules: results are within bounds") {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  const NumberFormat format(Float32Type::get(&context));
  std::mt19937_64 random(7);
  for (const Tried &tried : kRules) {
    CAPTURE(tried.name);
    REQUIRE(errorRuleOf(tried.name));
    unsigned bounded = 0;
    for (unsigned n = 0; n < 3000; ++n)
      bounded += tryRule(tried, format, random);
    CHECK(bounded > 2000);
  }
}

TEST_CASE("error rules: small integers are exact") {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  const NumberFormat format(Float16Type::get(&context));
  for (const char *name : {"addf", "subf", "mulf", "fma", "maximumf"}) {
    const Inexact x[] = {{3, 0}, {5, 0}, {1, 0}};
    const bool isProduct = name == llvm::StringRef("mulf");
    const double made = name == llvm::StringRef("addf")   ? 8
                        : name == llvm::StringRef("subf") ? -2
                        : isProduct                       ? 15
                        : name == llvm::StringRef("fma")  ? 16
                                                          : 5;
    CAPTURE(name);
    const size_t count = name == llvm::StringRef("fma") ? 3 : 2;
    CHECK(errorRuleOf(name)(
              {llvm::ArrayRef(x, count), made, format, name, {}}) == 0);
  }
}

TEST_CASE("error rules: overflow has no bound") {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  const NumberFormat format(Float16Type::get(&context));
  const Inexact x[] = {{60000, 1000}, {4000, 1000}};
  CHECK(errorOfSum({x, 64000, format, "addf", {}}) == kUnbounded);
}

//===--- Matrix instructions ----------------------------------------------===//

/// A number with few bits.
static double shortNumber(std::mt19937_64 &random) {
  return std::ldexp(double(int(random() % 255) - 127), int(random() % 12) - 10);
}

static uint32_t upperHalf(double number) {
  return std::bit_cast<uint32_t>(float(number)) >> 16;
}

/// Instructions one after the other: the first one has exact operands.
static void tryProducts(unsigned architecture, double error,
                        std::mt19937_64 &random) {
  constexpr FloatLayout bfloat = {8, 7};
  const ProductRules rules = productRules(architecture, bfloat);
  long double exact = 0;
  uint32_t acc = 0;
  Inexact sum;
  for (unsigned step = 0; step < 3; ++step) {
    std::vector<MatrixFactor> a(16), b(16);
    std::vector<uint32_t> x, y;
    for (unsigned k = 0; k < 16; ++k) {
      a[k].number = {shortNumber(random), error};
      b[k].number = {shortNumber(random), error};
      x.push_back(upperHalf(a[k].number.value));
      y.push_back(upperHalf(b[k].number.value));
      exact += (a[k].number.value + (long double)(error * side(random))) *
               (b[k].number.value + (long double)(error * side(random)));
    }
    acc = addProducts(x, bfloat, y, bfloat, acc, rules);
    const double made = std::bit_cast<float>(acc);
    const MatrixSum products = {a, b, bfloat, bfloat, sum, made};
    sum = {made, errorOfProducts(products, rules)};
    CAPTURE(architecture, error, step, made, sum.error);
    CHECK(std::fabs(made - exact) <= sum.error);
    CHECK(sum.error < 1);
  }
}

TEST_CASE("error rules: matrix instructions") {
  std::mt19937_64 random(3);
  for (unsigned architecture : {80, 90})
    for (double error : {0.0, 0x1p-20})
      for (unsigned n = 0; n < 500; ++n)
        tryProducts(architecture, error, random);
}

} // namespace tilewright::verify::threads
