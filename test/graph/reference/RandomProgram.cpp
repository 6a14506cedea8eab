#include "test/graph/reference/RandomProgram.h"

namespace tilewright::graph::reference::test {

namespace {
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
} // namespace

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

RandomProgram::RandomProgram(uint64_t seed) : random(seed) {
  static const char *const kTypes[] = {"f32", "f32", "f64", "f16", "bf16"};
  element = kTypes[random() % 5];
  for (int n = 0; n < 2; ++n)
    addInput(n);
  for (int n = 0; n < 60 && ops < 6; ++n)
    addOp();
}

std::string RandomProgram::text() const {
  std::string names, types;
  for (const ProgramTensor &tensor : results()) {
    names += (names.empty() ? "" : ", ") + tensor.name;
    types += (types.empty() ? "" : ", ") + tensor.type();
  }
  return "func.func @main(%a0: " + tensors[0].type() +
         ", %a1: " + tensors[1].type() + ") -> (" + types + ") {\n" + body +
         "  return " + names + " : " + types + "\n}\n";
}

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
  ProgramTensor tensor{"%a" + std::to_string(number), element, true, {}};
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
  ProgramTensor tensor{"%v" + std::to_string(defined++), type, isMatrix,
                       std::move(exact)};
  body += "  " + tensor.name + " = " + line + "\n";
  tensors.push_back(std::move(tensor));
  ++ops;
}

/// Sums of rows, from 0 on.
void RandomProgram::addReduction() {
  const ProgramTensor from = pick();
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
  const ProgramTensor from = pick();
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
  const ProgramTensor from = pick();
  const std::string to = from.element == "f32" ? element : "f32";
  if (to == from.element)
    return;
  auto bits = [](const std::string &type) {
    return type == "bf16" ? 16 : std::stoi(type.substr(1));
  };
  ProgramTensor result = from;
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
  const ProgramTensor a = pick(), b = pick();
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

} // namespace tilewright::graph::reference::test
