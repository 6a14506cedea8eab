// Accesses through pointers, and views made of them.
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using std::to_string;

static const char *const kTypes[] = {
    "i1",   "i4",  "i8",  "i16",      "i32",    "i64",      "f16",
    "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f8E8M0FNU"};

static std::string pointer(const std::string &type) {
  return "!tile.ptr<" + type + ">";
}

/// The pointers `%base + offsets`.
static Value offset(KernelText &k, const Value &base, const Value &offsets) {
  TileType type = offsets.type;
  type.element = base.type.element;
  return k.op("tile.offset $0, $1 : %0, %1", {base, offsets}, type);
}

static Value loadPtr(KernelText &k, const Value &at, const std::string &type,
                     const std::string &more = "") {
  return k.op("tile.load_ptr $0" + more + " : %0", {at}, at.type.of(type));
}

TEST_CASE("pointers: masked loads and stores") {
  for (std::string type : kTypes)
    for (int64_t size : {1, 7, 33}) {
      KernelText k;
      Input any{.dims = {50}, .anyBits = true};
      Value p = k.argument(pointer(type), any),
            q = k.argument(pointer(type), any);
      TileType t = tile(type, {size});
      Value i = k.load(t.of("i32"), {.low = 0, .high = 50});
      // Masked out elements may have any address.
      Value m = k.load(t.of("i1"), {.values = {1, 0, 1, 1, 0}});
      Value far = k.constant("1000000", i.type);
      Value j = k.op("arith.select $0, $1, $2 : %0, %r", {m, i, far}, i.type);
      Value at = offset(k, p, j), other = k.load(t, {.anyBits = true});
      k.store(loadPtr(k, offset(k, p, i), type));
      k.store(loadPtr(k, at, type, " mask " + m.name));
      k.store(loadPtr(k, at, type, " mask " + m.name + " other " + other.name));
      // Each element is written once.
      Value n = k.op("tile.iota : %r", {}, t.of("i64"));
      Value to = offset(k, q, n);
      k.effect("tile.store_ptr $0, $1 mask $2 : %1", {other, to, m});
      Value c = k.constant("10", scalar("i64"));
      Value next = offset(k, to, k.op("tile.splat $0 : %0 -> %r", {c}, n.type));
      k.effect("tile.store_ptr $0, $1 : %1", {other, next});
      k.check();
    }
}

/// The numbers 0, 1, .. along `dim` of two, repeated along the other.
static Value numbersAlong(KernelText &k, size_t dim, const TileType &type) {
  Value i = k.op("tile.iota : %r", {}, tile("i64", {type.shape[dim]}));
  TileType unit = tile("i64", {1, 1}).withSize(dim, type.shape[dim]);
  return k.op("tile.broadcast $0 : %0 -> %r",
              {k.op("tile.reshape $0 : %0 -> %r", {i}, unit)}, type.of("i64"));
}

/// Rows of `width` elements at offsets that are loaded, in tiles of more.
static void checkRows(const std::string &type, int64_t width, int64_t held) {
  KernelText k;
  const std::string view =
      "!tile.view<9x" + to_string(width) + "x" + type + ">";
  TileType t = tile(type, {5, held});
  TileType i64 = t.of("i64");
  auto base = [&](Input input) {
    return k.op("tile.base $0 : %0 -> %r", {k.argument(view, input)},
                scalar(pointer(type)));
  };
  Input any{.dims = {9, width}, .anyBits = true};
  Value x = base(any), y = base(any);
  Value row = k.op("tile.broadcast $0 : %0 -> %r",
                   {k.load(tile("i64", {5, 1}), {.low = 0, .high = 9})}, i64);
  Value column = numbersAlong(k, 1, t);
  Value length = k.constant(to_string(width), i64);
  Value m = k.op("arith.cmpi ult, $0, $1 : %0", {column, length}, t.of("i1"));
  auto at = [&](const Value &start, const Value &rows) {
    Value first = k.op("arith.muli $0, $1 : %0", {rows, length}, i64);
    return offset(k, start,
                  k.op("arith.addi $0, $1 : %0", {first, column}, i64));
  };
  Value other = k.load(t, {.anyBits = true});
  Value v =
      loadPtr(k, at(x, row), type, " mask " + m.name + " other " + other.name);
  k.store(v);
  // Rows that are apart, each element once.
  k.effect("tile.store_ptr $0, $1 mask $2 : %1",
           {v, at(y, numbersAlong(k, 0, t)), m});
  k.check();
}

TEST_CASE("pointers: rows of neighbours, gathered and written") {
  for (std::string type : {"i8", "f16", "f32", "f64", "i1", "bf16"})
    for (int64_t width : {32, 24, 20, 7})
      checkRows(type, width, 32);
  checkRows("f16", 24, 24);
  checkRows("f32", 64, 64);
}

TEST_CASE("pointers: scalars, with a mask and an order") {
  for (std::string type : kTypes) {
    KernelText k;
    Input any{.dims = {9}, .anyBits = true};
    Value p = k.argument(pointer(type), any);
    Value yes = k.argument("i1", {.scalar = 1}),
          no = k.argument("i1", {.scalar = 0});
    TileType s = scalar(type);
    Value two = offset(k, p, {"%c2", scalar("index")});
    Value a = loadPtr(k, two, type);
    k.store(a);
    k.store(loadPtr(k, two, type, " mask " + no.name + " other " + a.name));
    k.store(loadPtr(k, two, type, " mask " + no.name));
    k.store(loadPtr(k, p, type, " mask " + yes.name));
    k.effect("tile.store_ptr $0, $1 : %1", {a, p});
    Value three = offset(k, p, {"%c3", scalar("index")});
    k.effect("tile.store_ptr $0, $1 mask $2 : %1", {a, three, no});
    Value five = offset(k, three, {"%c2", scalar("index")});
    k.effect("tile.store_ptr $0, $1 mask $2 : %1", {a, five, yes});
    if (widthOf(type) >= 8) {
      k.store(loadPtr(k, two, type, " acquire device"));
      k.store(loadPtr(k, two, type, " relaxed system"));
      k.effect("tile.store_ptr $0, $1 release cluster : %1",
               {a, offset(k, five, {"%c1", scalar("index")})});
      k.effect("tile.store_ptr $0, $1 relaxed program : %1",
               {a, offset(k, five, {"%c2", scalar("index")})});
    }
    k.check();
  }
}

TEST_CASE("pointers: offsets are signed and add up") {
  for (const char *integer : {"i8", "i16", "i32", "i64", "index"}) {
    KernelText k;
    Value p = k.argument(pointer("f32"), {.dims = {60}});
    TileType t = tile(integer, {5, 7});
    Value a = k.load(t, {.low = 20, .high = 60}),
          b = k.load(t, {.low = -20, .high = 0});
    Value far = k.op("tile.offset $0, $1 : %0, %1",
                     {p, k.constant("100", scalar(integer))}, p.type);
    Value back = k.op("tile.offset $0, $1 : %0, %1",
                      {far, k.constant("-100", scalar(integer))}, p.type);
    k.store(loadPtr(k, offset(k, offset(k, back, a), b), "f32"));
    k.check();
  }
}

TEST_CASE("pointers: tiles of pointers move as other tiles do") {
  KernelText k;
  Value p = k.argument(pointer("i16"), {.dims = {80}, .anyBits = true});
  Value i = k.op("tile.iota : %r", {}, tile("i32", {35}));
  Value at = offset(k, p, i);
  std::string element = pointer("i16");
  Value r = k.op("tile.reshape $0 : %0 -> %r", {at}, tile(element, {5, 7}));
  Value t =
      k.op("tile.transpose $0 [1, 0] : %0 -> %r", {r}, tile(element, {7, 5}));
  k.store(loadPtr(k, t, "i16"));
  Value row =
      k.op("tile.slice $0 [1, 0] : %0 -> %r", {r}, tile(element, {1, 7}));
  Value rows =
      k.op("tile.broadcast $0 : %0 -> %r", {row}, tile(element, {3, 7}));
  k.store(loadPtr(k, rows, "i16"));
  Value m = k.load(tile("i1", {35}));
  Value other = k.op("tile.splat $0 : %0 -> %r", {p}, at.type);
  Value s = k.op("arith.select $0, $1, $2 : %0, %r", {m, at, other}, at.type);
  k.store(loadPtr(k, s, "i16"));
  k.line("%loop = scf.for %n = %c0 to %c3 step %c1 iter_args(%q = " + s.name +
         ") -> (" + s.type.str() + ") {");
  Value one = k.constant("1", i.type);
  Value moved = offset(k, {"%q", s.type}, one);
  k.line("scf.yield " + moved.name + " : " + s.type.str() + "\n}");
  k.store(loadPtr(k, {"%loop", s.type}, "i16"));
  k.check();
}

TEST_CASE("pointers: loops carry a pointer") {
  KernelText k;
  Value p = k.argument(pointer("i32"), {.dims = {40}});
  Value i = k.op("tile.iota : %r", {}, tile("i32", {10}));
  Value zero = k.constant("0", i.type);
  k.line("%loop:2 = scf.for %n = %c0 to %c3 step %c1 iter_args(%q = " + p.name +
         ", %s = " + zero.name + ") -> (" + p.type.str() + ", " + i.type.str() +
         ") {");
  Value q{"%q", p.type};
  Value x = loadPtr(k, offset(k, q, i), "i32");
  Value sum = k.op("arith.addi %s, $0 : %r", {x}, i.type);
  Value ten = k.constant("10", scalar("i64"));
  Value next = offset(k, q, ten);
  next.type = p.type;
  k.line("scf.yield " + next.name + ", " + sum.name + " : " + p.type.str() +
         ", " + i.type.str() + "\n}");
  k.store({"%loop#1", i.type});
  k.effect("tile.store_ptr %c, $0 : %0",
           {{(k.line("%c = arith.constant 5 : i32"), "%loop#0"), p.type}});
  k.check();
}

TEST_CASE("pointers: casts read the same bytes as another type") {
  for (auto [from, to, count] : {std::tuple{"f32", "i32", 8},
                                 {"f32", "i8", 32},
                                 {"f64", "i32", 16},
                                 {"i64", "bf16", 32},
                                 {"i8", "i64", 1},
                                 {"i16", "f8E5M2", 16}}) {
    KernelText k;
    Value p = k.argument(pointer(from), {.dims = {8}, .anyBits = true});
    Value q = k.op("tile.ptr_cast $0 : %0 -> %r", {p}, scalar(pointer(to)));
    Value i = k.op("tile.iota : %r", {}, tile("i32", {count}));
    k.store(loadPtr(k, offset(k, q, i), to));
    Value at = offset(k, p, k.op("tile.iota : %r", {}, tile("i32", {8})));
    Value cast =
        k.op("tile.ptr_cast $0 : %0 -> %r", {at}, tile(pointer("i8"), {8}));
    k.store(loadPtr(k, cast, "i8"));
    k.check();
  }
}

TEST_CASE("pointers: addresses") {
  for (std::string type : {"i8", "i16", "f32", "f64"}) {
    KernelText k;
    Value p = k.argument(pointer(type), {.dims = {40}});
    Value i = k.load(tile("i32", {9}), {.low = 0, .high = 40});
    TileType t = tile("i64", {9});
    Value at = k.op("tile.ptr_to_int $0 : %0 -> %r", {offset(k, p, i)}, t);
    Value base = k.op("tile.ptr_to_int $0 : %0 -> %r", {p}, scalar("i64"));
    Value bases = k.op("tile.splat $0 : %0 -> %r", {base}, t);
    Value bytes = k.op("arith.subi $0, $1 : %r", {at, bases}, t);
    k.store(bytes);
    Value sum = k.op("arith.addi $0, $1 : %r", {bytes, bases}, t);
    k.store(loadPtr(
        k,
        k.op("tile.int_to_ptr $0 : %0 -> %r", {sum}, tile(pointer(type), {9})),
        type));
    k.store(loadPtr(
        k, k.op("tile.int_to_ptr $0 : %0 -> %r", {base}, scalar(pointer(type))),
        type));
    k.check();
  }
}
