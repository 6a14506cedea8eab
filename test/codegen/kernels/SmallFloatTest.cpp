// arith and math on floats of up to 16 bits: casts, and exact arithmetic on
// tiles and scalars.
#include "EdgeValues.h"
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using std::to_string;

static const char *const kFloats[] = {
    "f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f8E8M0FNU"};
static const char *const kIntegers[] = {"i4", "i8", "i16", "i32", "i64"};

static void castAll(const std::string &op, const std::string &from,
                    const std::string &to, const std::vector<uint64_t> &bits) {
  KernelText k;
  Value x = k.load(tile(from, {int64_t(bits.size())}), {.bits = bits});
  k.store(k.op(op + " : %0 to %r", {x}, x.type.of(to)));
  k.check();
}

TEST_CASE("small floats: extf and truncf") {
  for (const char *from : kFloats)
    for (const char *to : kFloats) {
      std::vector<uint64_t> bits = edgeBits(from, to);
      if (widthOf(from) < widthOf(to))
        castAll("arith.extf $0", from, to, bits);
      if (widthOf(from) <= widthOf(to))
        continue;
      castAll("arith.truncf $0", from, to, bits);
      for (const char *rounding : {" to_nearest_even", " downward", " upward",
                                   " toward_zero", " to_nearest_away"})
        castAll("arith.truncf $0" + std::string(rounding), from, to, bits);
    }
}

TEST_CASE("small floats: scaling_extf and scaling_truncf") {
  for (const char *from : kFloats)
    for (const char *to : kFloats)
      for (const char *by : {"f8E8M0FNU", "f16"}) {
        int widths = widthOf(from) - widthOf(to);
        if (widths == 0)
          continue;
        std::vector<uint64_t> bits = edgeBits(from, to), scales;
        for (uint64_t bit : edgeBits(by, "f8E8M0FNU"))
          scales.insert(scales.begin(), bit);
        scales.resize(bits.size(), scales[0]);
        KernelText k;
        Value x = k.load(tile(from, {int64_t(bits.size())}), {.bits = bits});
        Value y = k.load(x.type.of(by), {.bits = scales});
        if (widths < 0)
          k.store(k.op("arith.scaling_extf $0, $1 : %0, %1 to %r", {x, y},
                       x.type.of(to)));
        for (const char *rounding : {"", "downward", "to_nearest_away"})
          if (widths > 0)
            k.store(k.op("arith.scaling_truncf $0, $1 " +
                             std::string(rounding) + " : %0, %1 to %r",
                         {x, y}, x.type.of(to)));
        k.check();
      }
}

TEST_CASE("small floats: from integers and to integers") {
  for (const char *type : kFloats)
    for (std::string integer : kIntegers) {
      castAll("arith.sitofp $0", integer, type, edgeBits(integer, type));
      castAll("arith.uitofp $0", integer, type, edgeBits(integer, type));
      std::vector<uint64_t> bits = edgeBits(type, integer);
      castAll("arith.fptosi $0", type, integer,
              inRange(bits, type, widthOf(integer), false));
      castAll("arith.fptoui $0", type, integer,
              inRange(bits, type, widthOf(integer), true));
    }
}

/// All numbers of 16 bits, 256 a program.
TEST_CASE("small floats: bitcasts of bf16 to f16") {
  KernelText k;
  k.grid = "s0 ceildiv 256";
  k.line("%i = tile.program_id");
  Value from = k.argument("!tile.view<65536xbf16>", {.bits = allBits(16)});
  Value to = k.argument("!tile.view<65536xf16>");
  Value x = k.op("tile.load $0[%i] : %0 -> %r", {from}, tile("bf16", {256}));
  Value y = k.op("arith.bitcast $0 : %0 to %r", {x}, tile("f16", {256}));
  k.effect("tile.store $0, $1[%i] : %0, %1", {y, to});
  k.check();
}

TEST_CASE("small floats: bitcasts") {
  for (const char *type : {"f16", "bf16", "f8E4M3FN", "f8E5M2", "f8E8M0FNU",
                           "f4E2M1FN", "f32", "f64"}) {
    std::string integer = "i" + to_string(widthOf(type));
    castAll("arith.bitcast $0", type, integer, edgeBits(type, type));
    castAll("arith.bitcast $0", integer, type, edgeBits(integer, type));
  }
  castAll("arith.bitcast $0", "f8E5M2", "f8E4M3FN", allBits(8));
}

static const char *const kSmall[] = {"f8E4M3FN", "f8E5M2", "f4E2M1FN", "f16",
                                     "bf16"};

/// Applies `ops` to pairs: all of the types of 4 bits, many of those of 8
/// bits, edges of those of 16. `%r` is the result's type, the tile's own or
/// i1.
static void pairs(const std::string &type, const std::vector<std::string> &ops,
                  bool isPredicate = false) {
  std::vector<uint64_t> bits = edgeBits(type, type);
  int64_t size = bits.size(), programs = widthOf(type) == 8 ? 64 : 16;
  std::vector<uint64_t> twice = bits;
  twice.insert(twice.end(), bits.begin(), bits.end());
  KernelText k;
  TileType tileType = tile(type, {size});
  k.line("%i = tile.program_id");
  Value x = k.load(tileType, {.bits = bits});
  Value view = k.argument(
      "!tile.view<" + to_string(2 * size) + "x" + type + ">", {.bits = twice});
  k.line("%n = arith.constant " + to_string(size / programs) +
         " : index\n%o = arith.muli %i, %n : index");
  Value y = k.op("tile.load $0 at [%o] : %0 -> %r", {view}, tileType);
  for (const std::string &op : ops) {
    TileType result = isPredicate ? tileType.of("i1") : tileType;
    Value out = k.argument("!tile.view<" + to_string(programs) + "x" +
                           result.body() + ">");
    Value r = k.op(op, {x, y}, result);
    TileType row = result;
    row.shape.insert(row.shape.begin(), 1);
    Value flat = k.op("tile.reshape $0 : %0 -> %r", {r}, row);
    k.effect("tile.store $0, $1[%i, %c0] : %0, %1", {flat, out});
  }
  k.grid = to_string(programs);
  k.check();
}

TEST_CASE("small floats: arithmetic") {
  for (const char *type : kSmall)
    for (const char *op :
         {"arith.addf", "arith.subf", "arith.mulf", "arith.divf",
          "arith.maximumf", "arith.minimumf", "math.copysign"})
      pairs(type, {op + std::string(" $0, $1 : %r")});
}

TEST_CASE("small floats: the sign of another") {
  for (const char *type : kSmall) {
    // The sign of a NaN is not said.
    std::vector<uint64_t> bits =
        inRange(edgeBits(type, type), type, 1000, false);
    TileType t = tile(type, {int64_t(bits.size())});
    KernelText k;
    Value x = k.load(t, {.bits = bits});
    std::reverse(bits.begin(), bits.end());
    k.store(
        k.op("math.copysign $0, $1 : %r", {x, k.load(t, {.bits = bits})}, t));
    k.check();
  }
}

TEST_CASE("floats: remainders of any quotient") {
  for (const char *type : {"f32", "f64"})
    pairs(type, {"arith.remf $0, $1 : %r"});
}

TEST_CASE("small floats: remainders, maxima of numbers") {
  for (const char *type : kSmall) {
    pairs(type, {"arith.remf $0, $1 : %r"});
    // Of zeros of both signs either may be the maximum: there are none. The
    // result for a signaling NaN is unspecified.
    for (const char *op : {"arith.maxnumf", "arith.minnumf"}) {
      KernelText k;
      std::vector<uint64_t> bits =
          withoutZerosAndSignals(edgeBits(type, type), type);
      std::vector<uint64_t> reversed(bits.rbegin(), bits.rend());
      TileType t = tile(type, {int64_t(bits.size())});
      k.store(k.op(op + std::string(" $0, $1 : %r"),
                   {k.load(t, {.bits = bits}), k.load(t, {.bits = reversed})},
                   t));
      k.check();
    }
  }
}

TEST_CASE("small floats: comparisons and selections") {
  for (const char *type : kSmall) {
    std::vector<std::string> all;
    for (const char *predicate :
         {"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge",
          "ult", "ule", "une", "uno"})
      all.push_back("arith.cmpf " + std::string(predicate) + ", $0, $1 : %0");
    pairs(type, all, true);
    KernelText k;
    TileType t = tile(type, {35});
    Value a = k.load(t, {.anyBits = true}), b = k.load(t, {.anyBits = true});
    Value c = k.op("arith.cmpf olt, $0, $1 : %0", {a, b}, t.of("i1"));
    k.store(k.op("arith.select $0, $1, $2 : %0, %r", {c, a, b}, t));
    k.check();
  }
}

TEST_CASE("small floats: one operand") {
  for (const char *type : kSmall) {
    std::vector<uint64_t> bits = edgeBits(type, type);
    KernelText k;
    Value x = k.load(tile(type, {int64_t(bits.size())}), {.bits = bits});
    for (const char *op : {"arith.negf", "math.absf", "math.ceil", "math.floor",
                           "math.trunc", "math.round", "math.roundeven"})
      k.store(k.op(op + std::string(" $0 : %r"), {x}, x.type));
    k.check();
  }
}

TEST_CASE("small floats: a fused product and sum rounds once") {
  for (const char *type : kSmall)
    for (uint64_t seed : {1, 2, 3}) {
      KernelText k;
      TileType t = tile(type, {400});
      Value a = k.load(t, {.anyBits = true}), b = k.load(t, {.anyBits = true}),
            c = k.load(t, {.anyBits = true});
      k.store(k.op("math.fma $0, $1, $2 : %r", {a, b, c}, t));
      Value near = k.load(t), next = k.load(t), sum = k.load(t);
      k.store(k.op("math.fma $0, $1, $2 : %r", {near, next, sum}, t));
      k.check({}, seed);
    }
}

TEST_CASE("small floats: each step of a chain is rounded") {
  for (const char *type : kSmall) {
    KernelText k;
    TileType t = tile(type, {77});
    Value a = k.load(t), b = k.load(t), sum = a;
    for (int i = 0; i < 5; ++i) {
      Value p = k.op("arith.mulf $0, $1 : %r", {sum, b}, t);
      sum = k.op("arith.addf $0, $1 : %r", {p, a}, t);
      sum = k.op("arith.divf $0, $1 : %r", {sum, b}, t);
    }
    k.store(sum);
    k.check();
  }
}

TEST_CASE("small floats: powers of two") {
  const char *type = "f8E8M0FNU";
  for (const char *op : {"arith.mulf", "arith.divf", "arith.addf",
                         "arith.maximumf", "arith.minimumf"})
    pairs(type, {op + std::string(" $0, $1 : %r")});
  pairs(type, {"arith.cmpf olt, $0, $1 : %0", "arith.cmpf une, $0, $1 : %0"},
        true);
}

TEST_CASE("small floats: scalars and constants") {
  for (const char *type : {"f8E4M3FN", "f8E5M2", "f4E2M1FN", "f16", "bf16"}) {
    KernelText k;
    Value t = k.load(tile(type, {2}), {.values = {1.5, -2}});
    TileType s = scalar(type);
    Value a = k.op("tile.extract $0[%c0] : %0", {t}, s);
    Value b = k.op("tile.extract $0[%c1] : %0", {t}, s);
    Value half = k.constant("0.5", s);
    for (const char *op : {"arith.addf", "arith.mulf", "arith.subf",
                           "arith.divf", "arith.maximumf"})
      k.store(k.op(op + std::string(" $0, $1 : %r"), {a, b}, s));
    k.store(k.op("math.fma $0, $1, $2 : %r", {a, b, half}, s));
    Value c = k.op("arith.cmpf olt, $0, $1 : %0", {a, b}, scalar("i1"));
    k.store(k.op("arith.select $0, $1, $2 : %1", {c, a, b}, s));
    k.store(k.op("arith.extf $0 : %0 to %r", {half}, scalar("f32")));
    k.store(k.op("arith.negf $0 : %r", {half}, s));
    Value d = k.constant("[0.5, 3.0, -1.5]", tile(type, {3}));
    k.store(k.op("arith.addf $0, $0 : %r", {d}, d.type));
    k.check();
  }
}
