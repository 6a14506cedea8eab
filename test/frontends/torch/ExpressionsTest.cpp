// The text of expressions: sympy's srepr, and guards in Python.
#include "frontends/torch/program/Expressions.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::torch;
using Kind = Expression::Kind;

namespace {

/// An expression as a prefix form: "(+ s0 2)".
std::string print(const Expression &e) {
  static const char *const signs[] = {
      "",    "",    "",     "",   "+",  "*", "/",  "//",  "^/", "%",  "**",
      "min", "max", "real", "==", "!=", "<", "<=", "and", "or", "not"};
  switch (e.kind) {
  case Kind::Integer:
    return std::to_string(e.integer);
  case Kind::Real:
    return std::to_string(e.real);
  case Kind::Symbol:
    return e.name;
  case Kind::InputSize:
    return e.name + "." + std::to_string(e.integer);
  default:
    break;
  }
  std::string text = std::string("(") + signs[size_t(e.kind)];
  for (const Expression &operand : e.operands)
    text += " " + print(operand);
  return text + ")";
}

std::string srepr(std::string_view text) {
  auto parsed = parseSrepr(text);
  return parsed.ok() ? print(*parsed) : "error: " + parsed.status().message();
}

std::string guard(std::string_view text) {
  auto parsed = parseGuard(text);
  return parsed.ok() ? print(*parsed) : "error: " + parsed.status().message();
}

} // namespace

TEST_CASE("sizes as sympy prints them") {
  CHECK(srepr("Integer(7)") == "7");
  CHECK(srepr("Integer(-7)") == "-7");
  CHECK(srepr("Symbol('s77', positive=True, integer=True)") == "s77");
  CHECK(srepr("Mul(Integer(2), Symbol('s0', integer=True))") == "(* 2 s0)");
  CHECK(srepr("Add(FloorDiv(Symbol('a'), Integer(2)), Integer(1))") ==
        "(+ (// a 2) 1)");
  CHECK(srepr("Mul(Rational(1, 2), Symbol('a'))") == "(* (/ 1 2) a)");
  CHECK(srepr("Float('0.5', precision=53)") == "0.500000");
  CHECK(srepr("StrictGreaterThan(Symbol('a'), Integer(3))") == "(< 3 a)");
  CHECK(srepr("Or(Eq(Symbol('a'), Integer(1)), Not(true))") ==
        "(or (== a 1) (not 1))");
}

TEST_CASE("sizes that cannot be read") {
  CHECK(srepr("sin(Symbol('a'))") ==
        "error: the function sin of 1 numbers in the size of a tensor");
  CHECK(srepr("Integer(7") == "error: expected a number of 64 bits in the "
                              "expression \"Integer(7\" at \"\"");
  CHECK(srepr("Integer(99999999999999999999)")
            .starts_with("error: expected a "
                         "number of 64 bits"));
  CHECK(srepr("Integer(7) x") ==
        "error: expected its end in the expression \"Integer(7) x\" at \"x\"");
  std::string deep;
  for (int i = 0; i < 1000; ++i)
    deep += "Add(";
  CHECK(srepr(deep).starts_with("error: expected fewer levels"));
}

TEST_CASE("guards") {
  CHECK(guard("(L['x'].size()[0] % 3) == 0") == "(== (% x.0 3) 0)");
  CHECK(guard("L['y'].size()[0] != (2*L['x'].size()[0])") ==
        "(!= y.0 (* 2 x.0))");
  CHECK(guard("L['a']['b'][1].size()[2] // 2 < 7") == "(< (// a_b_1.2 2) 7)");
  CHECK(guard("2 <= L['x'].size()[0] and L['x'].size()[0] < 9 or 1 > 2") ==
        "(or (and (<= 2 x.0) (< x.0 9)) (< 2 1))");
  CHECK(guard("2 <= L['x'].size()[0] <= 4") == "(and (<= 2 x.0) (<= x.0 4))");
  CHECK(guard("not (1 + 2*3 - 4 == -L['x'].size()[0]**2)") ==
        "(not (== (+ (+ 1 (* 2 3)) (* -1 4)) (* -1 (** x.0 2))))");
  CHECK(guard("L['x'].stride()[0] == 1") ==
        "error: expected '.size()[' in the expression \"L['x'].stride()[0] == "
        "1\" at \".stride()[0] == 1\"");
  CHECK(guard("f(2) == 1")
            .starts_with("error: expected a number or the size "
                         "of an input"));
  CHECK(guard(std::string(1000, '('))
            .starts_with("error: expected fewer "
                         "levels"));
}
