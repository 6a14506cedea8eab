// Random kernels: scalars. Those that come of elements of tiles are indices,
// bounds and conditions of what follows.
#include "RandomProgram.h"

namespace tilewright::fuzz {

using namespace kerneltest;
using std::to_string;

/// An element of a tile.
Value RandomProgram::extracted(const Value &x) {
  std::string at;
  for (int64_t size : x.type.shape)
    at += (at.empty() ? "" : ", ") + index(pick(0, size - 1)).name;
  return k.op("tile.extract $0[" + at + "] : %0", {x}, scalar(x.type.element));
}

/// A scalar of this type: one that exists, an element of a tile, an argument
/// or a constant. Its zeros have their signs.
Value RandomProgram::scalarLike(const std::string &element) {
  std::vector<Value> found;
  for (const Value &value : scalars)
    if (value.type.element == element && !factsOf(value).anyZero)
      found.push_back(value);
  if (!found.empty() && chance(60))
    return oneOf(found);
  if (element == "index")
    return index(pick(0, 9));
  if (isFloat(element) && widthOf(element) >= 16 && chance(20))
    return k.argument(element, {.low = double(pick(-3, 3)) / 2});
  if (!isFloat(element) && widthOf(element) >= 8 && chance(20))
    return k.argument(element, {.scalar = pick(0, 100)});
  if (element == "i1" && chance(20))
    return k.op("arith.constant true", {}, scalar(element));
  if (element != "i1" && chance(20))
    return k.constant(isFloat(element) ? "1.0" : "3", scalar(element));
  Value x = definite(tile(element, shape(60)));
  Value made = extracted(x);
  keep(made, factsOf(x));
  return made;
}

/// Of an argument, of indices or of an element of a tile.
Value RandomProgram::condition() {
  switch (pick(0, 3)) {
  case 0:
    return k.argument("i1", {.scalar = pick(0, 1)});
  case 1:
    return k.op("arith.cmpi slt, $0, $1 : index",
                {{oneOf(indices), scalar("index")}, index(pick(0, 3))},
                scalar("i1"));
  case 2:
    return extracted(like(tile("i1", shape(60))));
  default:
    Value x = scalarLike(oneOf(elements)), y = scalarLike(x.type.element);
    return k.op(
        (isFloat(x.type.element) ? "arith.cmpf olt" : "arith.cmpi slt") +
            std::string(", $0, $1 : %0"),
        {x, y}, scalar("i1"));
  }
}

/// An index from 0 to 3 that depends on the data alone.
void RandomProgram::dataIndex() {
  static const char *const integers[] = {"i8", "i32", "i64"};
  Value x = scalarLike(oneOf(integers));
  Value small =
      k.op("arith.andi $0, $1 : %0", {x, k.constant("3", x.type)}, x.type);
  indices.push_back(
      k.op("arith.index_cast $0 : %0 to index", {small}, scalar("index")).name);
}

void RandomProgram::scalarOp() {
  Value x = scalarLike(oneOf(elements)), y = scalarLike(x.type.element);
  bool isReal = isFloat(x.type.element);
  static const char *const floats[] = {"addf", "subf", "mulf", "maximumf"};
  static const char *const integers[] = {"addi", "subi", "muli", "xori",
                                         "maxsi"};
  switch (pick(0, 3)) {
  case 0:
    keep(k.op("arith." + std::string(isReal ? oneOf(floats) : oneOf(integers)) +
                  " $0, $1 : %0",
              {x, y}, x.type));
    return;
  case 1: {
    std::string to = oneOf(elements);
    if (to != "i1" && to != x.type.element)
      keep(k.op("tile.convert $0 saturate : %0 -> %r", {x}, scalar(to)));
    return;
  }
  case 2:
    keep(k.op("arith.select $0, $1, $2 : %1", {condition(), x, y}, x.type));
    return;
  default:
    keep(
        k.op("tile.splat $0 : %0 -> %r", {x}, tile(x.type.element, shape(300))),
        factsOf(x));
  }
}

/// One element in memory: read, written, updated.
void RandomProgram::scalarMemory() {
  static const char *const types[] = {"i32", "i64", "f32", "f64"};
  std::string element = chance(50) ? oneOf(types) : oneOf(elements);
  if (element == "index")
    return;
  bool isUpdated = chance(40);
  if (isUpdated)
    element = oneOf(types);
  Value base = k.argument("!tile.ptr<" + element + ">",
                          {.dims = {programs + 3}, .values = {1, 2, 0, -1}});
  Value at =
      k.op("tile.offset $0, " + program + " : %0, index", {base}, base.type);
  Value x = scalarLike(element);
  std::string mask = chance(40) ? " mask " + condition().name : "";
  if (isUpdated && element != "f32") {
    keep(k.op("tile.atomic_rmw " + std::string(chance(50) ? "add" : "max") +
                  " relaxed device $0, $1" + mask + " : %1",
              {x, at}, scalar(element)),
         {INFINITY, false, true});
    return;
  }
  if (chance(50))
    k.effect("tile.store_ptr $0, $1" + mask + " : %1", {x, at});
  keep(k.op("tile.load_ptr $0" + mask + " : %0", {at}, scalar(element)));
}

void RandomProgram::scalarStep() {
  int64_t way = pick(1, 40);
  if (way <= 14)
    return dataIndex();
  return way <= 28 ? scalarOp() : scalarMemory();
}

} // namespace tilewright::fuzz
