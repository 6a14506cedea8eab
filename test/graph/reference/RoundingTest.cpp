// Runs in which each rounding is open: the sets enclose the exact results of
// random programs, which MPFR computes, and are not much wider than the errors.
#include "test/graph/reference/TestRun.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <mpfr.h>
#include <random>

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
/// A real number of 300 bits.
class Real {
public:
  explicit Real(double number = 0) {
    mpfr_init2(value, 300);
    mpfr_set_d(value, number, MPFR_RNDN);
  }
  Real(const Real &other) : Real() { mpfr_set(value, other.value, MPFR_RNDN); }
  Real &operator=(const Real &other) {
    mpfr_set(value, other.value, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value); }

  double near() const { return mpfr_get_d(value, MPFR_RNDN); }
  bool isIn(const Permitted &set) const {
    return mpfr_cmp_d(value, set.least) >= 0 &&
           mpfr_cmp_d(value, set.greatest) <= 0;
  }
  double distanceFrom(double number) const {
    Real difference;
    mpfr_sub_d(difference.value, value, number, MPFR_RNDN);
    return std::fabs(difference.near());
  }

  mpfr_t value;
};

using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

/// An op on floats, and where operands may be.
struct UnaryOp {
  const char *name;
  Unary exact;
  double least = -100, greatest = 100;
};
struct BinaryOp {
  const char *name;
  Binary exact;
  bool isDivision = false;
};

/// A tensor of a random program: a matrix, or one number for each of its rows.
struct Tensor {
  std::string name, element;
  bool isMatrix;
  std::vector<Real> exact;

  std::string type() const {
    return std::string("tensor<") + (isMatrix ? "8x16x" : "8x") + element + ">";
  }
};
} // namespace

static constexpr int kRows = 8, kColumns = 16;

static int negate(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t rounding) {
  return mpfr_neg(r, x, rounding);
}
static int absoluteOf(mpfr_ptr r, mpfr_srcptr x, mpfr_rnd_t rounding) {
  return mpfr_abs(r, x, rounding);
}
static int maximumOf(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b,
                     mpfr_rnd_t rounding) {
  return mpfr_max(r, a, b, rounding);
}

static const UnaryOp kUnary[] = {
    {"arith.negf", negate},
    {"math.absf", absoluteOf},
    {"math.exp", mpfr_exp, -20, 5},
    {"math.exp2", mpfr_exp2, -20, 7},
    {"math.expm1", mpfr_expm1, -20, 5},
    {"math.log", mpfr_log, 0.01, 1000},
    {"math.log1p", mpfr_log1p, -0.9, 1000},
    {"math.sqrt", mpfr_sqrt, 0, 1000},
    {"math.rsqrt", mpfr_rec_sqrt, 0.01, 1000},
    {"math.tanh", mpfr_tanh},
    {"math.sin", mpfr_sin},
    {"math.cos", mpfr_cos},
    {"math.erf", mpfr_erf},
    {"math.atan", mpfr_atan},
    {"math.sinh", mpfr_sinh, -5, 5},
    {"math.cosh", mpfr_cosh, -5, 5},
    {"math.asinh", mpfr_asinh},
    {"math.cbrt", mpfr_cbrt},
};
static const BinaryOp kBinary[] = {
    {"arith.addf", mpfr_add},      {"arith.subf", mpfr_sub},
    {"arith.mulf", mpfr_mul},      {"arith.divf", mpfr_div, true},
    {"arith.maximumf", maximumOf}, {"math.powf", mpfr_pow},
};

namespace {
/// A random program, written op by op with what it computes exactly.
class RandomProgram {
public:
  explicit RandomProgram(uint64_t seed) : random(seed) {
    static const char *const kTypes[] = {"f32", "f32", "f64", "f16", "bf16"};
    element = kTypes[random() % 5];
    for (int n = 0; n < 2; ++n)
      addInput(n);
    for (int n = 0; n < 60 && ops < 6; ++n)
      addOp();
  }

  std::string text() const {
    std::string names, types;
    for (const Tensor &tensor : results()) {
      names += (names.empty() ? "" : ", ") + tensor.name;
      types += (types.empty() ? "" : ", ") + tensor.type();
    }
    return "func.func @main(%a0: " + tensors[0].type() +
           ", %a1: " + tensors[1].type() + ") -> (" + types + ") {\n" + body +
           "  return " + names + " : " + types + "\n}\n";
  }
  std::vector<Tensor> results() const {
    return {tensors.begin() + 2, tensors.end()};
  }
  const std::vector<Array> &inputs() const { return arrays; }

private:
  void addInput(int number);
  void addOp();
  void addReduction();
  void addBroadcast();
  void addCast();
  const Tensor &pick() { return tensors[random() % tensors.size()]; }
  /// Adds a line unless a result is too large to go on with.
  void add(const std::string &line, const std::string &type, bool isMatrix,
           std::vector<Real> exact);

  std::mt19937_64 random;
  std::string element, body;
  std::vector<Tensor> tensors;
  std::vector<Array> arrays;
  int ops = 0, defined = 0, inits = 0;
};
} // namespace

/// A number of the type, and its bits.
static std::pair<double, uint64_t> rounded(double number,
                                           const std::string &type) {
  using namespace tilewright::reference;
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::Type float_ =
      type == "f64"   ? mlir::Type(mlir::Float64Type::get(&context))
      : type == "f32" ? mlir::Type(mlir::Float32Type::get(&context))
      : type == "f16" ? mlir::Type(mlir::Float16Type::get(&context))
                      : mlir::Type(mlir::BFloat16Type::get(&context));
  Element value = Element::ofDouble(float_, number);
  return {value.toDouble(), value.toBits().getZExtValue()};
}

void RandomProgram::addInput(int number) {
  std::normal_distribution<double> normal;
  Tensor tensor{"%a" + std::to_string(number), element, true, {}};
  Array array{{kRows, kColumns}, {}};
  for (int n = 0; n < kRows * kColumns; ++n) {
    auto [value, bits] = rounded(normal(random), element);
    tensor.exact.emplace_back(value);
    array.bits.push_back(bits);
  }
  tensors.push_back(std::move(tensor));
  arrays.push_back(std::move(array));
}

void RandomProgram::add(const std::string &line, const std::string &type,
                        bool isMatrix, std::vector<Real> exact) {
  for (const Real &number : exact)
    if (!(std::fabs(number.near()) < 300))
      return;
  Tensor tensor{"%v" + std::to_string(defined++), type, isMatrix,
                std::move(exact)};
  body += "  " + tensor.name + " = " + line + "\n";
  tensors.push_back(std::move(tensor));
  ++ops;
}

/// Sums of rows, from 0 on.
void RandomProgram::addReduction() {
  const Tensor from = pick();
  if (!from.isMatrix)
    return;
  std::vector<Real> sums(kRows);
  for (int n = 0; n < kRows * kColumns; ++n)
    mpfr_add(sums[n / kColumns].value, sums[n / kColumns].value,
             from.exact[n].value, MPFR_RNDN);
  const std::string init = "%init" + std::to_string(inits++);
  const std::string type = "tensor<8x" + from.element + ">";
  body += "  " + init + " = arith.constant dense<0.0> : " + type + "\n";
  add("linalg.reduce { arith.addf } ins(" + from.name + " : " + from.type() +
          ") outs(" + init + " : " + type + ") dimensions = [1]",
      from.element, false, std::move(sums));
}

void RandomProgram::addBroadcast() {
  const Tensor from = pick();
  if (from.isMatrix)
    return;
  std::vector<Real> exact;
  for (int n = 0; n < kRows * kColumns; ++n)
    exact.push_back(from.exact[n / kColumns]);
  const std::string init = "%init" + std::to_string(inits++);
  const std::string type = "tensor<8x16x" + from.element + ">";
  body += "  " + init + " = tensor.empty() : " + type + "\n";
  add("linalg.broadcast ins(" + from.name + " : " + from.type() + ") outs(" +
          init + " : " + type + ") dimensions = [1]",
      from.element, true, std::move(exact));
}

/// To f32 and back: to compute in a wider or narrower type.
void RandomProgram::addCast() {
  const Tensor from = pick();
  const std::string to = from.element == "f32" ? element : "f32";
  if (to == from.element)
    return;
  auto bits = [](const std::string &type) {
    return type == "bf16" ? 16 : std::stoi(type.substr(1));
  };
  Tensor result = from;
  result.element = to;
  const char *op =
      bits(to) > bits(from.element) ? "arith.extf" : "arith.truncf";
  add(op + (" " + from.name) + " : " + from.type() + " to " + result.type(), to,
      from.isMatrix, from.exact);
}

void RandomProgram::addOp() {
  const int kind = int(random() % 10);
  if (kind == 0)
    return addReduction();
  if (kind == 1)
    return addBroadcast();
  if (kind == 2)
    return addCast();
  const Tensor a = pick(), b = pick();
  std::vector<Real> exact = a.exact;
  if (kind < 6) {
    const UnaryOp &op = kUnary[random() % std::size(kUnary)];
    for (Real &x : exact) {
      if (x.near() < op.least || x.near() > op.greatest)
        return;
      op.exact(x.value, x.value, MPFR_RNDN);
    }
    return add(op.name + (" " + a.name) + " : " + a.type(), a.element,
               a.isMatrix, std::move(exact));
  }
  const BinaryOp &op = kBinary[random() % std::size(kBinary)];
  // What is the same twice makes no error where a bound knows of two.
  if (a.type() != b.type() || a.name == b.name)
    return;
  // A divisor that may be 0 within its bound has a bound that is infinite: sums
  // of 16 terms of few bits are not near 1.
  const double nearZero = element == "bf16" || element == "f16" ? 1.5 : 0.05;
  for (size_t n = 0; n < exact.size(); ++n) {
    const double x = a.exact[n].near(), y = b.exact[n].near();
    if (op.isDivision && std::fabs(y) < nearZero)
      return;
    if (op.exact == mpfr_pow && (x < 0.05 || std::fabs(y) > 5))
      return;
    op.exact(exact[n].value, a.exact[n].value, b.exact[n].value, MPFR_RNDN);
  }
  add(op.name + (" " + a.name) + ", " + b.name + " : " + a.type(), a.element,
      a.isMatrix, std::move(exact));
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
    const std::vector<Tensor> results = program.results();
    for (size_t result = 0; result < results.size(); ++result) {
      double bound = 0, error = 0, largest = 0;
      const Tensor &tensor = results[result];
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
