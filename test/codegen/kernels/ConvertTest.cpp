// tile.convert between all types, with all roundings: bit by bit.
#include "EdgeValues.h"
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using std::to_string;

static const char *const kFloats[] = {
    "f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f8E8M0FNU"};
static const char *const kIntegers[] = {"i4",  "i8",  "i16",
                                        "i32", "i64", "index"};
static const char *const kRoundings[] = {"", " rounding nearest_away",
                                         " rounding toward_zero",
                                         " rounding down", " rounding up"};

/// Converts the tile of `bits` by each of `forms`, one result each.
static void convertAll(const std::string &from, const std::string &to,
                       const std::vector<uint64_t> &bits,
                       const std::vector<std::string> &forms,
                       Tolerance tolerance = {}) {
  int64_t size = bits.size();
  KernelText k;
  Value x = k.load(tile(from, {size}), {.bits = bits});
  for (const std::string &form : forms)
    k.store(
        k.op("tile.convert $0" + form + " : %0 -> %r", {x}, tile(to, {size})));
  k.check(tolerance);
}

/// Each rounding, alone and with `saturate`.
static std::vector<std::string> allRoundings(const std::string &signs = "") {
  std::vector<std::string> forms;
  for (std::string rounding : kRoundings)
    for (const char *saturate : {"", " saturate"})
      forms.push_back(rounding + saturate + signs);
  return forms;
}

static void fromFloat(const std::string &from) {
  for (const char *to : kFloats)
    convertAll(from, to, edgeBits(from, to), allRoundings());
}
TEST_CASE("convert: f64 to floats") { fromFloat("f64"); }
TEST_CASE("convert: f32 to floats") { fromFloat("f32"); }
TEST_CASE("convert: f16 to floats") { fromFloat("f16"); }
TEST_CASE("convert: bf16 to floats") { fromFloat("bf16"); }
TEST_CASE("convert: f8E4M3FN to floats") { fromFloat("f8E4M3FN"); }
TEST_CASE("convert: f8E5M2 to floats") { fromFloat("f8E5M2"); }
TEST_CASE("convert: f4E2M1FN to floats") { fromFloat("f4E2M1FN"); }
TEST_CASE("convert: f8E8M0FNU to floats") { fromFloat("f8E8M0FNU"); }

TEST_CASE("convert: floats to integers") {
  for (const char *from : kFloats)
    for (std::string to : kIntegers)
      for (bool isUnsigned : {false, true}) {
        std::string sign = isUnsigned ? " to_unsigned" : "";
        std::vector<uint64_t> bits = edgeBits(from, to);
        std::vector<std::string> plain, saturating;
        for (std::string rounding : kRoundings) {
          plain.push_back(rounding + sign);
          saturating.push_back(rounding + " saturate" + sign);
        }
        convertAll(from, to, bits, saturating);
        convertAll(from, to, inRange(bits, from, widthOf(to), isUnsigned),
                   plain);
      }
}

TEST_CASE("convert: integers to floats") {
  for (const char *from : {"i1", "i4", "i8", "i16", "i32", "i64", "index"})
    for (const char *to : kFloats)
      for (const char *sign : {"", " from_unsigned"})
        convertAll(from, to, edgeBits(from, to), allRoundings(sign));
}

TEST_CASE("convert: integers to integers") {
  for (const char *from : {"i1", "i4", "i8", "i16", "i32", "i64", "index"})
    for (const char *to : kIntegers)
      convertAll(from, to, edgeBits(from, to),
                 {"", " from_unsigned", " to_unsigned", " saturate",
                  " saturate from_unsigned", " saturate to_unsigned",
                  " saturate from_unsigned to_unsigned"});
}

TEST_CASE("convert: stochastic") {
  for (const char *from : kFloats)
    for (const char *to : kFloats) {
      std::vector<uint64_t> bits = edgeBits(from, to);
      TileType type = tile(from, {int64_t(bits.size())});
      KernelText k;
      Value x = k.load(type, {.bits = bits});
      std::vector<Value> random = {
          k.load(type.of("i32"),
                 {.bits = {0, 0xffffffff, 1, 0x80000000, 0x7fffffff}}),
          k.load(type.of("i32"), {.anyBits = true})};
      for (const Value &word : random)
        for (const char *saturate : {"", " saturate"})
          k.store(k.op(std::string("tile.convert $0 rounding stochastic "
                                   "random $1") +
                           saturate + " : %0 -> %r",
                       {x, word}, type.of(to)));
      k.checkOneIn(3);
    }
}

/// All numbers of a 16-bit type, 256 a program.
TEST_CASE("convert: all numbers of 16 bits") {
  for (const char *from : {"f16", "bf16"})
    for (std::string to : {"f8E4M3FN", "f8E5M2", "f4E2M1FN", "f8E8M0FNU",
                           "bf16", "f16", "f32", "i8", "i32"}) {
      KernelText k;
      std::string fromView = "!tile.view<65536x" + std::string(from) + ">",
                  toView = "!tile.view<65536x" + to + ">";
      Value a = k.argument(fromView, {.bits = allBits(16)}),
            b = k.argument(toView);
      k.grid = "s0 ceildiv 256";
      k.line("%i = tile.program_id");
      Value x = k.op("tile.load $0[%i] : %0 -> %r", {a}, tile(from, {256}));
      Value y =
          k.op("tile.convert $0" + std::string(isFloat(to) ? "" : " saturate") +
                   " : %0 -> %r",
               {x}, tile(to, {256}));
      k.effect("tile.store $0, $1[%i] : %0, %1", {y, b});
      k.check();
    }
}

TEST_CASE("convert: approx may err by a unit") {
  for (const char *from : {"f64", "f32", "i32"})
    for (const char *to : {"f32", "bf16", "f16", "f8E4M3FN"})
      convertAll(from, to, edgeBits(from, to), {" approx", " saturate approx"},
                 {1, 0});
}

TEST_CASE("convert: scalars") {
  const char *types[] = {"i4",  "i8",    "i16",      "i32",      "i64",
                         "f16", "bf16",  "f32",      "f8E4M3FN", "f8E5M2",
                         "f64", "index", "f4E2M1FN", "f8E8M0FNU"};
  for (const char *from : types)
    for (const char *to : types) {
      KernelText k;
      // 0.5 to 4 are numbers of all these types but integers.
      Value t =
          k.load(tile(from, {3}), isFloat(from) ? Input{.values = {0.5, 4, 2}}
                                                : Input{.values = {1, 5, -1}});
      for (const char *i : {"%c0", "%c1", "%c2"}) {
        Value x = k.op("tile.extract $0[" + std::string(i) + "] : %0", {t},
                       scalar(from));
        k.store(k.op("tile.convert $0 saturate : %0 -> %r", {x}, scalar(to)));
        k.store(k.op("tile.convert $0 : %0 -> %r", {x}, scalar(to)));
      }
      k.checkOneIn(5);
    }
}
