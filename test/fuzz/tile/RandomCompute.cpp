// Random kernels: products, and ops along one dimension.
#include "RandomProgram.h"
#include "test/codegen/kernels/DotBound.h"

#include <algorithm>

namespace tilewright::fuzz {

using namespace kerneltest;
using std::to_string;

static std::string join(const std::vector<std::string> &texts) {
  return commas(texts, [](const std::string &text) { return text; });
}

/// A reduce or a scan of `inputs` by a region, in which "%p0, .." are the
/// elements from the left and "%q0, .." those from the right.
void RandomProgram::combined(const std::vector<Value> &inputs, size_t axis,
                             bool isScan, const std::string &region,
                             Facts facts, Tolerance tolerance) {
  std::vector<std::string> parameters, names, types;
  for (const char *side : {"%p", "%q"})
    for (size_t i = 0; i < inputs.size(); ++i)
      parameters.push_back(side + to_string(i) + ": " + inputs[i].type.element);
  std::vector<TileType> results;
  for (const Value &input : inputs) {
    names.push_back(input.name);
    types.push_back(input.type.str());
    results.push_back(input.type);
    if (!isScan)
      results.back().shape.erase(results.back().shape.begin() + axis);
  }
  std::string text =
      std::string(isScan ? "tile.scan " : "tile.reduce ") + join(names) +
      " axis " + to_string(axis) + (isScan && chance(50) ? " reverse" : "") +
      " {\n^bb0(" + join(parameters) + "):\n" + region + "} : " + join(types) +
      " -> " + commas(results, [](const TileType &type) { return type.str(); });
  bool isExact = tolerance.ulps == 0 && tolerance.absolute == 0;
  for (const Value &result : k.ops(text, {}, results))
    if (isExact)
      keep(result, facts);
    else
      settle(result, tolerance);
}

/// By one op, which may be combined in any order.
void RandomProgram::combine(const Value &x) {
  if (x.type.shape.empty())
    return;
  static const char *const floats[] = {"maximumf", "minimumf"};
  static const char *const integers[] = {"addi",  "maxsi", "minui",
                                         "xori",  "muli",  "minsi",
                                         "maxui", "andi",  "ori"};
  size_t axis = pick(0, x.type.shape.size() - 1);
  const std::string &element = x.type.element;
  Facts facts = factsOf(x);
  std::string op = isFloat(element) ? oneOf(floats) : oneOf(integers);
  double most = facts.magnitude * x.type.shape[axis];
  if (isFloat(element) && facts.isIntegral && most <= exactIntegers(element) &&
      chance(60)) {
    op = "addf";
    facts.magnitude = most;
  }
  combined({x}, axis, chance(50),
           "%s = arith." + op + " %p0, %q0 : " + element +
               "\ntile.yield %s : " + element + "\n",
           facts, {});
}

/// Several inputs: the greatest and where it is, steps of a recurrence, the
/// last element that a mask has.
void RandomProgram::combinePairs(const Value &x) {
  if (x.type.shape.empty())
    return;
  size_t axis = pick(0, x.type.shape.size() - 1);
  const std::string &e = x.type.element;
  if (chance(40) && (!isFloat(e) || factsOf(x).isBounded())) {
    Value line = k.op("tile.iota : %r", {}, tile("i32", {x.type.shape[axis]}));
    std::vector<int64_t> shape(x.type.shape.size(), 1);
    shape[axis] = x.type.shape[axis];
    Value at = k.op("tile.broadcast $0 : %0 -> %r", {reshaped(line, shape)},
                    x.type.of("i32"));
    std::string compare = isFloat(e) ? "arith.cmpf o" : "arith.cmpi ",
                greater = isFloat(e) ? "gt" : "sgt";
    combined({x, at}, axis, chance(30),
             "%g = " + compare + greater + ", %p0, %q0 : " + e +
                 "\n%e = " + compare + "eq, %p0, %q0 : " + e +
                 "\n%f = arith.cmpi slt, %p1, %q1 : i32\n"
                 "%h = arith.andi %e, %f : i1\n%c = arith.ori %g, %h : i1\n"
                 "%v = arith.select %c, %p0, %q0 : " +
                 e +
                 "\n%i = arith.select %c, %p1, %q1 : i32\n"
                 "tile.yield %v, %i : " +
                 e + ", i32\n",
             factsOf(x), {});
    return;
  }
  if (isFloat(e) || chance(30)) {
    // Of equal masks the right one: any association, but no other order.
    Value mask = like(x.type.of("i1"));
    combined({x, mask}, axis, true,
             "%v = arith.select %q1, %q0, %p0 : " + e +
                 "\n%m = arith.ori %p1, %q1 : i1\ntile.yield %v, %m : " + e +
                 ", i1\n",
             factsOf(x), {});
    return;
  }
  Value y = like(x.type);
  combined({x, y}, axis, true,
           "%a = arith.muli %p0, %q0 : " + e + "\n%b = arith.muli %p1, %q0 : " +
               e + "\n%c = arith.addi %b, %q1 : " + e +
               "\ntile.yield %a, %c : " + e + ", " + e + "\n",
           {}, {});
}

/// Of any floats: within the error that some order has.
void RandomProgram::sumOfFloats(const Value &x) {
  const std::string &element = x.type.element;
  Facts facts = factsOf(x);
  if (x.type.shape.empty() || !isFloat(element) || widthOf(element) < 16 ||
      !facts.isBounded())
    return;
  size_t axis = pick(0, x.type.shape.size() - 1);
  double n = double(x.type.shape[axis]);
  double most = n * facts.magnitude;
  if (most > 60000 && element == "f16")
    return;
  combined({x}, axis, chance(50),
           "%s = arith.addf %p0, %q0 : " + element +
               "\ntile.yield %s : " + element + "\n",
           {},
           {.absolute = 2 * (n + 1) * unitRoundoff(element) * most + 5e-324});
}

void RandomProgram::sort(const Value &x) {
  if (x.type.shape.empty())
    return;
  std::string order = chance(50) ? " descending" : "";
  if (!isFloat(x.type.element) && chance(40))
    order += " unsigned";
  std::string axis = to_string(pick(0, x.type.shape.size() - 1));
  std::vector<Value> inputs = {x};
  for (int i = pick(0, 2); i > 0; --i)
    inputs.push_back(like(x.type.of(oneOf(elements))));
  std::vector<TileType> types;
  for (const Value &input : inputs)
    types.push_back(input.type);
  auto nameOf = [](const Value &value) { return value.name; };
  auto textOf = [](const TileType &type) { return type.str(); };
  std::vector<Value> sorted =
      k.ops("tile.sort " + commas(inputs, nameOf) + " axis " + axis + order +
                " : " + commas(types, textOf),
            {}, types);
  for (size_t i = 0; i < sorted.size(); ++i)
    keep(sorted[i], factsOf(inputs[i]));
}

void RandomProgram::top(const Value &x) {
  if (x.type.shape.empty())
    return;
  size_t axis = pick(0, x.type.shape.size() - 1);
  TileType type = x.type.withSize(axis, pick(1, x.type.shape[axis]));
  std::vector<Value> both =
      k.ops("tile.top_k $0 axis " + to_string(axis) +
                (chance(50) ? " smallest" : "") +
                (!isFloat(x.type.element) && chance(40) ? " unsigned" : "") +
                " : %0 -> %r, " + type.of("i32").str(),
            {x}, {type, type.of("i32")});
  keep(both[0], factsOf(x));
  keep(both[1]);
}

void RandomProgram::histogram(const Value &x) {
  Value numbers = isFloat(x.type.element) ? like(x.type.of("i8")) : x;
  TileType type = tile("i32", {pick(1, chance(50) ? 12 : 100)});
  if (chance(40)) {
    Value mask = like(x.type.of("i1"));
    keep(k.op("tile.histogram $0 mask $1 : %0 -> %r", {numbers, mask}, type));
    return;
  }
  keep(k.op("tile.histogram $0 : %0 -> %r", {numbers}, type));
}

/// A product of tiles that have the right types. Returns the allowed difference
/// of results: none where all sums are exact in any order.
Value RandomProgram::product(const Value &lhs, const Value &rhs,
                             const Value &acc, Tolerance &tolerance) {
  static const char *const precisions[] = {"tf32", "tf32x3", "bf16x3",
                                           "bf16x6"};
  const std::string &l = lhs.type.element, &sum = acc.type.element;
  std::string more, precision = "ieee";
  int64_t depth = lhs.type.shape.back();
  if (!isFloat(l)) {
    more = std::string(chance(30) ? " lhs_unsigned" : "") +
           (chance(30) ? " rhs_unsigned" : "");
  } else if (l == "f32" && chance(40)) {
    precision = precisions[pick(0, 3)];
    more = " precision " + precision;
  } else if (l.starts_with("f8") && chance(30)) {
    more = " precision fast";
  }
  Facts a = factsOf(lhs), b = factsOf(rhs), c = factsOf(acc);
  double products = double(depth) * a.magnitude * b.magnitude;
  bool isExact = !isFloat(l) || (a.isIntegral && b.isIntegral && c.isIntegral &&
                                 products + c.magnitude <= exactIntegers(sum));
  if (!isExact)
    tolerance.absolute =
        dotBound(depth, products + c.magnitude, l, sum, precision) + 5e-324;
  return k.op("tile.dot $0, $1, $2" + more + " : %0, %1 -> %r", {lhs, rhs, acc},
              acc.type);
}

void RandomProgram::dot(const Value &x) {
  static const char *const integers[] = {"i4", "i8", "i16", "i32", "i64"};
  Value lhs = x;
  std::string element = lhs.type.element;
  if (element == "i1" || element == "index" || element == "f8E8M0FNU")
    return;
  if (lhs.type.shape.size() < 2 || lhs.type.shape.size() > 3)
    lhs = reshaped(lhs, {1, lhs.type.count()}), known[lhs.name] = factsOf(x);
  // Sums of any floats within a tolerance, but not of infinities.
  bool isReal = isFloat(element), isAny = chance(20);
  if (isReal && !factsOf(lhs).isIntegral &&
      (!isAny || !factsOf(lhs).isBounded()))
    lhs = integral(lhs.type, 3);
  TileType right = lhs.type, result = lhs.type;
  size_t rank = right.shape.size();
  int64_t columns = chance(50) ? oneOf(sizes) : pick(1, 40);
  int64_t most = std::min(1500 / (result.count() / result.shape[rank - 1]),
                          3000 / (right.count() / right.shape[rank - 2]));
  if (most < 1)
    return;
  columns = std::min(columns, most);
  right.shape[rank - 2] = lhs.type.shape[rank - 1];
  right.shape[rank - 1] = result.shape[rank - 1] = columns;
  std::string sum = "f32";
  if (!isReal) {
    right.element = chance(70) ? element : oneOf(integers);
    sum = std::max(widthOf(element), widthOf(right.element)) == 64 || chance(20)
              ? "i64"
              : "i32";
  } else if (element == "f64" || chance(15)) {
    sum = "f64";
  } else if (widthOf(element) <= 16 && chance(25)) {
    sum = element == "bf16" ? "bf16" : "f16";
  }
  if (element.starts_with("f8") && chance(30))
    right.element = element == "f8E5M2" ? "f8E4M3FN" : "f8E5M2";
  result.element = sum;
  Facts a = factsOf(lhs);
  double depth = double(right.shape[rank - 2]);
  bool fits = a.magnitude * 3 * depth + 3 <= exactIntegers(sum);
  if (isReal && (a.magnitude * 4 * depth > 60000 || (!fits && !isAny)))
    return;
  Value rhs = !isReal ? like(right)
              : isAny && widthOf(right.element) > 8
                  ? keep(read(right, {}), {4, false, false})
                  : integral(right, 3);
  Value acc = isReal ? integral(result, 3) : like(result);
  Tolerance tolerance;
  Value made = product(lhs, rhs, acc, tolerance);
  double magnitude =
      depth * a.magnitude * factsOf(rhs).magnitude + factsOf(acc).magnitude;
  if (tolerance.absolute)
    settle(made, tolerance);
  else
    keep(made, isReal ? Facts{magnitude, true, true} : Facts());
}

/// Small integers with scales that are small powers of two.
void RandomProgram::scaledDot(const Value &x) {
  static const char *const types[] = {"f8E4M3FN", "f8E5M2", "f4E2M1FN"};
  int64_t block = chance(50) ? 16 : 32, depth = block * pick(1, 3);
  int64_t m = pick(1, 20), n = pick(1, 33);
  std::string l = oneOf(types), r = oneOf(types), scale = "f8E8M0FNU";
  if (chance(30))
    l = r = "f4E2M1FN", scale = "f8E4M3FN";
  std::vector<int64_t> batch;
  if (chance(30))
    batch = {pick(1, 3)};
  auto shaped = [&](const std::string &element, int64_t rows, int64_t columns) {
    std::vector<int64_t> shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return tile(element, shape);
  };
  Input scales{.values = {1, 2, 4, 1, 2}};
  Value lhs = integral(shaped(l, m, depth), 3),
        rhs = integral(shaped(r, depth, n), 3),
        ls = k.load(shaped(scale, m, depth / block), scales),
        rs = k.load(shaped(scale, depth / block, n), scales),
        acc = integral(shaped("f32", m, n), 3);
  keep(k.op("tile.scaled_dot $0 scale $1, $2 scale $3, $4 : %0 scale %1, "
            "%2 scale %3 -> %r",
            {lhs, ls, rhs, rs, acc}, acc.type),
       {double(depth) * 9 * 16 + 3, true, true});
}

} // namespace tilewright::fuzz
