// Rows that end within a vector. Pointers lead to memory that ends where no
// access is legal, and what is not in a row must not divide.
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using std::to_string;

static const int64_t kWidths[] = {2,  3,  5,  6,  7,  9,  11, 12, 13, 14,
                                  15, 19, 21, 28, 31, 33, 49, 62, 63};

/// A view of all elements at a pointer.
static Value viewAtEnd(KernelText &k, const TileType &type,
                       const Input &input = {}) {
  Input all = input;
  all.dims = {type.count()};
  Value p = k.argument("!tile.ptr<" + type.element + ">", all);
  return k.op("tile.make_view $0 : %0 -> %r", {p},
              scalar("!tile.view<" + type.body() + ">"));
}

static Value loadAtEnd(KernelText &k, const TileType &type,
                       const Input &input = {}) {
  return k.op("tile.load $0" +
                  std::string(type.shape.size() == 1 ? "[%c0]" : "[%c0, %c0]") +
                  " : %0 -> %r",
              {viewAtEnd(k, type, input)}, type);
}

static void storeAtEnd(KernelText &k, const Value &value) {
  k.effect(
      "tile.store $0, $1" +
          std::string(value.type.shape.size() == 1 ? "[%c0]" : "[%c0, %c0]") +
          " : %0, %1",
      {value, viewAtEnd(k, value.type)});
}

TEST_CASE("tails: loads and stores end with their memory") {
  for (std::string type : {"i8", "i16", "bf16", "f32", "f64"})
    for (int64_t width : kWidths) {
      KernelText k;
      TileType t = tile(type, {2, width});
      Value x = loadAtEnd(k, t), y = loadAtEnd(k, t);
      storeAtEnd(k,
                 k.op(std::string(isFloat(type) ? "arith.addf" : "arith.addi") +
                          " $0, $1 : %r",
                      {x, y}, t));
      k.check();
    }
}

TEST_CASE("tails: loads of pointers end with their memory") {
  for (std::string type : {"i8", "f16", "f32", "f64"})
    for (int64_t width : kWidths) {
      KernelText k;
      TileType t = tile(type, {width});
      Value p = k.argument("!tile.ptr<" + type + ">", {.dims = {width}});
      TileType pointers = t.of(p.type.element);
      Value n = k.op("tile.iota : %r", {}, t.of("i64"));
      Value all = k.op("tile.splat $0 : %0 -> %r", {p}, pointers);
      Value at = k.op("tile.offset $0, $1 : %0, %1", {all, n}, pointers);
      k.store(k.op("tile.load_ptr $0 : %0", {at}, t));
      // False for none of the elements.
      Value few = k.constant("100", n.type);
      Value m = k.op("arith.cmpi slt, $0, $1 : %0", {n, few}, t.of("i1"));
      k.store(k.op("tile.load_ptr $0 mask $1 : %0", {at, m}, t));
      k.check();
    }
}

TEST_CASE("tails: what buffers hold ends with its row") {
  for (std::string type : {"i8", "f32", "f64"})
    for (int64_t width : kWidths) {
      KernelText k;
      TileType t = tile(type, {3, width}), wide = tile(type, {3, 2 * width});
      Value x = k.load(t, {.anyBits = true}), y = k.load(t, {.anyBits = true});
      // The rows of the second precede those of the first, one row down.
      Value both =
          k.op("tile.concat $0, $1 axis 1 : %0, %1 -> %r", {x, y}, wide);
      Value at = k.load(tile("i32", {3, width}), {.low = 0, .high = 3});
      k.store(both);
      k.store(k.op("tile.gather $0, $1 axis 0 : %0, %1 -> %r", {x, at}, t));
      k.check();
    }
}

TEST_CASE("tails: products end with their memory") {
  for (std::string type : {"i32", "f32", "f64"})
    for (int64_t width : kWidths) {
      KernelText k;
      Input small{.values = {0, 1, -2, 3}};
      Value lhs = loadAtEnd(k, tile(type, {5, 7}), small);
      Value rhs = loadAtEnd(k, tile(type, {7, width}), small);
      Value acc = loadAtEnd(k, tile(type, {5, width}), small);
      const char *dot = "tile.dot $0, $1, $2 : %0, %1 -> %r";
      storeAtEnd(k, k.op(dot, {lhs, rhs, acc}, acc.type));
      // What is computed is put in order first.
      Value more = loadAtEnd(k, rhs.type, small);
      Value sum =
          k.op(std::string(isFloat(type) ? "arith.addf" : "arith.addi") +
                   " $0, $1 : %r",
               {rhs, more}, rhs.type);
      storeAtEnd(k, k.op(dot, {lhs, sum, acc}, acc.type));
      k.check();
    }
}

TEST_CASE("tails: only elements divide") {
  for (std::string op : {"divsi", "divui", "remsi", "remui", "ceildivsi",
                         "ceildivui", "floordivsi"})
    for (std::string type : {"i8", "i32", "i64"})
      for (int64_t width : kWidths) {
        KernelText k;
        TileType t = tile(type, {2, width});
        Value x = k.load(t, {.low = -100, .high = 100});
        Value y = k.load(t, {.values = {1, 3, -2, 7, 2}});
        k.store(k.op("arith." + op + " $0, $1 : %r", {x, y}, t));
        k.checkOneIn(8);
      }
}

TEST_CASE("tails: only elements divide when they are combined") {
  for (int64_t width : kWidths) {
    KernelText k;
    Value x = k.load(tile("i32", {3, width}), {.values = {1}});
    std::string body = " {\n^bb0(%l: i32, %n: i32):\n%q = arith.divsi %l, %n : "
                       "i32\ntile.yield %q : i32\n}";
    k.store(k.op("tile.reduce $0 axis 0" + body + " : %0 -> %r", {x},
                 tile("i32", {width})));
    k.store(k.op("tile.scan $0 axis 0" + body + " : %0 -> %r", {x}, x.type));
    k.check();
  }
}
