// Random kernels: tiles of pointers and atomics.
#include "RandomProgram.h"

namespace tilewright::fuzz {

using namespace kerneltest;
using std::to_string;

static std::string pointer(const std::string &element) {
  return "!tile.ptr<" + element + ">";
}

/// Pointers to as many elements as the type has: consecutive, or in another
/// order.
Value RandomProgram::pointers(const Value &base, const TileType &type,
                              bool isShuffled) {
  static const char *const integers[] = {"i32", "i64", "index"};
  TileType line = tile(oneOf(integers), {type.count()});
  Value i = k.op("tile.iota : %r", {}, line);
  if (isShuffled)
    i = k.op("arith.subi $0, $1 : %r",
             {k.constant(to_string(type.count() - 1), line), i}, line);
  Value at = reshaped(i, type.shape);
  if (chance(50))
    return k.op("tile.offset $0, $1 : %0, %1", {base, at},
                type.of(base.type.element));
  Value bases =
      k.op("tile.splat $0 : %0 -> %r", {base}, type.of(base.type.element));
  return k.op("tile.offset $0, $1 : %0, %1", {bases, at}, bases.type);
}

/// This program's part of an array that has `count` elements for each.
Value RandomProgram::partOf(const Value &base, int64_t count) {
  if (programs == 1)
    return base;
  Value start = k.op("arith.muli " + program + ", $0 : index", {index(count)},
                     scalar("index"));
  return k.op("tile.offset $0, $1 : %0, index", {base, start}, base.type);
}

/// A tile read by pointers, of which a mask may leave some out.
Value RandomProgram::readPointers(const TileType &type, const Input &input) {
  Input memory = input;
  bool isGather = chance(50);
  int64_t count = isGather ? pick(1, 60) : type.count();
  memory.dims = {count};
  Value base =
      chance(70)
          ? k.argument(pointer(type.element), memory)
          : k.op("tile.base $0 : %0 -> %r",
                 {k.argument("!tile.view<?x" + type.element + ">", memory)},
                 scalar(pointer(type.element)));
  Value at = base;
  if (isGather) {
    Value i = k.load(type.of("i32"), {.low = 0, .high = double(count)});
    at = k.op("tile.offset $0, $1 : %0, %1", {base, i},
              type.of(base.type.element));
  } else {
    at = pointers(base, type, chance(40));
  }
  std::string more;
  if (chance(50)) {
    more = " mask " + k.load(type.of("i1")).name;
    if (chance(50))
      more += " other " + k.constant(type.element == "i1"    ? "true"
                                     : isFloat(type.element) ? "1.0"
                                                             : "1",
                                     type)
                              .name;
  }
  static const char *const orders[] = {" relaxed device", " acquire system",
                                       " relaxed program", " acquire cluster"};
  if (widthOf(type.element) >= 8 && chance(15))
    more += oneOf(orders);
  return k.op("tile.load_ptr $0" + more + " : %0", {at}, type);
}

/// Each program writes to a separate part.
void RandomProgram::writePointers(const Value &value, Tolerance tolerance) {
  const std::string &element = value.type.element;
  int64_t count = value.type.count();
  Value base = k.argument(pointer(element),
                          {.dims = {count * programs}, .tolerance = tolerance});
  if (programs > 1) {
    Value start = k.op("arith.muli " + program + ", $0 : index", {index(count)},
                       scalar("index"));
    base = k.op("tile.offset $0, $1 : %0, index", {base, start}, base.type);
  }
  Value at = pointers(base, value.type, chance(40));
  std::string more =
      chance(50) ? " mask " + k.load(value.type.of("i1")).name : "";
  if (widthOf(element) >= 8 && chance(15))
    more += chance(50) ? " release device" : " relaxed cluster";
  k.effect("tile.store_ptr $0, $1" + more + " : %1", {value, at});
}

static const char *const kOrders[] = {"relaxed", "acquire", "release",
                                      "acq_rel"};
static const char *const kScopes[] = {"program", "cluster", "device", "system"};

/// Updates of different elements, whose old values are used.
void RandomProgram::atomic() {
  static const char *const types[] = {"i32",  "i64", "f16",
                                      "bf16", "f32", "f64"};
  static const char *const kinds[] = {"add", "exchange", "max",  "min", "xor",
                                      "and", "or",       "umax", "umin"};
  TileType type = tile(oneOf(types), shape(300, 3));
  bool isReal = isFloat(type.element);
  std::string kind = kinds[pick(0, isReal ? 3 : 8)];
  Input memory{.dims = {type.count() * programs}, .anyBits = !isReal};
  if (isReal)
    memory.values = {1, -3, 0, 2, 0.5, -0.25, 8, -1};
  if (isReal && kind != "add" && chance(40))
    memory.values.push_back(NAN);
  Value base = k.argument(pointer(type.element), memory);
  base = partOf(base, type.count());
  Value at = pointers(base, type, chance(40)), x = integral(type, 3);
  std::string mask =
      chance(40) ? " mask " + k.load(type.of("i1")).name : std::string();
  Value old = k.op("tile.atomic_rmw " + kind + " " + oneOf(kOrders) + " " +
                       oneOf(kScopes) + " $0, $1" + mask + " : %1",
                   {x, at}, type);
  if (chance(70))
    keep(old, {INFINITY, false, true});
}

void RandomProgram::compareAndSwap() {
  static const char *const types[] = {"i16", "i32", "i64"};
  TileType type = tile(oneOf(types), shape(300, 3));
  Value base =
      k.argument(pointer(type.element), {.dims = {type.count() * programs},
                                         .values = {0, 1, 2, 0, 1}});
  base = partOf(base, type.count());
  Value at = pointers(base, type, chance(40));
  Value from = k.load(type, {.values = {0, 1, 1, 0, 2}}), to = like(type);
  std::string mask =
      chance(40) ? " mask " + k.load(type.of("i1")).name : std::string();
  keep(k.op("tile.atomic_cas " + std::string(oneOf(kOrders)) + " " +
                oneOf(kScopes) + " $0, $1, $2" + mask + " : %2",
            {from, to, at}, type));
}

/// Updates by all programs, of elements that several have, in any order.
void RandomProgram::sharedCounters() {
  static const char *const types[] = {"i32", "i64", "f32", "f64"};
  static const char *const kinds[] = {"add", "max", "min",  "xor",
                                      "and", "or",  "umax", "umin"};
  std::string element = oneOf(types);
  std::string kind = kinds[pick(0, isFloat(element) ? 2 : 7)];
  int64_t count = pick(1, 9);
  Value base =
      k.argument(pointer(element), {.dims = {count}, .values = {0, 3, 1, 7}});
  TileType type = tile(element, shape(300, 3));
  Value i = k.load(type.of("i32"), {.low = 0, .high = double(count)});
  Value at = k.op("tile.offset $0, $1 : %0, %1", {base, i},
                  type.of(base.type.element));
  Value x = integral(type, 3);
  if (isFloat(element) && factsOf(x).anyZero)
    return;
  k.op("tile.atomic_rmw " + kind + " relaxed device $0, $1 : %1", {x, at},
       type);
  if (chance(30))
    k.line("tile.fence " + std::string(chance(50) ? "acq_rel" : "seq_cst") +
           " device");
}

/// The same bytes as another type, and addresses as integers.
void RandomProgram::casts() {
  static const std::tuple<const char *, const char *, int64_t> all[] = {
      {"f32", "i32", 8},   {"f32", "i8", 32}, {"f64", "i32", 16},
      {"i64", "bf16", 32}, {"i8", "i64", 1},  {"i16", "f8E5M2", 16}};
  auto [from, to, count] = oneOf(all);
  Value p = k.argument(pointer(from), {.dims = {8}, .anyBits = true});
  Value q = k.op("tile.ptr_cast $0 : %0 -> %r", {p}, scalar(pointer(to)));
  if (chance(50)) {
    Value n = k.op("tile.ptr_to_int $0 : %0 -> %r", {q}, scalar("i64"));
    q = k.op("tile.int_to_ptr $0 : %0 -> %r", {n}, q.type);
  }
  Value at = pointers(q, tile(to, {count}), chance(50));
  keep(k.op("tile.load_ptr $0 : %0", {at}, tile(to, {count})));
}

void RandomProgram::sharedArrays() {
  for (int i = pick(1, 2); i > 0; --i) {
    std::string element = oneOf(elements);
    if (element == "index")
      element = "i32";
    int64_t count = pick(8, 200);
    Value base = k.argument(pointer(element), {.dims = {count * programs}});
    arrays.push_back({partOf(base, count), count});
  }
}

static std::string pointee(const Value &base) {
  const std::string &type = base.type.element;
  return type.substr(10, type.size() - 11);
}

/// Reads elements, some of them twice, or writes different ones, or updates
/// them; what is written may be what was read elsewhere in the array.
void RandomProgram::arrayByPointers() {
  auto [base, count] = oneOf(arrays);
  std::string element = pointee(base);
  TileType type = tile(element, shape(count, 3));
  Value first = base;
  if (int64_t room = count - type.count())
    first = k.op("tile.offset $0, $1 : %0, index", {base, index(pick(0, room))},
                 base.type);
  std::string mask = chance(40) ? " mask " + k.load(type.of("i1")).name : "";
  if (chance(50)) {
    Value at = pointers(first, type, chance(40));
    if (chance(40)) {
      Value i = k.load(type.of("i32"), {.low = 0, .high = double(count)});
      at = k.op("tile.offset $0, $1 : %0, %1", {base, i}, at.type);
    }
    keep(k.op("tile.load_ptr $0" + mask + " : %0", {at}, type));
    return;
  }
  Value x = definite(type);
  Value at = pointers(first, type, chance(40));
  if ((element == "i32" || element == "i64") && chance(30))
    keep(k.op("tile.atomic_rmw add relaxed device $0, $1" + mask + " : %1",
              {x, at}, type));
  else
    k.effect("tile.store_ptr $0, $1" + mask + " : %1", {x, at});
}

/// The same through a view of the array, or of a part of it.
void RandomProgram::arrayByView() {
  auto [base, count] = oneOf(arrays);
  std::string element = pointee(base);
  int64_t columns = pick(1, std::min<int64_t>(count, 20)),
          rows = count / columns;
  bool isDynamic = chance(50);
  std::string type = "!tile.view<" + to_string(rows) + "x" +
                     (isDynamic ? "?" : to_string(columns)) + "x" + element +
                     (chance(30) && columns * rows > 1
                          ? ", strides<[1, " + to_string(rows) + "]>>"
                          : ">");
  Value view =
      k.op("tile.make_view $0" +
               (isDynamic ? " sizes[" + index(columns).name + "]" : "") +
               " : %0 -> %r",
           {base}, scalar(type));
  std::vector<int64_t> shape = {pick(1, 8), pick(1, 20)};
  std::string at = " at [" + oneOf(indices) + ", " + oneOf(indices) + "]";
  if (chance(50)) {
    std::string pad = element == "i1" ? "true" : isFloat(element) ? "1.0" : "1";
    keep(k.op("tile.load $0" + at + " pad " + pad + " : %0 -> %r", {view},
              tile(element, shape)));
    return;
  }
  Value x = definite(tile(element, shape));
  k.effect("tile.store $0, $1" + at + " : %0, %1", {x, view});
}

void RandomProgram::pointerStep() {
  if (chance(60))
    return chance(60) ? arrayByPointers() : arrayByView();
  switch (pick(0, 4)) {
  case 0:
    return casts();
  case 1:
    return compareAndSwap();
  case 2:
    return sharedCounters();
  default:
    return atomic();
  }
}

} // namespace tilewright::fuzz
