// Ops that make tiles and move their elements.
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using std::to_string;

static const char *const kTypes[] = {
    "i1",   "i4",  "i8",  "i16",      "i32",    "i64",       "index",   "f16",
    "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN"};
static const Input kAny = {.anyBits = true};

/// Checks `op` on one tile of `source` type, for each element type.
static void moves(std::vector<int64_t> source, const std::string &op,
                  std::vector<int64_t> result) {
  for (const char *type : kTypes) {
    KernelText k;
    k.store(k.op(op + " : %0 -> %r", {k.load(tile(type, source), kAny)},
                 tile(type, result)));
    k.check();
  }
}

TEST_CASE("shape: slices") {
  moves({40}, "tile.slice $0 [3]", {33});
  moves({40}, "tile.slice $0 [1] step [2]", {17});
  moves({40}, "tile.slice $0 [2] step [7]", {5});
  moves({40}, "tile.slice $0 [39]", {1});
  moves({5, 20}, "tile.slice $0 [1, 2]", {3, 17});
  moves({5, 20}, "tile.slice $0 [0, 1] step [2, 3]", {3, 6});
  moves({9, 7}, "tile.slice $0 [2, 0] step [3, 1]", {3, 7});
  moves({3, 4, 9}, "tile.slice $0 [1, 0, 1] step [1, 3, 2]", {2, 2, 4});
}

TEST_CASE("shape: concatenation") {
  for (const char *type : kTypes)
    for (int axis : {0, 1, 2}) {
      KernelText k;
      TileType a = tile(type, {3, 5, 4});
      std::vector<Value> parts;
      int64_t sum = 0;
      for (int64_t size : {5, 1, 7}) {
        parts.push_back(k.load(a.withSize(axis, size), kAny));
        sum += size;
      }
      k.store(k.op("tile.concat $0, $1, $2 axis " + to_string(axis) +
                       " : %0, %1, %2 -> %r",
                   parts, a.withSize(axis, sum)));
      k.store(
          k.op("tile.concat $0, $0 axis " + to_string(axis) + " : %0, %0 -> %r",
               {parts[0]}, a.withSize(axis, 10)));
      k.store(k.op("tile.concat $0 axis " + to_string(axis) + " : %0 -> %r",
                   {parts[2]}, parts[2].type));
      k.check();
    }
}

TEST_CASE("shape: a long concatenation of short tiles") {
  KernelText k;
  TileType one = tile("f32", {1}), row = tile("f32", {0});
  Value all = k.load(one);
  for (int i = 1; i < 20; ++i)
    all = k.op("tile.concat $0, $1 axis 0 : %0, %1 -> %r",
               {all, k.load(one.withSize(0, i % 3 + 1))},
               one.withSize(0, all.type.shape[0] + i % 3 + 1));
  k.store(all);
  k.check();
}

TEST_CASE("shape: join and split") {
  for (const char *type : kTypes)
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{}, {1}, {33}, {3, 7}}) {
      KernelText k;
      TileType part = tile(type, shape), whole = part;
      whole.shape.push_back(3);
      Value a = k.load(part, kAny), b = k.load(part, kAny);
      Value c = k.op("tile.join $0, $1, $0 : %0, %1, %0 -> %r", {a, b}, whole);
      k.store(c);
      std::vector<Value> parts =
          k.ops("tile.split $0 : %0 -> %r, %r, %r", {k.load(whole, kAny)},
                {part, part, part});
      // One of them is not used.
      k.store(parts[2]);
      k.store(parts[0]);
      std::vector<Value> back =
          k.ops("tile.split $0 : %0 -> %r, %r, %r", {c}, {part, part, part});
      k.store(back[1]);
      TileType single = part;
      single.shape.push_back(1);
      k.store(k.op("tile.join $0 : %0 -> %r", {b}, single));
      k.store(k.op("tile.split $0 : %0 -> %r", {k.load(single, kAny)}, part));
      k.check();
    }
}

TEST_CASE("shape: extract") {
  for (const char *type : kTypes) {
    KernelText k;
    Value row = k.argument("index", {.scalar = 2});
    Value t = k.load(tile(type, {3, 17}), kAny);
    k.store(k.op("tile.extract $0[$1, %c3] : %0", {t, row}, scalar(type)));
    Value u =
        k.op("tile.transpose $0 [1, 0] : %0 -> %r", {t}, tile(type, {17, 3}));
    Value x = k.op("tile.extract $0[%c3, $1] : %0", {u, row}, scalar(type));
    k.store(k.op("tile.splat $0 : %0 -> %r", {x}, tile(type, {2, 5})));
    Value zero = k.load(tile(type, {}), kAny);
    k.store(k.op("tile.extract $0[] : %0", {zero}, scalar(type)));
    k.check();
  }
}

TEST_CASE("shape: an extracted element steers the program") {
  KernelText k;
  Value t = k.load(tile("i32", {9}), {.values = {2, 0, 1, 5, 3}});
  Value n = k.op("tile.extract $0[%c3] : %0", {t}, scalar("i32"));
  Value i = k.op("arith.index_cast $0 : %0 to %r", {n}, scalar("index"));
  k.line("%sum = scf.for %j = %c0 to " + i.name +
         " step %c1 iter_args(%s = " + t.name + ") -> (tensor<9xi32>) {");
  Value e = k.op("tile.extract $0[%j] : %0", {{"%s", t.type}}, scalar("i32"));
  Value b = k.op("tile.splat $0 : %0 -> %r", {e}, t.type);
  Value s = k.op("arith.addi %s, $0 : %r", {b}, t.type);
  k.line("scf.yield " + s.name + " : tensor<9xi32>\n}");
  k.store({"%sum", t.type});
  k.check();
}

static const char *const kIndices[] = {"i8", "i16", "i32", "i64", "index"};

TEST_CASE("shape: gathers along each axis") {
  for (const char *type :
       {"i1", "i4", "i8", "i64", "bf16", "f32", "f64", "f8E5M2"})
    for (const char *index : kIndices)
      for (int axis : {0, 1, 2}) {
        KernelText k;
        TileType source = tile(type, {3, 5, 17}), picks = source.of(index);
        picks.shape[axis] = 7;
        Value t = k.load(source, kAny);
        Value i = k.load(picks, {.low = 0, .high = double(source.shape[axis])});
        k.store(k.op("tile.gather $0, $1 axis " + to_string(axis) +
                         " : %0, %1 -> %r",
                     {t, i}, picks.of(type)));
        k.checkOneIn(3);
      }
}

TEST_CASE("shape: gathers from computed tiles by computed indices") {
  for (const char *index : kIndices) {
    KernelText k;
    TileType row = tile("f32", {33});
    Value t = k.load(row);
    Value n = k.op("arith.negf $0 : %r", {t}, row);
    Value iota = k.op("tile.iota : %r", {}, row.of(index));
    Value last = k.constant("32", row.of(index));
    Value back = k.op("arith.subi $0, $1 : %r", {last, iota}, row.of(index));
    Value g = k.op("tile.gather $0, $1 axis 0 : %0, %1 -> %r", {n, back}, row);
    k.store(k.op("tile.gather $0, $1 axis 0 : %0, %1 -> %r", {g, back}, row));
    k.store(g);
    k.check();
  }
  // The negative i8 -1 is outside, the greatest index is 127.
  KernelText k;
  Value t = k.load(tile("i16", {200}));
  Value i = k.load(tile("i8", {40}), {.low = 0, .high = 128});
  k.store(k.op("tile.gather $0, $1 axis 0 : %0, %1 -> %r", {t, i},
               tile("i16", {40})));
  k.check();
}

TEST_CASE("shape: iota and splat") {
  for (const char *type : {"i4", "i8", "i16", "i32", "i64", "index"})
    for (int64_t size : {1, 2, 3, 7, 16, 33, 96, 200}) {
      std::string name = type;
      if ((name == "i4" && size > 16))
        continue;
      KernelText k;
      k.store(k.op("tile.iota : %r", {}, tile(type, {size})));
      k.check();
    }
  KernelText k;
  k.store(k.op("tile.iota : %r", {}, tile("i1", {2})));
  k.store(k.op("tile.iota : %r", {}, tile("i8", {256})));
  k.check();
  for (const char *type : kTypes) {
    std::string name = type;
    KernelText s;
    Value e = s.op("tile.extract $0[%c1] : %0", {s.load(tile(type, {3}), kAny)},
                   scalar(type));
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{}, {1}, {33}, {3, 2, 5}})
      s.store(s.op("tile.splat $0 : %0 -> %r", {e}, tile(type, shape)));
    s.check();
  }
}
