// Functions of the math dialect near the interpreter's results, which are the
// host library's of double, rounded once.
#include "EdgeValues.h"
#include "KernelText.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <iomanip>
#include <random>
#include <sstream>

using namespace tilewright::kerneltest;
using std::to_string;

namespace {
/// The greatest errors in units of the last place.
struct Bounds {
  int64_t f16, bf16, f32, f64;
};
/// A function, the range of inputs that is looked at closely, the bounds there
/// and over all numbers of the type.
struct Function {
  const char *name;
  double low, high;
  Bounds near, all;
  int operands = 1;
};
} // namespace

static const char *const kTypes[] = {"f16", "bf16", "f32", "f64"};

/// The measured errors, and one unit more for f64, where the host's library is
/// not exact itself. test/codegen/math tests the functions' bounds for f32 and
/// f64.
static const Function kFunctions[] = {
    {"acos", -1, 1, {1, 0, 1, 2}, {1, 0, 1, 2}},
    {"acosh", 1, 100, {0, 0, 1, 3}, {1, 0, 1, 2}},
    {"asin", -1, 1, {0, 0, 1, 2}, {0, 0, 1, 2}},
    {"asinh", -100, 100, {1, 0, 1, 3}, {1, 0, 1, 2}},
    {"atan", -20, 20, {1, 0, 1, 2}, {1, 0, 1, 2}},
    {"atanh", -1, 1, {0, 0, 1, 3}, {0, 0, 1, 2}},
    {"cbrt", -100, 100, {1, 0, 1, 4}, {1, 0, 1, 4}},
    {"cos", -100, 100, {0, 0, 1, 2}, {1, 0, 1, 2}},
    {"cosh", -10, 10, {0, 0, 1, 3}, {1, 0, 1, 2}},
    {"erf", -4, 4, {0, 0, 1, 2}, {1, 0, 1, 2}},
    {"erfc", -4, 4, {0, 0, 2, 4}, {1, 0, 1, 2}},
    {"exp", -10, 10, {0, 0, 1, 2}, {1, 0, 1, 2}},
    {"exp2", -14, 15, {0, 0, 1, 2}, {1, 0, 1, 2}},
    {"expm1", -5, 5, {0, 0, 1, 2}, {1, 0, 1, 2}},
    {"log", 0, 20, {0, 0, 1, 2}, {1, 0, 1, 2}},
    {"log10", 0, 20, {0, 0, 1, 2}, {1, 0, 1, 2}},
    {"log1p", -1, 20, {0, 0, 1, 2}, {1, 0, 1, 2}},
    {"log2", 0, 20, {0, 0, 1, 2}, {0, 0, 1, 2}},
    {"rsqrt", 0, 100, {0, 0, 1, 1}, {0, 0, 1, 1}},
    {"sin", -100, 100, {0, 0, 1, 2}, {1, 0, 1, 2}},
    {"sinh", -10, 10, {1, 0, 1, 3}, {1, 0, 1, 3}},
    {"sqrt", 0, 100, {0, 0, 0, 0}, {0, 0, 0, 0}},
    {"tan", -100, 100, {0, 0, 2, 3}, {1, 0, 2, 3}},
    {"tanh", -10, 10, {1, 0, 2, 4}, {1, 0, 2, 4}},
    {"atan2", -20, 20, {1, 0, 1, 2}, {1, 0, 1, 2}, 2},
    {"powf", 0, 20, {1, 0, 1, 2}, {1, 0, 1, 2}, 2},
    {"fpowi", -9, 9, {0, 0, 1, 2}, {0, 0, 1, 2}, 2},
};

/// How many numbers a function runs on. The formulas are the same on each
/// device; the emulator takes longer.
static size_t countOf() { return device() == Device::cpu ? 16384 : 2048; }

/// All numbers of a type with 16 bits; else edges and any patterns.
static std::vector<uint64_t> allInputs(const std::string &type) {
  if (widthOf(type) == 16 && device() == Device::cpu)
    return allBits(16);
  std::vector<uint64_t> bits = edgeBits(type, type);
  std::mt19937_64 random(1);
  while (bits.size() < countOf())
    bits.push_back(random() >> (64 - widthOf(type)));
  return bits;
}

/// Runs a function on numbers of its range or on all, 256 a program.
static Result measure(const Function &function, const std::string &type,
                      bool isNear) {
  std::string name = function.name, text = "math." + name + " $0";
  Input input{.low = function.low, .high = function.high};
  if (!isNear)
    input.bits = allInputs(type);
  size_t count = isNear ? countOf() : input.bits.size();
  KernelText k;
  k.grid = "s0 ceildiv 256";
  k.line("%i = tile.program_id");
  auto operand = [&](const std::string &element, const Input &values) {
    Value view = k.argument(
        "!tile.view<" + to_string(count) + "x" + element + ">", values);
    return k.op("tile.load $0[%i] : %0 -> %r", {view}, tile(element, {256}));
  };
  std::vector<Value> operands = {operand(type, input)};
  if (name == "fpowi") {
    operands.push_back(operand("i32", {.low = -12, .high = 13}));
    text += ", $1 : %r, %1";
  } else if (function.operands == 2) {
    std::shuffle(input.bits.begin(), input.bits.end(), std::mt19937_64(2));
    operands.push_back(operand(type, input));
    text += ", $1 : %r";
  } else {
    text += " : %r";
  }
  Value result = k.op(text, operands, operands[0].type);
  Value out = k.argument("!tile.view<" + to_string(count) + "x" + type + ">");
  k.effect("tile.store $0, $1[%i] : %0, %1", {result, out});
  return compareOnDevice(k.str(), k.inputs, {INT64_MAX - 1, 0});
}

/// Checks all functions on one type.
static void checkType(const char *type, int64_t Bounds::*bound) {
  for (const Function &function : kFunctions)
    for (bool isNear : {true, false}) {
      Result result = measure(function, type, isNear);
      INFO(function.name << " " << type
                         << (isNear ? " in its range: " : " of any number: ")
                         << result.worstLocation);
      CHECK(result.error == "");
      CHECK(result.worst <= (isNear ? function.near : function.all).*bound);
    }
}

TEST_CASE("math: f16") { checkType("f16", &Bounds::f16); }
TEST_CASE("math: bf16") { checkType("bf16", &Bounds::bf16); }
TEST_CASE("math: f32") { checkType("f32", &Bounds::f32); }
TEST_CASE("math: f64") { checkType("f64", &Bounds::f64); }

/// Zeros, ones, a half, three, infinities, NaN and the least subnormals.
static std::vector<uint64_t> fewInputs(const std::string &type) {
  int width = widthOf(type);
  int exponent = width == 64 ? 11 : type == "f16" ? 5 : 8;
  int fraction = width - 1 - exponent;
  uint64_t one = ((uint64_t(1) << (exponent - 1)) - 1) << fraction;
  uint64_t infinity = ((uint64_t(1) << exponent) - 1) << fraction;
  uint64_t half = one - (uint64_t(1) << fraction);
  uint64_t three = one + (uint64_t(3) << (fraction - 1));
  uint64_t quiet = infinity | uint64_t(1) << (fraction - 1);
  std::vector<uint64_t> bits = {quiet};
  for (uint64_t magnitude :
       {uint64_t(0), uint64_t(1), half, one, three, infinity})
    for (uint64_t sign : {0, 1})
      bits.push_back(magnitude | sign << (width - 1));
  return bits;
}

static Value constantOf(KernelText &k, const std::string &type,
                        const std::vector<uint64_t> &bits) {
  std::ostringstream list;
  for (uint64_t pattern : bits)
    list << (list.tellp() ? ", " : "[") << "0x" << std::hex << std::setfill('0')
         << std::setw(widthOf(type) / 4) << pattern;
  return k.constant(list.str() + "]", tile(type, {int64_t(bits.size())}));
}

TEST_CASE("math: functions of constants") {
  int64_t Bounds::*bounds[] = {&Bounds::f16, &Bounds::bf16, &Bounds::f32,
                               &Bounds::f64};
  for (auto [i, type] : llvm::enumerate(kTypes)) {
    // All pairs.
    std::vector<uint64_t> first, second, few = fewInputs(type);
    for (uint64_t x : few)
      for (uint64_t y : few) {
        first.push_back(x);
        second.push_back(y);
      }
    auto check = [&](const std::string &op, int operands, int64_t bound) {
      KernelText k;
      std::vector<Value> constants = {constantOf(k, type, first)};
      if (operands == 2)
        constants.push_back(constantOf(k, type, second));
      k.store(k.op(op + (operands == 2 ? " $0, $1 : %r" : " $0 : %r"),
                   constants, constants[0].type));
      k.check({bound, 0});
    };
    for (const Function &function : kFunctions)
      if (function.name != std::string("fpowi"))
        check(std::string("math.") + function.name, function.operands,
              function.all.*bounds[i]);
    for (std::string op :
         {"absf", "ceil", "floor", "round", "roundeven", "trunc"})
      check("math." + op, 1, 0);
    check("math.copysign", 2, 0);
    for (std::string op :
         {"addf", "subf", "mulf", "divf", "remf", "maximumf", "minimumf"})
      check("arith." + op, 2, 0);
  }
}

/// Prints the table of docs/math.md; only runs when it is named.
TEST_CASE("math: measure", "[.measure]") {
  for (const Function &function : kFunctions) {
    std::printf("| %s | %g to %g |", function.name, function.low,
                function.high);
    for (bool isNear : {true, false})
      for (const char *type : kTypes) {
        Result result = measure(function, type, isNear);
        if (result.worst <= 2 && result.error.empty())
          std::printf(" %d |", int(result.worst));
        else
          std::printf(" %.3g (%s) |", double(result.worst),
                      result.worstLocation.c_str());
      }
    std::printf("\n");
  }
}
