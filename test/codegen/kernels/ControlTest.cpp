// Control flow, index arithmetic, assumptions, random numbers.
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using std::to_string;

static const TileType kTile = tile("i32", {5, 19});
static const std::string kText = kTile.str();

TEST_CASE("control: a while loop of scalars") {
  for (int64_t start : {1, 7, 27, 97}) {
    KernelText k;
    Value n = k.argument("i32", {.scalar = start});
    k.line("%one = arith.constant 1 : i32\n%two = arith.constant 2 : i32\n"
           "%three = arith.constant 3 : i32\n%zero = arith.constant 0 : i32");
    // Collatz steps, and the greatest number seen.
    k.line("%r:3 = scf.while (%x = " + n.name +
           ", %s = %zero, %m = %zero) : (i32, i32, i32) -> (i32, i32, i32) {\n"
           "%go = arith.cmpi ne, %x, %one : i32\n"
           "%m2 = arith.maxsi %m, %x : i32\n"
           "scf.condition(%go) %x, %s, %m2 : i32, i32, i32\n} do {\n"
           "^bb0(%x: i32, %s: i32, %m: i32):\n"
           "%half = arith.divsi %x, %two : i32\n"
           "%odd = arith.remsi %x, %two : i32\n"
           "%isOdd = arith.cmpi eq, %odd, %one : i32\n"
           "%y = scf.if %isOdd -> (i32) {\n%t = arith.muli %x, %three : i32\n"
           "%u = arith.addi %t, %one : i32\nscf.yield %u : i32\n} else {\n"
           "scf.yield %half : i32\n}\n"
           "%s2 = arith.addi %s, %one : i32\n"
           "scf.yield %y, %s2, %m : i32, i32, i32\n}");
    for (const char *name : {"%r#0", "%r#1", "%r#2"})
      k.store({name, scalar("i32")});
    k.check();
  }
}

TEST_CASE("control: a while loop of tiles") {
  KernelText k;
  Value a = k.load(kTile, {.low = 1, .high = 9}), b = k.load(kTile);
  Value limit = k.argument("index", {.scalar = 7});
  // The two tiles are swapped; the results have another order.
  k.line("%r:3 = scf.while (%x = " + a.name + ", %y = " + b.name +
         ", %i = %c0) : (" + kText + ", " + kText + ", index) -> (index, " +
         kText + ", " + kText + ") {\n%go = arith.cmpi ult, %i, " + limit.name +
         " : index\n%z = arith.addi %x, %y : " + kText +
         "\nscf.condition(%go) %i, %z, %x : index, " + kText + ", " + kText +
         "\n} do {\n^bb0(%i: index, %z: " + kText + ", %x: " + kText +
         "):\n%j = arith.addi %i, %c2 : index\nscf.yield %z, %x, %j : " +
         kText + ", " + kText + ", index\n}");
  k.store({"%r#0", scalar("index")});
  k.store({"%r#1", kTile});
  k.store({"%r#2", kTile});
  k.store(a);
  k.check();
}

TEST_CASE("control: a while loop until a tile says so, with stores") {
  KernelText k;
  Value view = k.argument("!tile.view<33xi32>", {.low = 1, .high = 50});
  k.line("scf.while : () -> () {");
  TileType t = tile("i32", {33});
  Value x = k.op("tile.load $0[%c0] : %0 -> %r", {view}, t);
  Value m = k.op("tile.reduce $0 axis 0 {\n^bb0(%a: i32, %b: i32):\n"
                 "%s = arith.maxsi %a, %b : i32\ntile.yield %s : i32\n"
                 "} : %0 -> %r",
                 {x}, tile("i32", {}));
  Value s = k.op("tile.extract $0[] : %0", {m}, scalar("i32"));
  k.line("%limit = arith.constant 5000 : i32\n%go = arith.cmpi slt, " + s.name +
         ", %limit : i32\nscf.condition(%go)\n} do {");
  Value y = k.op("tile.load $0[%c0] : %0 -> %r", {view}, t);
  k.effect("tile.store $0, $1[%c0] : %0, %1",
           {k.op("arith.addi $0, $0 : %r", {y}, t), view});
  k.line("scf.yield\n}");
  k.check();
}

TEST_CASE("control: a switch") {
  for (int64_t choice : {0, 1, 3, 9}) {
    KernelText k;
    Value c = k.argument("index", {.scalar = choice});
    Value a = k.load(kTile), b = k.load(kTile);
    k.line("%r:2 = scf.index_switch " + c.name + " -> " + kText +
           ", i32\ncase 1 {\n%s = arith.addi " + a.name + ", " + b.name +
           " : " + kText +
           "\n%n = arith.constant 10 : i32\nscf.yield %s, "
           "%n : " +
           kText +
           ", i32\n}\ncase 3 {\n%n = arith.constant 30 : "
           "i32\nscf.yield " +
           b.name + ", %n : " + kText +
           ", i32\n}\ndefault {\n%n = arith.constant 99 : i32\nscf.yield " +
           a.name + ", %n : " + kText + ", i32\n}");
    k.store({"%r#0", kTile});
    k.store({"%r#1", scalar("i32")});
    Value view = k.argument("!tile.view<5x19xi32>");
    k.line("scf.index_switch " + c.name + "\ncase 0 {");
    k.effect("tile.store $0, $1[%c0, %c0] : %0, %1", {b, view});
    k.line("scf.yield\n}\ndefault {\n}");
    k.check();
  }
}

TEST_CASE("control: branches yield tiles") {
  for (int64_t flag : {0, 1}) {
    KernelText k;
    Value c = k.argument("i1", {.scalar = flag});
    Value a = k.load(kTile), b = k.load(kTile);
    k.line("%r:3 = scf.if " + c.name + " -> (" + kText + ", " + kText +
           ", index) {\n%s = arith.muli " + a.name + ", " + b.name + " : " +
           kText + "\nscf.yield %s, " + a.name + ", %c3 : " + kText + ", " +
           kText + ", index\n} else {\n%t = arith.subi " + a.name + ", " +
           b.name + " : " + kText + "\nscf.yield " + b.name +
           ", %t, %c1 : " + kText + ", " + kText + ", index\n}");
    k.store({"%r#0", kTile});
    k.store({"%r#1", kTile});
    k.store({"%r#2", scalar("index")});
    // A branch in a branch in a loop.
    k.line("%l = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %r#0) -> (" +
           kText +
           ") {\n%one = arith.cmpi eq, %i, %c1 : index\n"
           "%o = scf.if %one -> (" +
           kText + ") {\n%p = scf.if " + c.name + " -> (" + kText +
           ") {\nscf.yield " + a.name + " : " + kText +
           "\n} else {\n%z = arith.addi %x, %x : " + kText +
           "\nscf.yield %z : " + kText + "\n}\nscf.yield %p : " + kText +
           "\n} else {\n%z = arith.addi %x, %r#1 : " + kText +
           "\nscf.yield %z : " + kText + "\n}\nscf.yield %o : " + kText +
           "\n}");
    k.store({"%l", kTile});
    k.check();
  }
}

TEST_CASE("control: index arithmetic") {
  for (int64_t n : {-7, 0, 5, 23}) {
    KernelText k;
    Value x = k.argument("index", {.scalar = n}),
          y = k.argument("index", {.scalar = 4});
    std::string both = "(" + x.name + ")[" + y.name + "]";
    for (const char *map :
         {"d0 * 3 + s0", "d0 floordiv 3 - 2 * s0", "d0 ceildiv 4", "d0 mod 5",
          "(d0 + s0) mod 3 + (d0 * 2) floordiv 7", "-d0"})
      k.store(k.op("affine.apply affine_map<(d0)[s0] -> (" + std::string(map) +
                       ")>" + both,
                   {}, scalar("index")));
    for (std::string op : {"affine.min", "affine.max"})
      k.store(
          k.op(op + " affine_map<(d0)[s0] -> (d0 + 1, s0 * 2, 9 - d0)>" + both,
               {}, scalar("index")));
    k.check();
  }
}

TEST_CASE("control: assumptions that hold change nothing") {
  KernelText k;
  Value n = k.argument("index", {.scalar = 32}),
        p = k.argument("!tile.ptr<f32>", {.dims = {4}});
  k.store(k.op("tile.assume $0 divisible 16 range [0, 64] : %0", {n}, n.type));
  Value q = k.op("tile.assume $0 divisible 4 : %0", {p}, p.type);
  k.store(k.op("tile.load_ptr $0 : %0", {q}, scalar("f32")));
  Value t = k.load(kTile, {.low = -4, .high = 4});
  Value u = k.op("tile.assume $0 range [-4, 4] : %0", {t}, kTile);
  Value v = k.op("arith.addi $0, $0 : %r", {u}, kTile);
  k.store(k.op("tile.assume $0 divisible 2 : %0", {v}, kTile));
  Value five = k.constant("5", kTile);
  Value ok = k.op("arith.cmpi slt, $0, $1 : %0", {t, five}, kTile.of("i1"));
  k.effect("tile.assert $0, \"less than five\" : %0", {ok});
  k.line("%true = arith.cmpi sge, " + n.name +
         ", %c0 : index\n"
         "tile.assert %true, \"not negative\" : i1");
  k.check();
}

TEST_CASE("control: random words") {
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{}, {1}, {37}, {3, 9}}) {
    KernelText k;
    TileType t = tile("i32", shape);
    std::vector<Value> words;
    for (int i = 0; i < 6; ++i)
      words.push_back(k.load(t, {.anyBits = true}));
    std::vector<Value> random = k.ops(
        "tile.philox $0, $1, $2, $3 key $4, $5 : %r", words, {t, t, t, t});
    for (const Value &word : random)
      k.store(word);
    // One of four, and of scalars.
    k.store(k.ops("tile.philox $0, $0, $1, $1 key $1, $0 : %r",
                  {random[0], words[1]}, {t, t, t, t})[2]);
    Value zero = k.constant("0", scalar("i32")),
          n = k.argument("i32", {.scalar = 12345});
    for (const Value &word : k.ops("tile.philox $0, $1, $0, $1 key $1, $0 : %r",
                                   {zero, n}, {n.type, n.type, n.type, n.type}))
      k.store(word);
    k.check();
  }
}
