// tile.reduce, tile.scan, tile.histogram.
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using std::to_string;

static const char *const kIntegers[] = {"i1", "i4", "i8", "i16", "i32", "i64"};
static const std::vector<int64_t> kShapes[] = {
    {1}, {3}, {7}, {33}, {96}, {1, 5}, {5, 1}, {7, 17}, {3, 5, 9}};

/// The region that combines two elements by one op.
static std::string combiner(const std::string &op, const std::string &type) {
  return " {\n^bb0(%l: " + type + ", %r0: " + type + "):\n%q = " + op +
         " %l, %r0 : " + type + "\ntile.yield %q : " + type + "\n}";
}

static TileType without(TileType type, int axis) {
  type.shape.erase(type.shape.begin() + axis);
  return type;
}

/// Checks a reduce and both scans of every `step`th shape from `first` on,
/// along each axis.
static void checkAll(const std::string &op, const std::string &type,
                     Tolerance tolerance, Input input, size_t first = 0,
                     size_t step = 2) {
  for (size_t i = first; i < std::size(kShapes); i += step)
    for (size_t axis = 0; axis < kShapes[i].size(); ++axis) {
      const std::vector<int64_t> &shape = kShapes[i];
      KernelText k;
      Value x = k.load(tile(type, shape), input);
      std::string at = " axis " + to_string(axis),
                  region = combiner(op, type) + " : %0 -> %r";
      k.store(k.op("tile.reduce $0" + at + region, {x}, without(x.type, axis)));
      k.store(k.op("tile.scan $0" + at + region, {x}, x.type));
      k.store(k.op("tile.scan $0" + at + " reverse" + region, {x}, x.type));
      k.checkOneIn(3, tolerance);
    }
}

TEST_CASE("reduce and scan: integers") {
  size_t turn = 0;
  for (const char *type : kIntegers)
    for (const char *op : {"arith.addi", "arith.muli", "arith.maxsi",
                           "arith.minsi", "arith.maxui", "arith.minui",
                           "arith.andi", "arith.ori", "arith.xori"})
      checkAll(op, type, {}, {.anyBits = true}, turn++ % 5, 5);
  checkAll("arith.addi", "i32", {}, {.anyBits = true}, 0, 1);
  checkAll("arith.addi", "index", {}, {.anyBits = true});
}

TEST_CASE("reduce and scan: float sums and products") {
  checkAll("arith.addf", "f64", {0, 1e-12}, {});
  checkAll("arith.addf", "f32", {0, 1e-4}, {});
  // The accumulator may be wider than the type: 96 additions of half a unit.
  checkAll("arith.addf", "f16", {0, 2}, {});
  checkAll("arith.addf", "bf16", {0, 16}, {});
  checkAll("arith.mulf", "f32", {96, 0}, {.low = 0.9, .high = 1.1});
  checkAll("arith.mulf", "f64", {96, 0}, {.low = -1.1, .high = -0.9});
  // Small integers: these sums are exact in any order.
  for (const char *type : {"f16", "bf16", "f32", "f64"})
    checkAll("arith.addf", type, {}, {.values = {1, 2, 0, -3, 1, 4, -2}});
}

// Rows of so many vectors are reduced in chains that do not wait for each
// other.
TEST_CASE("reduce: long rows that are loaded") {
  for (int64_t length : {127, 128, 129, 200, 391})
    for (auto [op, type] :
         {std::pair("arith.addi", "i32"), std::pair("arith.maxsi", "i8"),
          std::pair("arith.maximumf", "f32"),
          std::pair("arith.minimumf", "f64")}) {
      KernelText k;
      Value x = k.load(tile(type, {2, length}), {.anyBits = true});
      k.store(k.op("tile.reduce $0 axis 1" + combiner(op, type) + " : %0 -> %r",
                   {x}, tile(type, {2})));
      k.check();
    }
}

TEST_CASE("reduce and scan: float maxima and minima are exact") {
  for (const char *type : {"f16", "bf16", "f32", "f64"})
    for (const char *op : {"arith.maximumf", "arith.minimumf", "arith.maxnumf",
                           "arith.minnumf"}) {
      checkAll(op, type, {}, {});
      if (std::string(op).find("num") == std::string::npos)
        checkAll(op, type, {},
                 {.values = {0, -0.0, 1, -INFINITY, -0.0, NAN, 2, INFINITY}});
    }
}

/// The index and the value of the first maximum.
static const char *const kArgMax = R"( {
^bb0(%l: f32, %li: i32, %g: f32, %gi: i32):
  %gt = arith.cmpf ogt, %l, %g : f32
  %eq = arith.cmpf oeq, %l, %g : f32
  %before = arith.cmpi slt, %li, %gi : i32
  %tie = arith.andi %eq, %before : i1
  %take = arith.ori %gt, %tie : i1
  %v = arith.select %take, %l, %g : f32
  %w = arith.select %take, %li, %gi : i32
  tile.yield %v, %w : f32, i32
} : %0, %1 -> )";

/// A tile whose elements are their own indices along the axis.
static Value indices(KernelText &k, const std::vector<int64_t> &shape,
                     size_t axis) {
  std::vector<int64_t> ones(shape.size(), 1);
  ones[axis] = shape[axis];
  Value line = k.op("tile.iota : %r", {}, tile("i32", {shape[axis]}));
  Value r = k.op("tile.reshape $0 : %0 -> %r", {line}, tile("i32", ones));
  return k.op("tile.broadcast $0 : %0 -> %r", {r}, tile("i32", shape));
}

TEST_CASE("reduce and scan: the place of the maximum") {
  for (const std::vector<int64_t> &shape : kShapes)
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (std::string op : {"reduce", "scan", "scan reverse"}) {
        KernelText k;
        Value x = k.load(tile("f32", shape),
                         {.values = {1, 3, -2, 3, 0.5, 3, 2, 3.5, 1, 3.5, -7}});
        Value i = indices(k, shape, axis);
        TileType v = op == "reduce" ? without(x.type, axis) : x.type;
        std::string at = " axis " + to_string(axis) +
                         (op == "scan reverse" ? " reverse" : "");
        std::vector<Value> found =
            k.ops("tile." + op.substr(0, op.find(' ')) + " $0, $1" + at +
                      kArgMax + "%r, " + v.of("i32").str(),
                  {x, i}, {v, v.of("i32")});
        k.store(found[1]);
        if (op != "scan reverse") // There the value is not used.
          k.store(found[0]);
        k.check();
      }
}

TEST_CASE("reduce and scan: a region with constants, values from outside") {
  for (const std::vector<int64_t> &shape : kShapes)
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      KernelText k;
      Value limit = k.argument("i32", {.scalar = 40});
      Value x = k.load(tile("i32", shape), {.low = -9, .high = 20});
      // Sums that stop at a limit; the numbers are made positive first.
      Value zero = k.constant("0", x.type);
      Value y = k.op("arith.maxsi $0, $1 : %r", {x, zero}, x.type);
      std::string region = " axis " + to_string(axis) +
                           " {\n^bb0(%l: i32, %g: i32):\n"
                           "%k = arith.constant 1000 : i32\n"
                           "%s = arith.addi %l, %g : i32\n"
                           "%c = arith.cmpi sgt, %s, $1 : i32\n"
                           "%m = arith.select %c, $1, %s : i32\n"
                           "%n = arith.minsi %m, %k : i32\n"
                           "tile.yield %n : i32\n} : %0 -> %r";
      k.store(
          k.op("tile.reduce $0" + region, {y, limit}, without(x.type, axis)));
      k.store(k.op("tile.scan $0" + region, {y, limit}, x.type));
      k.check();
    }
}

/// (a, b) then (c, d) is (a * c, b * c + d): associative, not commutative.
static const char *const kAffine = R"( {
^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
  %ac = arith.muli %a, %c : i32
  %bc = arith.muli %b, %c : i32
  %bcd = arith.addi %bc, %d : i32
  tile.yield %ac, %bcd : i32, i32
} : %0, %1 -> %0, %1)";

TEST_CASE("scan keeps the order of its elements") {
  for (const std::vector<int64_t> &shape : kShapes)
    for (size_t axis = 0; axis < shape.size(); ++axis)
      for (const char *reverse : {"", " reverse"}) {
        KernelText k;
        Value a = k.load(tile("i32", shape), {.anyBits = true});
        Value b = k.load(tile("i32", shape), {.anyBits = true});
        for (const Value &v : k.ops("tile.scan $0, $1 axis " + to_string(axis) +
                                        reverse + kAffine,
                                    {a, b}, {a.type, b.type}))
          k.store(v);
        k.check();
      }
}

TEST_CASE("scan keeps the order of what warps hold in rounds") {
  for (int64_t size : {1000, 1024, 4096})
    for (const char *reverse : {"", " reverse"}) {
      KernelText k;
      Value a = k.load(tile("i32", {size}), {.anyBits = true});
      Value b = k.load(tile("i32", {size}), {.anyBits = true});
      for (const Value &v :
           k.ops(std::string("tile.scan $0, $1 axis 0") + reverse + kAffine,
                 {a, b}, {a.type, b.type}))
        k.store(v);
      k.check();
    }
}

TEST_CASE("reduce and scan of each other, of transposes and in loops") {
  KernelText k;
  TileType t = tile("i32", {7, 19});
  Value x = k.load(t, {.anyBits = true});
  Value u =
      k.op("tile.transpose $0 [1, 0] : %0 -> %r", {x}, tile("i32", {19, 7}));
  std::string add = combiner("arith.addi", "i32");
  k.line("%loop = scf.for %i = %c0 to %c3 step %c1 iter_args(%z = " + u.name +
         ") -> (" + u.type.str() + ") {");
  Value s = k.op("tile.scan %z axis 0" + add + " : %r -> %r", {}, u.type);
  Value m = k.op("tile.reduce $0 axis 1" + combiner("arith.maxsi", "i32") +
                     " : %0 -> %r",
                 {s}, tile("i32", {19}));
  Value c = k.op("tile.reshape $0 : %0 -> %r", {m}, tile("i32", {19, 1}));
  Value b = k.op("tile.broadcast $0 : %0 -> %r", {c}, u.type);
  Value d = k.op("arith.subi $0, $1 : %r", {s, b}, u.type);
  k.line("scf.yield " + d.name + " : " + u.type.str() + "\n}");
  k.store({"%loop", u.type});
  k.store(k.op("tile.reduce %loop axis 0" + add + " : %0 -> %r", {u},
               tile("i32", {7})));
  k.check();
}

TEST_CASE("reduce: tiles that end within what the first warp holds") {
  // The slice keeps the places of a tile four times as long.
  for (const char *type : {"f64", "i16"})
    for (int64_t size : {5, 16, 33}) {
      KernelText k;
      const bool isFloat = type[0] == 'f';
      Value x = k.load(tile(type, {8, 64}), {.low = -9, .high = 9});
      Value joined = k.op("tile.join $0, $0, $0 : %0, %0, %0 -> %r", {x},
                          tile(type, {8, 64, 3}));
      Value part = k.op("tile.slice $0 [0, 0, 0] : %0 -> %r", {joined},
                        tile(type, {8, size, 3}));
      k.store(
          k.op("tile.reduce $0 axis 1" +
                   combiner(isFloat ? "arith.maximumf" : "arith.addi", type) +
                   " : %0 -> %r",
               {part}, tile(type, {8, 3})));
      k.check();
    }
}

TEST_CASE("histogram") {
  for (const char *type : {"i1", "i4", "i8", "i16", "i32", "i64"})
    for (const std::vector<int64_t> &shape : kShapes)
      for (const char *count : {"i8", "i32", "i64"}) {
        KernelText k;
        Value x = k.load(tile(type, shape), {.low = -3, .high = 12});
        Value m = k.load(tile("i1", shape));
        for (int64_t bins : {1, 7, 9}) {
          k.store(
              k.op("tile.histogram $0 : %0 -> %r", {x}, tile(count, {bins})));
          k.store(k.op("tile.histogram $0 mask $1 : %0 -> %r", {x, m},
                       tile(count, {bins})));
        }
        k.checkOneIn(5);
      }
}
