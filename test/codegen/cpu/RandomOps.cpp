// Random kernels: their ops on tiles. Each takes a tile and adds results.
#include "RandomProgram.h"

#include <algorithm>

namespace tilewright::cputest {

using std::to_string;

/// Ops that round once, or not at all.
static const char *const kFloatOps[] = {"addf", "subf",     "mulf",
                                        "divf", "maximumf", "minimumf"};
static const char *const kIntegerOps[] = {"addi",  "subi", "muli",  "andi",
                                          "ori",   "xori", "maxsi", "minsi",
                                          "maxui", "minui"};

void RandomProgram::elementwise(const Value &x) {
  bool isReal = isFloat(x.type.element);
  std::string name = isReal ? oneOf(kFloatOps) : oneOf(kIntegerOps);
  live.push_back(
      k.op("arith." + name + " $0, $1 : %r", {x, like(x.type)}, x.type));
}

void RandomProgram::unary(const Value &x) {
  if (isFloat(x.type.element)) {
    live.push_back(k.op((chance(50) ? "arith.negf" : "math.absf") +
                            std::string(" $0 : %r"),
                        {x}, x.type));
    return;
  }
  // A shift by less than the width.
  Value bits = k.constant(x.type.element == "i1"
                              ? "false"
                              : to_string(pick(0, widthOf(x.type.element) - 1)),
                          x.type);
  const char *shifts[] = {"shli", "shrsi", "shrui"};
  live.push_back(k.op("arith." + std::string(oneOf(shifts)) + " $0, $1 : %r",
                      {x, bits}, x.type));
}

void RandomProgram::select(const Value &x) {
  const char *orders[] = {"olt", "oge", "une", "ueq"};
  const char *integerOrders[] = {"slt", "uge", "ne", "sle"};
  Value y = like(x.type);
  std::string compare = isFloat(x.type.element)
                            ? "arith.cmpf " + std::string(oneOf(orders))
                            : "arith.cmpi " + std::string(oneOf(integerOrders));
  Value c = k.op(compare + ", $0, $1 : %0", {x, y}, x.type.of("i1"));
  live.push_back(k.op("arith.select $0, $1, $2 : %0, %r", {c, x, y}, x.type));
  if (chance(20))
    live.push_back(c);
}

void RandomProgram::convert(const Value &x) {
  live.push_back(k.op("tile.convert $0 saturate : %0 -> %r", {x},
                      x.type.of(oneOf(elements))));
}

void RandomProgram::transpose(const Value &x) {
  std::vector<int64_t> permutation(x.type.shape.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::shuffle(permutation.begin(), permutation.end(), random);
  TileType type = x.type;
  for (size_t d = 0; d < permutation.size(); ++d)
    type.shape[d] = x.type.shape[permutation[d]];
  live.push_back(k.op(
      "tile.transpose $0 " + numbers(permutation) + " : %0 -> %r", {x}, type));
}

Value RandomProgram::reshaped(const Value &x, std::vector<int64_t> shape) {
  return k.op("tile.reshape $0 : %0 -> %r", {x},
              tile(x.type.element, std::move(shape)));
}

void RandomProgram::reshape(const Value &x) {
  int64_t count = x.type.count(), rows = pick(1, 9);
  live.push_back(count % rows == 0 ? reshaped(x, {rows, count / rows})
                                   : reshaped(x, {count}));
}

void RandomProgram::broadcast(const Value &x) {
  if (x.type.count() > 80)
    return;
  std::vector<int64_t> shape = x.type.shape;
  size_t axis = pick(0, shape.size());
  shape.insert(shape.begin() + axis, 1);
  Value r = reshaped(x, shape);
  live.push_back(k.op("tile.broadcast $0 : %0 -> %r", {r},
                      r.type.withSize(axis, pick(1, 5))));
}

void RandomProgram::slice(const Value &x) {
  std::vector<int64_t> offsets, steps;
  TileType type = x.type;
  for (int64_t &size : type.shape) {
    offsets.push_back(pick(0, (size - 1) / 2));
    steps.push_back(pick(1, 2));
    size = (size - offsets.back() + steps.back() - 1) / steps.back();
  }
  live.push_back(k.op("tile.slice $0 " + numbers(offsets) + " step " +
                          numbers(steps) + " : %0 -> %r",
                      {x}, type));
}

void RandomProgram::joinOrSplit(const Value &x) {
  TileType type = x.type;
  if (!type.shape.empty() && type.shape.back() <= 3 && chance(70)) {
    int64_t parts = type.shape.back();
    type.shape.pop_back();
    std::vector<TileType> types(parts, type);
    keep(k.ops("tile.split $0 : %0 -> " +
                   commas(types, [](const TileType &t) { return t.str(); }),
               {x}, types));
    return;
  }
  type.shape.push_back(2);
  live.push_back(
      k.op("tile.join $0, $1 : %0, %1 -> %r", {x, like(x.type)}, type));
}

void RandomProgram::concat(const Value &x) {
  if (x.type.shape.empty())
    return;
  size_t axis = pick(0, x.type.shape.size() - 1);
  TileType other = x.type;
  if (chance(50))
    other.shape[axis] = pick(1, 4);
  Value y = like(other);
  live.push_back(k.op(
      "tile.concat $0, $1 axis " + to_string(axis) + " : %0, %1 -> %r", {x, y},
      x.type.withSize(axis, x.type.shape[axis] + other.shape[axis])));
}

void RandomProgram::gather(const Value &x) {
  if (x.type.shape.empty())
    return;
  size_t axis = pick(0, x.type.shape.size() - 1);
  int64_t size = x.type.shape[axis];
  TileType type = x.type.withSize(axis, pick(1, 9));
  // Computed indices: brought into range by a remainder.
  Value i = k.load(type.of("i16"), {.low = 0, .high = 1000});
  Value n = k.constant(to_string(size), i.type);
  Value j = k.op("arith.remui $0, $1 : %r", {i, n}, i.type);
  live.push_back(
      k.op("tile.gather $0, $1 axis " + to_string(axis) + " : %0, %1 -> %r",
           {x, j}, type));
}

/// A reduce or a scan.
void RandomProgram::combine(const Value &x) {
  if (x.type.shape.empty())
    return;
  const char *floats[] = {"maximumf", "minimumf"};
  const char *integers[] = {"addi", "maxsi", "minui", "xori", "muli"};
  size_t axis = pick(0, x.type.shape.size() - 1);
  std::string element = x.type.element, id = to_string(names++);
  std::string op = isFloat(element) ? oneOf(floats) : oneOf(integers);
  std::string region =
      " {\n^bb0(%p" + id + ": " + element + ", %q" + id + ": " + element +
      "):\n%s" + id + " = arith." + op + " %p" + id + ", %q" + id + " : " +
      element + "\ntile.yield %s" + id + " : " + element + "\n} : %0 -> %r";
  TileType type = x.type;
  bool isScan = chance(50);
  if (!isScan)
    type.shape.erase(type.shape.begin() + axis);
  live.push_back(k.op((isScan ? "tile.scan" : "tile.reduce") +
                          std::string(" $0 axis ") + to_string(axis) +
                          (isScan && chance(50) ? " reverse" : "") + region,
                      {x}, type));
}

/// One element, and a tile of it.
void RandomProgram::extract(const Value &x) {
  std::string at;
  for (int64_t size : x.type.shape) {
    Value index = k.argument("index", {.scalar = pick(0, size - 1)});
    at += (at.empty() ? "" : ", ") + index.name;
  }
  Value element =
      k.op("tile.extract $0[" + at + "] : %0", {x}, scalar(x.type.element));
  live.push_back(k.op("tile.splat $0 : %0 -> %r", {element}, x.type));
}

void RandomProgram::sort(const Value &x) {
  if (x.type.shape.empty())
    return;
  std::string order = chance(50) ? " descending" : "";
  if (!isFloat(x.type.element) && chance(40))
    order += " unsigned";
  Value y = like(x.type.of(oneOf(elements)));
  std::string axis = to_string(pick(0, x.type.shape.size() - 1));
  keep(k.ops("tile.sort $0, $1 axis " + axis + order + " : %0, %1", {x, y},
             {x.type, y.type}));
}

void RandomProgram::topOrHistogram(const Value &x) {
  if (!isFloat(x.type.element) && chance(50)) {
    live.push_back(
        k.op("tile.histogram $0 : %0 -> %r", {x}, tile("i32", {pick(1, 12)})));
    return;
  }
  if (x.type.shape.empty())
    return;
  size_t axis = pick(0, x.type.shape.size() - 1);
  TileType type = x.type.withSize(axis, pick(1, x.type.shape[axis]));
  keep(k.ops("tile.top_k $0 axis " + to_string(axis) +
                 (chance(50) ? " smallest" : "") + " : %0 -> %r, " +
                 type.of("i32").str(),
             {x}, {type, type.of("i32")}));
}

/// Of integers only: the sums of floats may have any order.
void RandomProgram::dot(const Value &x) {
  std::string element = x.type.element;
  if (isFloat(element) || element == "i1" || x.type.shape.size() != 2)
    return;
  Value y = like(tile(element, {x.type.shape[1], pick(1, 17)}));
  Value acc = like(tile(element == "i64" ? "i64" : "i32",
                        {x.type.shape[0], y.type.shape[1]}));
  live.push_back(
      k.op("tile.dot $0, $1, $2 : %0, %1 -> %r", {x, y, acc}, acc.type));
}

} // namespace tilewright::cputest
