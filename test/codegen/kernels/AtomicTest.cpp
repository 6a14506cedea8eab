// Atomic operations and fences.
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using std::to_string;

static std::string pointer(const std::string &type) {
  return "!tile.ptr<" + type + ">";
}

/// The kinds that an element type has.
static std::vector<std::string> kinds(const std::string &type) {
  if (isFloat(type))
    return {"exchange", "add", "max", "min"};
  return {"exchange", "add", "and", "or", "xor", "max", "min", "umax", "umin"};
}

static const char *const kTypes[] = {"i32", "i64", "f16", "bf16", "f32", "f64"};
static const char *const kOrders[] = {"relaxed", "acquire", "release",
                                      "acq_rel"};
static const char *const kScopes[] = {"program", "cluster", "device", "system"};

/// Pointers to `count` elements from `base` on.
static Value pointersTo(KernelText &k, const Value &base, int64_t count) {
  Value i = k.op("tile.iota : %r", {}, tile("i32", {count}));
  return k.op("tile.offset $0, $1 : %0, %1", {base, i},
              i.type.of(base.type.element));
}

/// Numbers whose sums are exact, and NaN where `withNan`.
static Input someNumbers(const std::string &type, int64_t count, bool withNan) {
  if (!isFloat(type))
    return {.dims = {count}, .anyBits = true};
  Input input{.dims = {count}, .values = {1, -3, 0, 2, 0.5, -0.25, 8, -1}};
  if (withNan)
    input.values.push_back(NAN);
  return input;
}

TEST_CASE("atomics: each kind on a tile") {
  int n = 0;
  for (std::string type : kTypes)
    for (const std::string &kind : kinds(type))
      for (int64_t size : {1, 19}) {
        std::string order =
            std::string(kOrders[n % 4]) + " " + kScopes[n / 4 % 4] + " ";
        ++n;
        KernelText k;
        TileType t = tile(type, {size});
        Value p = k.argument(pointer(type), someNumbers(type, 40, true));
        Value at = pointersTo(k, p, size);
        Value v = k.load(t, someNumbers(type, size, false));
        Value m = k.load(t.of("i1"));
        std::string head = "tile.atomic_rmw " + kind + " " + order + "$0, $1";
        k.store(k.op(head + " : %1", {v, at}, t));
        // Masked out elements are 0, and may have any address.
        Value far = k.op("tile.splat $0 : %0 -> %r",
                         {k.constant("1000000", scalar("i32"))}, t.of("i32"));
        Value none = k.constant("0", far.type);
        Value o =
            k.op("arith.select $0, $1, $2 : %0, %r", {m, none, far}, far.type);
        Value some = k.op("tile.offset $0, $1 : %0, %1", {at, o}, at.type);
        k.store(k.op(head + " mask $2 : %1", {v, some, m}, t));
        // The result is not used.
        k.op(head + " : %1", {v, at}, t);
        k.check();
      }
}

TEST_CASE("atomics: neighbours are updated together") {
  for (std::string type : kTypes)
    for (int64_t size : {16, 64}) {
      KernelText k;
      TileType t = tile(type, {size});
      Value view =
          k.argument("!tile.view<" + to_string(size) + "x" + type + ">",
                     someNumbers(type, size, false), "tile.align = 16 : i64");
      Value p = k.op("tile.base $0 : %0 -> %r", {view}, scalar(pointer(type)));
      Value at = pointersTo(k, p, size);
      Value v = k.load(t, someNumbers(type, size, false));
      Value m = k.load(t.of("i1"));
      k.effect("tile.atomic_rmw add relaxed device $0, $1 : %1", {v, at});
      Value i = k.op("tile.iota : %r", {}, t.of("i32"));
      // All of a group, or none.
      Value half =
          k.op("arith.cmpi ult, $0, $1 : %0",
               {i, k.constant(to_string(size / 2), i.type)}, t.of("i1"));
      k.effect("tile.atomic_rmw add release device $0, $1 mask $2 : %1",
               {v, at, half});
      k.effect("tile.atomic_rmw max relaxed device $0, $1 mask $2 : %1",
               {v, at, m});
      k.check();
    }
}

TEST_CASE("atomics: each kind on a scalar") {
  for (std::string type : kTypes)
    for (const std::string &kind : kinds(type)) {
      KernelText k;
      Value p = k.argument(pointer(type), someNumbers(type, 4, true));
      Value yes = k.argument("i1", {.scalar = 1}),
            no = k.argument("i1", {.scalar = 0});
      Value v = k.op("tile.extract $0[%c1] : %0",
                     {k.load(tile(type, {2}), someNumbers(type, 2, false))},
                     scalar(type));
      std::string head = "tile.atomic_rmw " + kind + " relaxed device $0, $1";
      k.store(k.op(head + " : %1", {v, p}, v.type));
      k.store(k.op(head + " mask $2 : %1", {v, p, yes}, v.type));
      k.store(k.op(head + " mask $2 : %1", {v, p, no}, v.type));
      k.check();
    }
}

TEST_CASE("atomics: subnormals are kept") {
  for (std::string type : {"f16", "bf16", "f64"})
    for (std::string kind : {"exchange", "max", "min"}) {
      KernelText k;
      // Zeros, and subnormals of both signs.
      std::vector<uint64_t> bits = {0, 1, 42};
      for (size_t i = 0; i < 3; ++i)
        bits.push_back(bits[i] | uint64_t(1) << (widthOf(type) - 1));
      TileType t = tile(type, {36});
      Input first{.bits = bits}, second{.bits = bits};
      std::sort(second.bits.rbegin(), second.bits.rend());
      second.bits.push_back(0);
      Value view = k.argument("!tile.view<36x" + type + ">", first);
      k.effect("tile.atomic_reduce " + kind +
                   " relaxed device $0, $1[%c0] : %0, %1",
               {k.load(t, second), view});
      k.check();
    }
}

TEST_CASE("atomics: elements of one tile at one address all count") {
  for (std::string type : kTypes) {
    KernelText k;
    Value p = k.argument(pointer(type), {.dims = {3}, .values = {0}});
    Value i = k.load(tile("i32", {50}), {.low = 0, .high = 3});
    Value at =
        k.op("tile.offset $0, $1 : %0, %1", {p, i}, i.type.of(pointer(type)));
    Value v = k.load(tile(type, {50}), {.values = {1, 2, -1, 4}});
    k.op("tile.atomic_rmw add relaxed device $0, $1 : %1", {v, at}, v.type);
    k.check();
  }
}

TEST_CASE("atomics: programs add to one counter") {
  for (std::string type : kTypes) {
    KernelText k;
    k.grid = "100";
    Value p = k.argument(pointer(type), {.dims = {2}, .values = {0}});
    Value all = k.argument("!tile.view<7x" + type + ">", {.values = {1, 0, 2}});
    Value one = k.constant(isFloat(type) ? "0.5" : "3", scalar(type));
    k.op("tile.atomic_rmw add relaxed device $0, $1 : %1", {one, p}, one.type);
    Value t = k.op("tile.splat $0 : %0 -> %r", {one}, tile(type, {7}));
    k.effect("tile.atomic_reduce add relaxed device $0, $1[%c0] : %0, %1",
             {t, all});
    // 100 halves are exact in every order and type.
    k.check();
  }
}

TEST_CASE("atomics: programs find the greatest and the least") {
  for (std::string type : {"i32", "i64", "f32", "f16"})
    for (const std::string &kind : kinds(type)) {
      if (kind == "exchange" || kind == "add")
        continue;
      KernelText k;
      k.grid = "64";
      Value in = k.argument("!tile.view<64x9x" + type + ">",
                            isFloat(type) ? Input{} : Input{.anyBits = true});
      Value out = k.argument("!tile.view<1x9x" + type + ">");
      k.line("%i = tile.program_id");
      Value v =
          k.op("tile.load $0[%i, %c0] : %0 -> %r", {in}, tile(type, {1, 9}));
      k.effect("tile.atomic_reduce " + kind +
                   " release system $0, $1[%c0, %c0] : %0, %1",
               {v, out});
      k.check();
    }
}

TEST_CASE("atomics: a tile of a view, beyond its edge and by steps") {
  for (std::string type : kTypes)
    for (const std::string &kind : kinds(type)) {
      KernelText k;
      Value view = k.argument("!tile.view<?x?x" + type + ">",
                              {.dims = {5, 11}, .values = {1, 2, -3, 4}});
      Value back = k.argument("index", {.scalar = -2});
      Value v = k.load(tile(type, {4, 9}), {.values = {3, 0, 1, -2, 1}});
      std::string head = "tile.atomic_reduce " + kind + " relaxed device $0, ";
      k.effect(head + "$1[%c1, %c0] : %0, %1", {v, view});
      k.effect(head + "$1 at [$2, %c3] : %0, %1", {v, view, back});
      k.effect(head + "$1 at [%c0, $2] step [2, 3] : %0, %1", {v, view, back});
      k.check();
    }
}

TEST_CASE("atomics: compare and swap") {
  for (std::string type : {"i16", "i32", "i64"}) {
    KernelText k;
    TileType t = tile(type, {21});
    Value p = k.argument(pointer(type), {.dims = {30}, .values = {0, 1, 2}});
    Value at = pointersTo(k, p, 21);
    Value c = k.load(t, {.values = {0, 1, 1, 0}}),
          v = k.load(t, {.anyBits = true}), m = k.load(t.of("i1"));
    k.store(
        k.op("tile.atomic_cas acquire device $0, $1, $2 : %2", {c, v, at}, t));
    k.store(k.op("tile.atomic_cas acq_rel system $0, $1, $2 mask $3 : %2",
                 {v, c, at, m}, t));
    TileType s = scalar(type);
    Value one = k.constant("1", s), zero = k.constant("0", s);
    Value q = k.op("tile.offset $0, %c3 : %0, index", {p}, p.type);
    for (int i = 0; i < 2; ++i) {
      k.store(k.op("tile.atomic_cas relaxed device $0, $1, $2 : %2",
                   {one, zero, q}, s));
      k.store(k.op("tile.atomic_cas release device $0, $1, $2 : %2",
                   {zero, one, q}, s));
    }
    k.check();
  }
}

TEST_CASE("atomics: a lock guards plain memory") {
  KernelText k;
  k.grid = "100";
  Value lock = k.argument(pointer("i32"), {.dims = {1}, .values = {0}});
  Value view = k.argument("!tile.view<17xi32>", {.values = {0}});
  k.line("%one = arith.constant 1 : i32\n%zero = arith.constant 0 : i32");
  k.line("scf.while : () -> () {");
  Value old = k.op("tile.atomic_cas acquire device %zero, %one, $0 : %0",
                   {lock}, scalar("i32"));
  k.line("%busy = arith.cmpi ne, " + old.name +
         ", %zero : i32\nscf.condition(%busy)\n} do {\nscf.yield\n}");
  k.line("tile.fence acquire device");
  Value t = k.op("tile.load $0[%c0] : %0 -> %r", {view}, tile("i32", {17}));
  Value n =
      k.op("arith.addi $0, $1 : %r", {t, k.constant("1", t.type)}, t.type);
  k.effect("tile.store $0, $1[%c0] : %0, %1", {n, view});
  k.line("tile.fence acq_rel device");
  k.effect("tile.store_ptr %zero, $0 release device : %0", {lock});
  k.check();
}

TEST_CASE("atomics: the last program adds up what the others wrote") {
  KernelText k;
  k.grid = "40";
  Value counter = k.argument(pointer("i32"), {.dims = {1}, .values = {0}});
  Value parts = k.argument("!tile.view<40xi32>"),
        sum = k.argument("!tile.view<1xi32>");
  k.line("%i = tile.program_id\n%one = arith.constant 1 : i32\n"
         "%last = arith.constant 39 : i32");
  Value n = k.op("arith.index_cast %i : index to %r", {}, scalar("i32"));
  Value part = k.op("tile.splat $0 : %0 -> %r", {n}, tile("i32", {1}));
  k.effect("tile.store $0, $1[%i] : %0, %1", {part, parts});
  k.line("tile.fence release device");
  Value old = k.op("tile.atomic_rmw add acq_rel device %one, $0 : %0",
                   {counter}, scalar("i32"));
  k.line("%done = arith.cmpi eq, " + old.name +
         ", %last : i32\n"
         "scf.if %done {\ntile.fence seq_cst device");
  Value all = k.op("tile.load $0[%c0] : %0 -> %r", {parts}, tile("i32", {40}));
  Value total = k.op("tile.reduce $0 axis 0 {\n^bb0(%a: i32, %b: i32):\n"
                     "%s = arith.addi %a, %b : i32\ntile.yield %s : i32\n"
                     "} : %0 -> %r",
                     {all}, tile("i32", {}));
  k.effect(
      "tile.store $0, $1[%c0] : %0, %1",
      {k.op("tile.reshape $0 : %0 -> %r", {total}, tile("i32", {1})), sum});
  k.line("}");
  k.check();
}
