// Lanes that no store keeps may hold poison: quotients by the zeros of padding,
// shifts by too much, numbers that fit no integer. They end no program and
// change no other lane. (docs/spec.md, "Values, poison and faults")
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using std::to_string;

static const char *const kDivisions[] = {
    "divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi"};
static const char *const kIntegers[] = {"i8", "i16", "i32", "i64", "index"};

namespace {
/// A kernel whose tiles reach beyond the edge of its views.
struct Ragged : KernelText {
  static constexpr int64_t kTile = 32, kThere = 13;

  Value loadPadded(const std::string &element, Input input,
                   const std::string &pad) {
    if (element == "index")
      return op("arith.index_cast $0 : %0 to %r",
                {loadPadded("i64", std::move(input), pad)},
                tile("index", {kTile}));
    input.dims = {kThere};
    Value view = argument("!tile.view<?x" + element + ">", std::move(input));
    return op("tile.load $0[%c0] pad " + pad + " : %0 -> %r", {view},
              tile(element, {kTile}));
  }
  void storeRagged(const Value &value) {
    if (value.type.element == "index")
      return storeRagged(
          op("arith.index_cast $0 : %0 to %r", {value}, value.type.of("i64")));
    Value view = argument("!tile.view<?x" + value.type.element + ">",
                          {.dims = {kThere}});
    effect("tile.store $0, $1[%c0] : %0, %1", {value, view});
  }
};
} // namespace

static double leastOf(const std::string &element) {
  return -std::ldexp(1.0, widthOf(element) - 1);
}

TEST_CASE("poison: padding divides by padding") {
  for (std::string op : kDivisions)
    for (std::string type : kIntegers) {
      Ragged k;
      Value x = k.loadPadded(type, {.low = -100, .high = 100}, "0");
      Value y = k.loadPadded(type, {.values = {1, 3, -2, 7, 2}}, "0");
      k.storeRagged(k.op("arith." + op + " $0, $1 : %r", {x, y}, x.type));
      k.check();
    }
}

TEST_CASE("poison: the least integer by -1 wraps") {
  for (std::string op : kDivisions)
    for (std::string type : kIntegers) {
      KernelText k;
      TileType t = tile(type, {12});
      double least = leastOf(type);
      Value x = k.load(t, {.values = {least, 5, least, -7}});
      Value y = k.load(t, {.values = {-1, -1, 1, -1, 3, -2}});
      k.store(k.op("arith." + op + " $0, $1 : %r", {x, y}, t));
      Value minusOne = k.constant("-1", t);
      k.store(k.op("arith." + op + " $0, $1 : %r", {x, minusOne}, t));
      k.check();
    }
}

/// By one bit there are the divisors 1 (that is -1 with a sign) and 0.
TEST_CASE("poison: integers of one bit divide") {
  for (std::string op : kDivisions) {
    KernelText k;
    TileType t = tile("i1", {12});
    Value x = k.load(t, {.values = {0, 1, 1}});
    Value y = k.load(t, {.values = {1, 1, 0, 1}});
    Value q = k.op("arith." + op + " $0, $1 : %r", {x, y}, t);
    k.store(k.op("arith.select $0, $1, $2 : %0, %r", {y, q, x}, t));
    k.check();
  }
}

/// LLVM assumes that 1 << s is not 0: otherwise s is too large, and it is
/// poison.
TEST_CASE("poison: a divisor that is poison is no zero either") {
  for (std::string op : kDivisions)
    for (std::string type : kIntegers) {
      Ragged k;
      std::string width = to_string(widthOf(type));
      Value x = k.loadPadded(type, {.low = -100, .high = 100}, "0");
      Value s = k.loadPadded(type, {.values = {0, 1, 2, 3}}, width);
      Value y =
          k.op("arith.shli $0, $1 : %r", {k.constant("1", x.type), s}, x.type);
      k.storeRagged(k.op("arith." + op + " $0, $1 : %r", {x, y}, x.type));
      k.check();
    }
}

TEST_CASE("poison: a select drops quotients by zero") {
  for (std::string op : kDivisions)
    for (std::string type : kIntegers) {
      KernelText k;
      TileType t = tile(type, {24});
      Value x = k.load(t, {.low = -100, .high = 100});
      Value y = k.load(t, {.values = {0, 3, -2, 0, 7}});
      Value zero = k.constant("0", t);
      Value q = k.op("arith." + op + " $0, $1 : %r", {x, y}, t);
      Value is = k.op("arith.cmpi ne, $0, $1 : %0", {y, zero}, t.of("i1"));
      Value kept = k.op("arith.select $0, $1, $2 : %0, %r", {is, q, zero}, t);
      k.store(kept);
      k.store(k.op("tile.reduce $0 axis 0 {\n^bb0(%l: " + type + ", %n: " +
                       type + "):\n%s = arith.addi %l, %n : " + type +
                       "\ntile.yield %s : " + type + "\n} : %0 -> %r",
                   {kept}, tile(type, {})));
      k.check();
    }
}

TEST_CASE("poison: a scalar divides by zero where nothing depends on it") {
  for (std::string op : kDivisions) {
    KernelText k;
    Value x = k.argument("i32", {.scalar = -7});
    Value y = k.argument("i32", {.scalar = 0});
    Value zero = k.constant("0", scalar("i32"));
    Value q = k.op("arith." + op + " $0, $1 : i32", {x, y}, x.type);
    Value is = k.op("arith.cmpi ne, $0, $1 : i32", {y, zero}, scalar("i1"));
    k.store(k.op("arith.select $0, $1, $2 : i32", {is, q, x}, x.type));
    k.check();
  }
}

TEST_CASE("poison: padding shifts by too much") {
  for (std::string op : {"shli", "shrsi", "shrui"})
    for (std::string type : kIntegers) {
      Ragged k;
      Value x = k.loadPadded(type, {.low = -100, .high = 100}, "1");
      Value s = k.loadPadded(type, {.values = {0, 1, 5, 7}}, "100");
      k.storeRagged(k.op("arith." + op + " $0, $1 : %r", {x, s}, x.type));
      k.check();
    }
}

TEST_CASE("poison: padding fits no integer") {
  for (std::string pad : {"nan", "inf", "-inf", "1.0e+30"})
    for (std::string type : {"i8", "i16", "i32", "i64"}) {
      Ragged k;
      Value x = k.loadPadded("f32", {.low = 0, .high = 100}, pad);
      TileType to = x.type.of(type);
      k.storeRagged(k.op("arith.fptosi $0 : %0 to %r", {x}, to));
      k.storeRagged(k.op("arith.fptoui $0 : %0 to %r", {x}, to));
      k.storeRagged(k.op("tile.convert $0 rounding down : %0 -> %r", {x}, to));
      k.check();
    }
}

TEST_CASE("poison: padding is the index of no element") {
  Ragged k;
  TileType t = tile("f32", {Ragged::kTile});
  Value x = k.load(t);
  Value far = k.loadPadded("i32", {.low = 0, .high = 12}, "-1000000");
  k.storeRagged(k.op("tile.gather $0, $1 axis 0 : %0, %1 -> %r", {x, far}, t));
  Value s = k.loadPadded("i32", {.values = {0, 1, 2, 3, 4}}, "40");
  Value at =
      k.op("arith.shli $0, $1 : %r", {k.constant("1", s.type), s}, s.type);
  k.storeRagged(k.op("tile.gather $0, $1 axis 0 : %0, %1 -> %r", {x, at}, t));
  k.check();
}

TEST_CASE("poison: a remainder of floats ends") {
  for (std::string type : {"f32", "f64"}) {
    Ragged k;
    Value x = k.loadPadded(type, {.low = -100, .high = 100}, "inf");
    Value y = k.loadPadded(type, {.low = 1, .high = 5}, "0.0");
    k.storeRagged(k.op("arith.remf $0, $1 : %r", {x, y}, x.type));
    k.check();
  }
}
