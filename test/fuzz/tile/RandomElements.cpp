// Random kernels: ops that work element by element.
#include "RandomProgram.h"

#include <algorithm>

namespace tilewright::fuzz {

using namespace kerneltest;
using std::to_string;

Value RandomProgram::definite(const TileType &type) {
  std::vector<Value> found;
  for (const Value &value : live)
    if (value.type.str() == type.str() && !factsOf(value).anyZero)
      found.push_back(value);
  return found.empty() || chance(15) ? fresh(type) : oneOf(found);
}

Value RandomProgram::apply(const std::string &op, const Value &x,
                           const Value &y) {
  return k.op(op + " $0, $1 : %r", {x, y}, x.type);
}

/// Floats whose result is the exact one, rounded once.
void RandomProgram::binaryFloat(const Value &x) {
  Value y = like(x.type);
  Facts a = factsOf(x), b = factsOf(y);
  bool isIntegral = a.isIntegral && b.isIntegral,
       anyZero = a.anyZero || b.anyZero;
  double most = std::max(a.magnitude, b.magnitude);
  switch (pick(0, 8)) {
  case 0:
  case 1:
    keep(apply(chance(50) ? "arith.addf" : "arith.subf", x, y),
         {a.magnitude + b.magnitude, isIntegral, anyZero});
    return;
  case 2:
  case 3:
    keep(apply("arith.mulf", x, y),
         {isIntegral ? a.magnitude * b.magnitude : INFINITY, isIntegral,
          anyZero});
    return;
  case 4:
  case 5:
    keep(apply(chance(50) ? "arith.maximumf" : "arith.minimumf", x, y),
         {most, isIntegral, anyZero});
    return;
  case 6:
    // The zero that these choose is unspecified, and so is their result for a
    // signaling NaN.
    if (a.isBounded() && b.isBounded())
      keep(apply(chance(50) ? "arith.maxnumf" : "arith.minnumf", x, y),
           {most, isIntegral, true});
    return;
  default:
    // The quotient of a zero has its own sign.
    if (anyZero)
      return;
    keep(apply(chance(70) ? "arith.divf" : "arith.remf", x, y));
  }
}

void RandomProgram::binaryInteger(const Value &x) {
  static const char *const ops[] = {"addi", "subi",  "muli",  "andi",  "ori",
                                    "xori", "maxsi", "minsi", "maxui", "minui"};
  keep(apply("arith." + std::string(oneOf(ops)), x, like(x.type)));
}

/// By a divisor above 0 that is no more than the greatest signed number.
void RandomProgram::division(const Value &x) {
  static const char *const ops[] = {"divsi",     "divui",     "remsi",
                                    "remui",     "ceildivsi", "ceildivui",
                                    "floordivsi"};
  int width = widthOf(x.type.element);
  if (width < 4)
    return;
  int64_t mask = (int64_t(1) << std::min(width - 2, 30)) - 1;
  Value y =
      apply("arith.andi", like(x.type), k.constant(to_string(mask), x.type));
  y = apply("arith.ori", y, k.constant("1", x.type));
  keep(apply("arith." + std::string(oneOf(ops)), x, y));
}

/// By less than the width.
void RandomProgram::shift(const Value &x) {
  static const char *const ops[] = {"shli", "shrsi", "shrui"};
  int width = widthOf(x.type.element);
  Value bits = width == 1 ? k.constant("false", x.type)
                          : k.constant(to_string(pick(0, width - 1)), x.type);
  if (width > 1 && chance(50))
    bits = apply("arith.andi", like(x.type),
                 k.constant(to_string(width == 4 ? 3 : width - 1), x.type));
  keep(apply("arith." + std::string(oneOf(ops)), x, bits));
}

/// Integers with two results.
void RandomProgram::extended(const Value &x) {
  static const char *const ops[] = {"mulsi_extended", "mului_extended"};
  Value y = like(x.type);
  if (chance(50)) {
    std::vector<Value> both =
        k.ops("arith.addui_extended $0, $1 : %0, " + x.type.of("i1").str(),
              {x, y}, {x.type, x.type.of("i1")});
    keep(both[0]);
    keep(both[1]);
    return;
  }
  for (const Value &half :
       k.ops("arith." + std::string(oneOf(ops)) + " $0, $1 : %0", {x, y},
             {x.type, x.type}))
    keep(half);
}

void RandomProgram::unary(const Value &x) {
  if (!isFloat(x.type.element)) {
    static const char *const ops[] = {"absi", "ctlz", "cttz", "ctpop"};
    if (x.type.element == "i1" || x.type.element == "index")
      return shift(x);
    keep(k.op("math." + std::string(oneOf(ops)) + " $0 : %r", {x}, x.type));
    return;
  }
  static const char *const tests[] = {"isfinite", "isinf", "isnan", "isnormal"};
  static const char *const rounds[] = {"ceil", "floor", "round", "roundeven",
                                       "trunc"};
  Facts facts = factsOf(x);
  switch (pick(0, 4)) {
  case 0:
    keep(k.op("arith.negf $0 : %r", {x}, x.type), facts);
    return;
  case 1:
    facts.anyZero = false;
    keep(k.op("math.absf $0 : %r", {x}, x.type), facts);
    return;
  case 2:
    facts.isIntegral = facts.isBounded();
    keep(k.op("math." + std::string(oneOf(rounds)) + " $0 : %r", {x}, x.type),
         x.type.element == "f8E8M0FNU" ? Facts() : facts);
    return;
  case 3:
    keep(k.op("math." + std::string(oneOf(tests)) + " $0 : %0", {x},
              x.type.of("i1")));
    return;
  default:
    if (!facts.anyZero && widthOf(x.type.element) > 8)
      keep(k.op("math.sqrt $0 : %r", {x}, x.type));
  }
}

/// fma, a clamp, a sign of another number.
void RandomProgram::fused(const Value &x) {
  if (!isFloat(x.type.element)) {
    if (widthOf(x.type.element) < 8 || x.type.element == "index")
      return binaryInteger(x);
    Value y = apply("arith.andi", like(x.type), k.constant("7", x.type));
    keep(apply("math.ipowi", x, y));
    return;
  }
  Value y = like(x.type), z = like(x.type);
  Facts a = factsOf(x), b = factsOf(y), c = factsOf(z);
  if (chance(60)) {
    bool isIntegral = a.isIntegral && b.isIntegral && c.isIntegral;
    keep(k.op("math.fma $0, $1, $2 : %r", {x, y, z}, x.type),
         {isIntegral ? a.magnitude * b.magnitude + c.magnitude : INFINITY,
          isIntegral, a.anyZero || b.anyZero || c.anyZero});
  } else if (a.isBounded() && b.isBounded() && !b.anyZero) {
    keep(k.op("math.copysign $0, $1 : %r", {x, y}, x.type),
         {a.magnitude, a.isIntegral, false});
  }
}

namespace {
struct Function {
  const char *name;
  /// In units of the last place of f32 and f64.
  double f32, f64;
};
} // namespace

/// The bounds of docs/math.md.
static const Function kFunctions[] = {
#define MATH_BOUND(function, f32, f64, operands) {#function, f32, f64},
#include "codegen/math/Bounds.inc"
#undef MATH_BOUND
};

/// A function, rounded as the lowering likes within its bound. Numbers are
/// closer to each other below a power of two, where a result may have come.
void RandomProgram::function(const Value &x) {
  if (!isFloat(x.type.element) || factsOf(x).anyZero)
    return;
  const Function &f = oneOf(kFunctions);
  std::string name = f.name, element = x.type.element;
  double bound = element == "f64" ? f.f64 : element == "f32" ? f.f32 : 0;
  Tolerance tolerance{.ulps = bound ? 2 * int64_t(std::ceil(bound)) + 1 : 1};
  if (name == "sincos") {
    for (const Value &result :
         k.ops("math.sincos $0 : %0", {x}, {x.type, x.type}))
      settle(result, tolerance);
    return;
  }
  std::string text = "math." + name + " $0 : %r";
  std::vector<Value> operands = {x};
  if (name == "atan2" || name == "powf") {
    operands.push_back(definite(x.type));
    text = "math." + name + " $0, $1 : %r";
  } else if (name == "fpowi") {
    Input small{.low = -9, .high = 9};
    operands.push_back(read(x.type.of("i32"), small));
    text = "math.fpowi $0, $1 : %0, %1";
  }
  settle(k.op(text, operands, x.type), tolerance);
}

void RandomProgram::elementwise(const Value &x) {
  bool isReal = isFloat(x.type.element);
  int64_t way = pick(1, 10);
  if (way <= 6)
    return isReal ? binaryFloat(x) : binaryInteger(x);
  if (way == 7)
    return fused(x);
  if (way == 8 && !isReal)
    return x.type.element == "index" ? binaryInteger(x) : extended(x);
  if (way == 9 && !isReal)
    return chance(50) ? division(x) : shift(x);
  unary(x);
}

void RandomProgram::select(const Value &x) {
  static const char *const orders[] = {"olt", "oge", "une", "ueq", "uno",
                                       "ord", "ogt", "ule", "one", "oeq"};
  static const char *const integerOrders[] = {"slt", "uge", "ne",  "sle",
                                              "eq",  "ult", "sgt", "ugt"};
  Value y = like(x.type);
  std::string compare = isFloat(x.type.element)
                            ? "arith.cmpf " + std::string(oneOf(orders))
                            : "arith.cmpi " + std::string(oneOf(integerOrders));
  Value c = k.op(compare + ", $0, $1 : %0", {x, y}, x.type.of("i1"));
  Facts a = factsOf(x), b = factsOf(y);
  Facts both{std::max(a.magnitude, b.magnitude), a.isIntegral && b.isIntegral,
             a.anyZero || b.anyZero};
  if (chance(20)) {
    Value one = k.argument("i1", {.scalar = pick(0, 1)});
    keep(k.op("arith.select $0, $1, $2 : %r", {one, x, y}, x.type), both);
  } else {
    keep(k.op("arith.select $0, $1, $2 : %0, %r", {c, x, y}, x.type), both);
  }
  if (chance(20))
    keep(c);
}

/// tile.convert, with any rounding.
void RandomProgram::convert(const Value &x) {
  static const char *const roundings[] = {"nearest_even", "nearest_away",
                                          "toward_zero", "down", "up"};
  static const char *const targets[] = {
      "i4",  "i8",  "i16",      "i32",    "i64",      "f16",      "bf16",
      "f32", "f64", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f8E8M0FNU"};
  std::string to = chance(60) ? oneOf(elements) : std::string(oneOf(targets));
  std::string from = x.type.element;
  if (to == "i1" || from == to)
    return;
  Facts facts = factsOf(x);
  std::string text = "tile.convert $0";
  std::vector<Value> operands = {x};
  bool isExact = facts.isIntegral && facts.magnitude <= exactIntegers(to);
  if (isFloat(from) && isFloat(to) && chance(10)) {
    text += " rounding stochastic random $1";
    operands.push_back(like(x.type.of("i32")));
  } else if (chance(40)) {
    text += std::string(" rounding ") + oneOf(roundings);
  }
  if ((isFloat(from) && !isFloat(to)) || chance(40))
    text += " saturate";
  if (!isFloat(from) && chance(30))
    text += " from_unsigned";
  if (!isFloat(to) && chance(30))
    text += " to_unsigned";
  keep(k.op(text + " : %0 -> %r", operands, x.type.of(to)),
       isExact ? facts : Facts{INFINITY, false, facts.anyZero});
}

/// The casts of arith.
void RandomProgram::cast(const Value &x) {
  static const char *const integers[] = {"i8", "i16", "i32", "i64"};
  static const char *const floats[] = {"f16", "bf16", "f32", "f64", "f8E5M2"};
  std::string from = x.type.element, to;
  Facts facts = factsOf(x);
  auto make = [&](const std::string &op, Facts after = {}) {
    keep(k.op("arith." + op + " $0 : %0 to %r", {x}, x.type.of(to)), after);
  };
  if (from == "index") {
    to = oneOf(integers);
    return make(chance(50) ? "index_cast" : "index_castui");
  }
  if (!isFloat(from)) {
    to = chance(40) ? oneOf(floats) : oneOf(integers);
    if (isFloat(to) && widthOf(to) == widthOf(from) && chance(50))
      return make("bitcast");
    if (isFloat(to))
      return make(chance(50) ? "sitofp" : "uitofp");
    if (widthOf(to) == widthOf(from))
      return;
    return make(widthOf(to) < widthOf(from) ? "trunci"
                : chance(50)                ? "extsi"
                                            : "extui");
  }
  if (chance(30) && facts.isIntegral) {
    to = oneOf(integers);
    if (widthOf(to) == widthOf(from) && !facts.anyZero && chance(50))
      return make("bitcast");
    if (facts.magnitude < std::ldexp(1, widthOf(to) - 1))
      return make("fptosi");
    return;
  }
  to = oneOf(floats);
  if (widthOf(to) == widthOf(from))
    return;
  bool isExact = facts.isIntegral && facts.magnitude <= exactIntegers(to);
  make(widthOf(to) > widthOf(from) ? "extf" : "truncf",
       isExact ? facts : Facts{INFINITY, false, facts.anyZero});
}

/// Assumptions that hold, and assertions.
void RandomProgram::assume(const Value &x) {
  if (isFloat(x.type.element) || widthOf(x.type.element) < 8)
    return;
  if (chance(50)) {
    Value y = apply("arith.andi", x, k.constant("63", x.type));
    keep(k.op("tile.assume $0 range [0, 63] : %0", {y}, x.type));
  } else {
    Value y = apply("arith.shli", x, k.constant("3", x.type));
    keep(k.op("tile.assume $0 divisible 8 : %0", {y}, x.type));
  }
  if (chance(30)) {
    Value c = k.op("arith.cmpi eq, $0, $0 : %0", {x}, x.type.of("i1"));
    k.effect("tile.assert $0, \"equal\" : %0", {c});
  }
}

void RandomProgram::philox(const Value &x) {
  TileType type = x.type.of("i32");
  std::vector<Value> inputs;
  for (int i = 0; i < 6; ++i)
    inputs.push_back(like(type));
  for (const Value &word : k.ops("tile.philox $0, $1, $2, $3 key $4, $5 : %r",
                                 inputs, {type, type, type, type}))
    keep(word);
}

} // namespace tilewright::fuzz
