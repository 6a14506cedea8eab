// Conversions: arith's casts, and tile.convert with rounding and saturation.
#include "Semantics.h"
#include <cmath>

using namespace tilewright::semantics;

static std::string tile(size_t size, const std::string &type) {
  return "tensor<" + std::to_string(size) + "x" + type + ">";
}

/// %r = OP %a : FROM to TO
static Numbers cast(const std::string &op, const std::string &from,
                    const std::string &to, const Numbers &a) {
  return compute("%r = " + op + " %a : " + tile(a.size(), from) + " to " +
                     tile(a.size(), to),
                 {tile(a.size(), from)}, tile(a.size(), to), {a});
}

/// %r = tile.convert %a FLAGS : FROM -> TO
static Numbers convert(const std::string &flags, const std::string &from,
                       const std::string &to, const Numbers &a) {
  return compute("%r = tile.convert %a " + flags + " : " +
                     tile(a.size(), from) + " -> " + tile(a.size(), to),
                 {tile(a.size(), from)}, tile(a.size(), to), {a});
}

TEST_CASE("integer casts: sign, zero, cut") {
  CHECK_SAME(cast("arith.extsi", "i4", "i32", {-8, 7}), {-8, 7});
  CHECK_SAME(cast("arith.extui", "i4", "i32", {-8, 7}), {8, 7});
  CHECK_SAME(cast("arith.trunci", "i32", "i8", {300, -1}), {44, -1});
  CHECK_SAME(cast("arith.index_cast", "i8", "index", {-1}), {-1});
  CHECK_SAME(cast("arith.index_castui", "i8", "index", {-1}), {255});
  CHECK_SAME(cast("arith.extui", "i1", "i8", {1}), {1});
}

TEST_CASE("float casts: exact up, to nearest even down") {
  CHECK_SAME(cast("arith.extf", "f8E5M2", "f32", {0.3125, kInf}),
             {0.3125, kInf});
  // 1 + 2^-9 and 1 + 3 * 2^-9 are ties of bf16 at 8 bits after 1 + 2^-7 steps.
  CHECK_SAME(cast("arith.truncf", "f32", "bf16",
                  {1 + 1 / 256.0, 1 + 3 / 256.0, 3.4e38}),
             {1, 1 + 4 / 256.0, kInf});
  CHECK_SAME(cast("arith.sitofp", "i32", "f32", {16777217, -3}),
             {16777216, -3});
  CHECK_SAME(cast("arith.uitofp", "i8", "f32", {-1}), {255});
  CHECK_SAME(cast("arith.fptosi", "f32", "i8", {-2.75, 127.5, 128, kNan}),
             {-2, 127, kPoison, kPoison});
  CHECK_SAME(cast("arith.fptoui", "f32", "i8", {2.75, 255, -1}),
             {2, -1, kPoison});
  CHECK_SAME(cast("arith.truncf", "f32", "f4E2M1FN", {2.5, kInf, kNan}),
             {2, 6, 6});
  // 1.0 in f32 is 0x3F800000.
  CHECK_SAME(cast("arith.bitcast", "f32", "i32", {1}), {0x3F800000});
}

TEST_CASE("trunci: a broken overflow promise is poison") {
  auto cut = [](const std::string &flags) {
    return compute("%r = arith.trunci %a overflow<" + flags +
                       "> : tensor<4xi16> to tensor<4xi8>",
                   {"tensor<4xi16>"}, "tensor<4xi8>", {{127, 200, -128, 256}});
  };
  CHECK_SAME(cut("nsw"), {127, kPoison, -128, kPoison});
  CHECK_SAME(cut("nuw"), {127, -56, kPoison, kPoison});
  CHECK_SAME(cut("nsw, nuw"), {127, kPoison, kPoison, kPoison});
}

/// %r = OP %a, %b FLAG : FROM, SCALE to TO
static Numbers scaled(const std::string &op, const std::string &flag,
                      const std::string &from, const std::string &scale,
                      const std::string &to, const Numbers &a,
                      const Numbers &b) {
  std::string in = tile(a.size(), from), by = tile(a.size(), scale),
              out = tile(a.size(), to);
  return compute("%r = arith." + op + " %a, %b " + flag + " : " + in + ", " +
                     by + " to " + out,
                 {in, by}, out, {a, b});
}

TEST_CASE("scaling_extf: times a power of two, in the result's type") {
  CHECK_SAME(scaled("scaling_extf", "", "f4E2M1FN", "f8E8M0FNU", "f32",
                    {1.5, -6, 0.5}, {4, 0.5, kNan}),
             {6, -3, kNan});
  // 3 is a tie of 2 (encoded 128, even) and 4; 6 one of 4 and 8 (130, even).
  CHECK_SAME(
      scaled("scaling_extf", "", "f4E2M1FN", "f32", "f32", {1.5, 1.5}, {3, 6}),
      {3, 12});
  // f16 holds no 2^127: the scale is an infinity there.
  double large = std::ldexp(1, 127);
  CHECK_SAME(scaled("scaling_extf", "", "f8E4M3FN", "f8E8M0FNU", "f16", {-2, 0},
                    {large, large}),
             {-kInf, kNan});
}

TEST_CASE("scaling_truncf: divided by a power of two, then rounded") {
  // 2.5 is a tie of 2 and 3 in f4E2M1FN, and 2 the even one; 10 is too large.
  CHECK_SAME(scaled("scaling_truncf", "", "f32", "f8E8M0FNU", "f4E2M1FN",
                    {10, 5, -3}, {4, 0.5, 2}),
             {2, 6, -1.5});
  CHECK_SAME(scaled("scaling_truncf", "upward", "f32", "f8E8M0FNU", "f4E2M1FN",
                    {10, -10}, {4, 4}),
             {3, -2});
  CHECK_SAME(
      scaled("scaling_truncf", "", "f16", "f16", "f8E5M2", {kNan, 12}, {1, 3}),
      {kNan, 6});
}

TEST_CASE("truncf: rounding modes") {
  auto round = [](const std::string &mode) {
    return compute("%r = arith.truncf %a " + mode +
                       " : tensor<4xf32> to tensor<4xf8E4M3FN>",
                   {"tensor<4xf32>"}, "tensor<4xf8E4M3FN>",
                   {{17, -17, 19, 16.5}});
  };
  // Neighbours: 16, 18, 20.
  CHECK_SAME(round("to_nearest_even"), {16, -16, 20, 16});
  CHECK_SAME(round("to_nearest_away"), {18, -18, 20, 16});
  CHECK_SAME(round("downward"), {16, -18, 18, 16});
  CHECK_SAME(round("upward"), {18, -16, 20, 18});
  CHECK_SAME(round("toward_zero"), {16, -16, 18, 16});
}

TEST_CASE("convert: ties between representable numbers") {
  // f8E4M3FN has 3 bits after the point: 17 is between 16 and 18, and 19
  // between 18 and 20.
  CHECK_SAME(convert("", "f32", "f8E4M3FN", {17, 19, -17}), {16, 20, -16});
  CHECK_SAME(
      convert("rounding nearest_away", "f32", "f8E4M3FN", {17, 19, -17, 16.5}),
      {18, 20, -18, 16});
  CHECK_SAME(convert("rounding toward_zero", "f32", "f8E4M3FN", {17.9, -17.9}),
             {16, -16});
  CHECK_SAME(convert("rounding up", "f32", "f8E4M3FN", {16.1, -17.9}),
             {18, -16});
  CHECK_SAME(convert("rounding down", "f32", "f8E4M3FN", {17.9, -16.1}),
             {16, -18});
}

TEST_CASE("convert: too large") {
  // Without saturation: infinity where there is one, else NaN.
  CHECK_SAME(convert("", "f32", "f8E4M3FN", {448, 464, 465, kInf}),
             {448, 448, kNan, kNan});
  CHECK_SAME(convert("", "f32", "f8E5M2", {57344, 61439, 61440, -kInf}),
             {57344, 57344, kInf, -kInf});
  // f4E2M1FN has neither; its largest number is 6.
  CHECK_SAME(convert("", "f32", "f4E2M1FN", {5, 2.5, 100, -kInf, kNan}),
             {4, 2, 6, -6, 6});
  CHECK_SAME(convert("saturate", "f32", "f8E4M3FN", {1e9, -kInf, kNan}),
             {448, -448, kNan});
  CHECK_SAME(convert("saturate", "f32", "f16", {1e9, kInf}), {65504, 65504});
  // Rounding toward zero never makes an infinity of a number.
  CHECK_SAME(convert("rounding toward_zero", "f32", "f16", {1e9, kInf}),
             {65504, kInf});
}

TEST_CASE("convert: subnormals of small types") {
  // f4E2M1FN: 0, 0.5, 1, 1.5, 2, 3, 4, 6.
  CHECK_SAME(convert("", "f32", "f4E2M1FN", {0.25, 0.26, 0.75, 3.5, 5.1}),
             {0, 0.5, 1, 4, 6});
  // The least number of f8E4M3FN is 2^-9.
  CHECK_SAME(
      convert("", "f32", "f8E4M3FN",
              {std::ldexp(1, -9), std::ldexp(1, -10), std::ldexp(3, -11)}),
      {std::ldexp(1, -9), 0, std::ldexp(1, -9)});
}

TEST_CASE("convert: f8E8M0FNU holds powers of two only") {
  // 1.5 is a tie of 1 (encoded 127) and 2 (128, even); 3 of 2 and 4 (129).
  CHECK_SAME(convert("", "f32", "f8E8M0FNU", {1, 1.4, 1.5, 3, 0, -1}),
             {1, 1, 2, 2, std::ldexp(1, -127), kNan});
  CHECK_SAME(convert("rounding up", "f32", "f8E8M0FNU", {1.01, 4}), {2, 4});
  CHECK_SAME(convert("rounding toward_zero", "f32", "f8E8M0FNU", {1.99}), {1});
  CHECK_SAME(convert("", "f32", "f8E8M0FNU", {kInf, kNan}), {kNan, kNan});
  CHECK_SAME(convert("saturate", "f64", "f8E8M0FNU", {1e300}),
             {std::ldexp(1, 127)});
  CHECK_SAME(convert("", "f8E8M0FNU", "f32", {0.25, 8}), {0.25, 8});
}

TEST_CASE("convert: float to integer and back") {
  CHECK_SAME(convert("", "f32", "i8", {2.5, 3.5, -2.5, 200}),
             {2, 4, -2, kPoison});
  CHECK_SAME(convert("rounding toward_zero saturate", "f32", "i8",
                     {2.9, 200, -200, kNan}),
             {2, 127, -128, 0});
  // 200 and 255 read as signed numbers of 8 bits.
  CHECK_SAME(convert("saturate to_unsigned", "f32", "i8", {200, 300, -1}),
             {-56, -1, 0});
  CHECK_SAME(convert("from_unsigned", "i8", "f32", {-1}), {255});
  CHECK_SAME(convert("", "i8", "f32", {-1}), {-1});
  CHECK_SAME(convert("", "i32", "f16", {2049, 70000}), {2048, kInf});
  CHECK_SAME(convert("", "i1", "f32", {1}), {1});
}

TEST_CASE("convert: integer to integer") {
  CHECK_SAME(convert("", "i32", "i8", {300, -1}), {44, -1});
  CHECK_SAME(convert("saturate", "i32", "i8", {300, -300}), {127, -128});
  CHECK_SAME(convert("saturate to_unsigned", "i32", "i8", {300, -1, 200}),
             {-1, 0, -56});
  CHECK_SAME(convert("from_unsigned", "i8", "i32", {-1}), {255});
}

TEST_CASE("convert: stochastic rounding goes up as often as it is near") {
  // 17 is halfway between 16 and 18: up if the random number is at least half
  // of 2^32. 16 is exact and stays.
  Numbers found = compute(
      "%r = tile.convert %a rounding stochastic random %b : tensor<4xf32> -> "
      "tensor<4xf8E4M3FN>",
      {"tensor<4xf32>", "tensor<4xi32>"}, "tensor<4xf8E4M3FN>",
      {{17, 17, -17, 16}, {2147483647.0, -2147483648.0, -1, -1}});
  CHECK_SAME(found, {16, 18, -18, 16});
}
