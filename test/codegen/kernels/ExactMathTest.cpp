// Functions of the math dialect whose results are exact.
#include "EdgeValues.h"
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;

static const char *const kFloats[] = {"f16", "bf16", "f32", "f64"};

TEST_CASE("exact math: roundings and signs") {
  for (const char *type : kFloats) {
    std::vector<uint64_t> bits = edgeBits(type, "i32");
    KernelText k;
    Value x = k.load(tile(type, {int64_t(bits.size())}), {.bits = bits});
    for (std::string op :
         {"absf", "ceil", "floor", "round", "roundeven", "trunc"})
      k.store(k.op("math." + op + " $0 : %r", {x}, x.type));
    k.check();
  }
}

TEST_CASE("exact math: kinds of numbers") {
  for (const char *type : kFloats) {
    std::vector<uint64_t> bits = edgeBits(type, "i32");
    KernelText k;
    Value x = k.load(tile(type, {int64_t(bits.size())}), {.bits = bits});
    for (std::string op : {"isfinite", "isinf", "isnan", "isnormal"})
      k.store(k.op("math." + op + " $0 : %0", {x}, x.type.of("i1")));
    k.check();
  }
}

TEST_CASE("exact math: fused product and sum") {
  for (const char *type : kFloats) {
    KernelText k;
    TileType t = tile(type, {777});
    Value x = k.load(t), y = k.load(t), z = k.load(t);
    k.store(k.op("math.fma $0, $1, $2 : %r", {x, y, z}, t));
    k.check();
  }
}

TEST_CASE("exact math: clamp") {
  for (const char *type : kFloats) {
    KernelText k;
    TileType t = tile(type, {777});
    Value x = k.load(t, {.anyBits = true});
    Value low = k.constant("-2.5", t), high = k.constant("3.0", t);
    k.store(k.op("math.clampf $0 to [$1, $2] : %r", {x, low, high}, t));
    Value y = k.load(t);
    k.store(k.op("math.clampf $0 to [$1, $2] : %r", {y, low, high}, t));
    k.check();
  }
}

TEST_CASE("exact math: integers") {
  for (std::string type : {"i4", "i8", "i16", "i32", "i64"}) {
    KernelText k;
    TileType t = tile(type, {300});
    Value x = k.load(t, {.bits = edgeBits(type, "f32")});
    for (std::string op : {"absi", "ctlz", "cttz", "ctpop"})
      k.store(k.op("math." + op + " $0 : %r", {x}, t));
    k.check();
    KernelText power;
    Value base = power.load(t, {.bits = edgeBits(type, "f32")});
    Value n = power.load(t, {.low = 0, .high = 7});
    power.store(power.op("math.ipowi $0, $1 : %r", {base, n}, t));
    power.check();
  }
}

TEST_CASE("exact math: negative integer powers") {
  for (std::string type : {"i8", "i32", "i64"}) {
    KernelText k;
    TileType t = tile(type, {40});
    Value x = k.load(t, {.values = {1, -1, 2, -3, 5}});
    Value n = k.load(t, {.low = -6, .high = 3});
    k.store(k.op("math.ipowi $0, $1 : %r", {x, n}, t));
    k.check();
  }
}
