// The math dialect: at numbers whose result is known exactly, or to rounding.
#include "Semantics.h"
#include <cmath>

using namespace tilewright::semantics;

/// %r = OP %a : TYPE
static Numbers unary(const std::string &op, const std::string &type,
                     const Numbers &a) {
  std::string tile = "tensor<" + std::to_string(a.size()) + "x" + type + ">";
  return compute("%r = " + op + " %a : " + tile, {tile}, tile, {a});
}

static Numbers binary(const std::string &op, const std::string &type,
                      const Numbers &a, const Numbers &b) {
  std::string tile = "tensor<" + std::to_string(a.size()) + "x" + type + ">";
  return compute("%r = " + op + " %a, %b : " + tile, {tile, tile}, tile,
                 {a, b});
}

TEST_CASE("exponentials and logarithms") {
  CHECK_SAME(unary("math.exp", "f32", {0, -kInf, 1}),
             {1, 0, 2.71828174591064453125});
  CHECK_SAME(unary("math.exp2", "f32", {3, -1}), {8, 0.5});
  CHECK_SAME(unary("math.expm1", "f32", {0, -kInf}), {0, -1});
  CHECK_SAME(unary("math.log", "f32", {1, 0, -1}), {0, -kInf, kNan});
  CHECK_SAME(unary("math.log2", "f32", {8, 0.5}), {3, -1});
  CHECK_SAME(unary("math.log10", "f32", {1000}), {3});
  CHECK_SAME(unary("math.log1p", "f32", {0, -1}), {0, -kInf});
  CHECK_SAME(binary("math.powf", "f32", {2, 4}, {10, 0.5}), {1024, 2});
}

TEST_CASE("trigonometric functions and their inverses") {
  // The f32 nearest to pi is above pi by 8.7e-8, which sin returns.
  CHECK_SAME(unary("math.sin", "f32", {0, 3.1415927410125732421875}),
             {0, -8.74227765734758577309548854827880859375e-08});
  CHECK_SAME(unary("math.cos", "f32", {0}), {1});
  CHECK_SAME(unary("math.tan", "f32", {0}), {0});
  CHECK_SAME(unary("math.asin", "f32", {0, 2}), {0, kNan});
  CHECK_SAME(unary("math.acos", "f32", {1}), {0});
  CHECK_SAME(unary("math.atan", "f32", {0}), {0});
  CHECK_SAME(binary("math.atan2", "f32", {0, -0.0}, {1, 1}), {0, -0.0});
}

TEST_CASE("sincos: both results") {
  Result result = evaluate(R"(
    tile.func @f(%a: f32) -> (f32, f32) {
      %s, %c = math.sincos %a : f32
      tile.return %s, %c : f32, f32
    })",
                           {{-0.0}});
  REQUIRE(result.error == "");
  CHECK_SAME(result.results[0], {-0.0});
  CHECK_SAME(result.results[1], {1});
}

TEST_CASE("hyperbolic and error functions") {
  CHECK_SAME(unary("math.sinh", "f32", {0, kInf}), {0, kInf});
  CHECK_SAME(unary("math.cosh", "f32", {0}), {1});
  CHECK_SAME(unary("math.tanh", "f32", {0, kInf, -kInf}), {0, 1, -1});
  CHECK_SAME(unary("math.asinh", "f32", {0}), {0});
  CHECK_SAME(unary("math.acosh", "f32", {1}), {0});
  CHECK_SAME(unary("math.atanh", "f32", {1}), {kInf});
  CHECK_SAME(unary("math.erf", "f32", {0, kInf}), {0, 1});
  CHECK_SAME(unary("math.erfc", "f32", {0, kInf}), {1, 0});
}

TEST_CASE("roots") {
  // sqrt(2) in f16 is 0x3DA8 = 1448 / 1024.
  CHECK_SAME(unary("math.sqrt", "f16", {4, 2, -1}), {2, 1448.0 / 1024, kNan});
  CHECK_SAME(unary("math.rsqrt", "f32", {4, 0}), {0.5, kInf});
  CHECK_SAME(unary("math.cbrt", "f32", {27}), {3});
}

TEST_CASE("rounding to integral values") {
  Numbers x = {2.5, -2.5, 3.5, -0.25};
  CHECK_SAME(unary("math.floor", "f32", x), {2, -3, 3, -1});
  CHECK_SAME(unary("math.ceil", "f32", x), {3, -2, 4, -0.0});
  CHECK_SAME(unary("math.trunc", "f32", x), {2, -2, 3, -0.0});
  CHECK_SAME(unary("math.round", "f32", x), {3, -3, 4, -0.0});
  CHECK_SAME(unary("math.roundeven", "f32", x), {2, -2, 4, -0.0});
}

TEST_CASE("signs and bounds") {
  CHECK_SAME(unary("math.absf", "f32", {-1.5, -0.0}), {1.5, 0.0});
  CHECK_SAME(unary("math.absi", "i8", {-5, -128}), {5, -128});
  CHECK_SAME(binary("math.copysign", "f32", {1, 2}, {-0.0, 3}), {-1, 2});
  CHECK_SAME(compute("%r = math.clampf %a to [%b, %c] : tensor<3xf32>",
                     {"tensor<3xf32>", "tensor<3xf32>", "tensor<3xf32>"},
                     "tensor<3xf32>", {{-5, 0.5, 5}, {0, 0, 0}, {1, 1, 1}}),
             {0, 0.5, 1});
}

TEST_CASE("fma rounds once") {
  // (1 + 2^-12)^2 - 1 = 2^-11 + 2^-24; the square alone would lose 2^-24.
  double x = 1 + std::ldexp(1, -12);
  CHECK_SAME(compute("%r = math.fma %a, %a, %b : f32", {"f32", "f32"}, "f32",
                     {{x}, {-1}}),
             {std::ldexp(1, -11) + std::ldexp(1, -24)});
}

TEST_CASE("integer powers") {
  CHECK_SAME(binary("math.ipowi", "i8", {3, -2, 2, 5, -1}, {4, 3, 8, -1, -3}),
             {81, -8, 0, 0, -1});
  CHECK_SAME(compute("%r = math.fpowi %a, %b : tensor<2xf32>, tensor<2xi32>",
                     {"tensor<2xf32>", "tensor<2xi32>"}, "tensor<2xf32>",
                     {{2, 4}, {-1, 2}}),
             {0.5, 16});
}

TEST_CASE("counting bits") {
  CHECK_SAME(unary("math.ctlz", "i8", {1, 0, -1}), {7, 8, 0});
  CHECK_SAME(unary("math.cttz", "i8", {8, 0}), {3, 8});
  CHECK_SAME(unary("math.ctpop", "i8", {7, -1}), {3, 8});
}

TEST_CASE("kinds of floats") {
  auto is = [](const std::string &op) {
    return compute("%r = " + op + " %a : tensor<4xf32>", {"tensor<4xf32>"},
                   "tensor<4xi1>", {{1, kInf, kNan, 1e-40}});
  };
  CHECK_SAME(is("math.isfinite"), {1, 0, 0, 1});
  CHECK_SAME(is("math.isinf"), {0, 1, 0, 0});
  CHECK_SAME(is("math.isnan"), {0, 0, 1, 0});
  CHECK_SAME(is("math.isnormal"), {1, 0, 0, 0});
}
