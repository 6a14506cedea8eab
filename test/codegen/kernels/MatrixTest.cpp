// tile.dot of types and shapes that matrix instructions take.
#include "DotBound.h"
#include "KernelText.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tilewright::kerneltest;
using std::to_string;

namespace {
/// A product of tiles m x k and k x n; in batches, if there are any.
struct Product {
  std::string type, acc;
  int64_t m, n, k, batch;
  bool transposesLhs, transposesRhs;
  /// What tile.dot says of the operands.
  std::string traits = "";
  /// Of rhs, if it is another.
  std::string rhsType = "";
};
} // namespace

// Sums of products of these stay multiples of 1/4 below 256: exact in bf16.
static const Input kExact = {
    .values = {1, 0, -2, 0.5, 1, -1, 2, 0, -0.5, 1, 0}};

static TileType matrix(const std::string &element, int64_t rows,
                       int64_t columns, int64_t batch) {
  return batch ? tile(element, {batch, rows, columns})
               : tile(element, {rows, columns});
}

/// A tile that is loaded as it is, or transposed.
static Value operand(KernelText &k, const TileType &type, bool isTransposed,
                     const Input &input) {
  if (!isTransposed)
    return k.load(type, input);
  TileType other = type;
  const size_t rank = type.shape.size();
  std::swap(other.shape[rank - 1], other.shape[rank - 2]);
  return k.op("tile.transpose $0 " +
                  std::string(rank == 2 ? "[1, 0]" : "[0, 2, 1]") +
                  " : %0 -> %r",
              {k.load(other, input)}, type);
}

static KernelText kernelOf(const Product &p, const Input &input) {
  KernelText k;
  Value lhs =
      operand(k, matrix(p.type, p.m, p.k, p.batch), p.transposesLhs, input);
  const std::string &type = p.rhsType.empty() ? p.type : p.rhsType;
  Value rhs =
      operand(k, matrix(type, p.k, p.n, p.batch), p.transposesRhs, input);
  Value acc = k.load(matrix(p.acc, p.m, p.n, p.batch), {.values = {0, 1, 3}});
  k.store(k.op("tile.dot $0, $1, $2" + p.traits + " : %0, %1 -> %r",
               {lhs, rhs, acc}, acc.type));
  return k;
}

static Product randomProduct(std::mt19937_64 &random) {
  auto one = [&](std::initializer_list<int64_t> of) {
    return of.begin()[random() % of.size()];
  };
  const std::string type = random() % 2 ? "f16" : "bf16";
  const int64_t batch = one({0, 0, 0, 1, 2, 3});
  const bool isLarge = batch < 2;
  return {.type = type,
          .acc = random() % 3 ? "f32" : type,
          .m = isLarge ? one({16, 32, 48, 64, 80, 96}) : one({16, 48}),
          .n = isLarge ? one({8, 16, 24, 40, 64, 80, 96}) : one({8, 24, 40}),
          .k = one({8, 16, 24, 32, 48, 64}),
          .batch = batch,
          .transposesLhs = random() % 2 == 0,
          .transposesRhs = random() % 2 == 0};
}

TEST_CASE("matrix: all transpositions and types, exact sums") {
  for (const char *type : {"f16", "bf16"})
    for (const char *acc : {"f32", type})
      for (bool lhs : {false, true})
        for (bool rhs : {false, true})
          kernelOf({type, acc, 64, 32, 48, 0, lhs, rhs}, kExact).check();
}

namespace {
/// Operands that matrix instructions take beside f16 and bf16.
struct Operands {
  std::string type, acc, precision;
};
} // namespace

static const Operands kOperands[] = {
    {"f32", "f32", "tf32"},      {"f32", "f32", "tf32x3"},
    {"f32", "f32", "bf16x3"},    {"f32", "f32", "bf16x6"},
    {"f64", "f64", "ieee"},      {"f8E4M3FN", "f32", "ieee"},
    {"f8E5M2", "f16", "ieee"},   {"f8E5M2", "bf16", "ieee"},
    {"f8E4M3FN", "f32", "fast"}, {"f8E5M2", "f16", "fast"},
};

static std::string traitsOf(const Operands &operands) {
  return operands.precision == "ieee" ? "" : " precision " + operands.precision;
}

TEST_CASE("matrix: number types and precisions, transpositions, exact sums") {
  for (const Operands &each : kOperands)
    for (bool lhs : {false, true})
      for (bool rhs : {false, true})
        kernelOf({each.type, each.acc, 64, 32, 96, 0, lhs, rhs, traitsOf(each)},
                 kExact)
            .check();
}

TEST_CASE("matrix: bytes with and without signs, transpositions") {
  for (const char *signs :
       {"", " lhs_unsigned", " rhs_unsigned", " lhs_unsigned rhs_unsigned"})
    for (bool lhs : {false, true})
      for (bool rhs : {false, true})
        kernelOf({"i8", "i32", 32, 64, 96, 0, lhs, rhs, signs},
                 {.anyBits = true})
            .check();
}

TEST_CASE("matrix: 8-bit floats of two types") {
  for (const char *traits : {"", " precision fast"})
    for (bool swaps : {false, true})
      kernelOf({swaps ? "f8E5M2" : "f8E4M3FN", "f32", 32, 32, 64, 0, false,
                swaps, traits, swaps ? "f8E4M3FN" : "f8E5M2"},
               kExact)
          .check();
}

TEST_CASE("matrix: number types, random shapes, any numbers") {
  std::mt19937_64 random(43);
  auto one = [&](std::initializer_list<int64_t> of) {
    return of.begin()[random() % of.size()];
  };
  for (int i = 0; i < 40; ++i) {
    const Operands &each = kOperands[random() % std::size(kOperands)];
    const bool isByte = each.type.starts_with("f8");
    const int64_t batch = isByte ? 0 : one({0, 0, 1, 3});
    const Product p = {each.type,
                       each.acc,
                       one({8, 16, 48}),
                       one({8, 24, 64}),
                       isByte ? one({16, 32, 64, 160}) : one({4, 8, 16, 48}),
                       batch,
                       random() % 2 == 0,
                       random() % 2 == 0,
                       traitsOf(each)};
    // The accumulators are 0 to 3.
    kernelOf(p, {.low = -1, .high = 1})
        .check(
            {0, dotBound(p.k, 3 + double(p.k), p.type, p.acc, each.precision)});
  }
}

TEST_CASE("matrix: bytes that were extended") {
  for (bool isUnsigned : {false, true}) {
    KernelText k;
    const std::string extend =
        isUnsigned ? "arith.extui $0 : %0 to %r" : "arith.extsi $0 : %0 to %r";
    Value a = k.load(tile("i8", {32, 64}), {.anyBits = true});
    Value b = k.load(tile("i8", {64, 16}), {.anyBits = true});
    Value wideA = k.op(extend, {a}, tile("i32", {32, 64}));
    Value wideB = k.op("arith.extsi $0 : %0 to %r", {b}, tile("i32", {64, 16}));
    k.store(k.op("tile.dot $0, $1, $2 : %0, %1 -> %r",
                 {wideA, wideB, k.constant("5", tile("i32", {32, 16}))},
                 tile("i32", {32, 16})));
    k.check();
  }
}

TEST_CASE("matrix: random shapes, exact sums") {
  std::mt19937_64 random(40);
  for (int i = 0; i < 40; ++i)
    kernelOf(randomProduct(random), kExact).check();
}

TEST_CASE("matrix: random shapes, any numbers") {
  std::mt19937_64 random(41);
  for (int i = 0; i < 20; ++i) {
    const Product p = randomProduct(random);
    // The accumulators are 0 to 3.
    kernelOf(p, {.low = -1, .high = 1})
        .check({0, dotBound(p.k, 3 + double(p.k), p.type, p.acc)});
  }
}

// A product of f32 that were 16-bit floats, moved on the way.
TEST_CASE("matrix: of extended, moved and constant tiles, in a loop") {
  for (std::string type : {"f16", "bf16"}) {
    KernelText k;
    Value a = k.argument("!tile.view<?x?x" + type + ">",
                         {.dims = {30, 45}, .values = kExact.values});
    Value b = k.load(tile(type, {16, 1}), kExact);
    Value none = k.constant("0.0", tile("f32", {32, 24}));
    std::string text = none.type.str();
    k.line("%loop = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = " +
           none.name + ") -> (" + text + ") {");
    Value x = k.op("tile.load $0[%c0, %i] pad 0.0 : %0 -> %r", {a},
                   tile(type, {32, 16}));
    Value wide = k.op("arith.extf $0 : %0 to %r", {x}, tile("f32", {32, 16}));
    Value column = k.op("arith.extf $0 : %0 to %r", {b}, tile("f32", {16, 1}));
    Value spread =
        k.op("tile.broadcast $0 : %0 -> %r", {column}, tile("f32", {16, 8}));
    Value half = k.constant("0.5", tile("f32", {16, 16}));
    Value both = k.op("tile.concat $0, $1 axis 1 : %0, %1 -> %r",
                      {spread, half}, tile("f32", {16, 24}));
    Value sum =
        k.op("tile.dot $0, $1, %s : %0, %1 -> %r", {wide, both}, none.type);
    k.line("scf.yield " + sum.name + " : " + text + "\n}");
    k.store({"%loop", none.type});
    k.check();
  }
}

TEST_CASE("matrix: a product feeds another one, and arithmetic") {
  KernelText k;
  Value a = k.load(tile("f16", {32, 16}), kExact);
  Value b = k.load(tile("f16", {16, 32}), kExact);
  Value c = k.load(tile("f16", {32, 24}), kExact);
  Value none = k.constant("0.0", tile("f32", {32, 32}));
  Value first =
      k.op("tile.dot $0, $1, $2 : %0, %1 -> %r", {a, b, none}, none.type);
  Value narrow =
      k.op("arith.truncf $0 : %0 to %r", {first}, tile("f16", {32, 32}));
  Value second = k.op("tile.dot $0, $1, $2 : %0, %1 -> %r",
                      {narrow, c, k.constant("1.0", tile("f32", {32, 24}))},
                      tile("f32", {32, 24}));
  k.store(second);
  k.store(k.op("arith.addf $0, $0 : %r", {a}, a.type));
  k.check();
}

/// A loop over blocks of `n` rows of a matrix: lhs times a block, transposed,
/// kept between -2 and 2, times the block; and the greatest of each row.
static KernelText chainOf(const std::string &type, int64_t m, int64_t n,
                          int64_t d, bool keepsRows) {
  KernelText k;
  Value lhs = k.load(tile(type, {m, d}), kExact);
  Value blocks = k.argument("!tile.view<?x?x" + type + ">",
                            {.dims = {3 * n - 1, d}, .values = kExact.values});
  Value none = k.constant("0.0", tile("f32", {m, n}));
  Value start = k.constant("1.0", tile("f32", {m, d}));
  std::string text = start.type.str();
  k.line("%loop = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = " +
         start.name + ") -> (" + text + ") {");
  Value sum = {"%s", start.type};
  Value block = k.op("tile.load $0[%i, %c0] pad 0.0 : %0 -> %r", {blocks},
                     tile(type, {n, d}));
  Value turned =
      k.op("tile.transpose $0 [1, 0] : %0 -> %r", {block}, tile(type, {d, n}));
  Value scores = k.op("tile.dot $0, $1, $2 : %0, %1 -> %r", {lhs, turned, none},
                      none.type);
  if (keepsRows) {
    Value most = k.op("tile.reduce $0 axis 1 {\n^bb0(%a: f32, %b: f32):\n"
                      "%most = arith.maximumf %a, %b : f32\n"
                      "tile.yield %most : f32\n} : %0 -> %r",
                      {scores}, tile("f32", {m}));
    most = k.op("tile.reshape $0 : %0 -> %r", {most}, tile("f32", {m, 1}));
    most = k.op("tile.broadcast $0 : %0 -> %r", {most}, start.type);
    sum = k.op("arith.addf $0, $1 : %r", {sum, most}, start.type);
  }
  Value low = k.constant("-2.0", none.type),
        high = k.constant("2.0", none.type);
  Value kept = k.op("arith.maximumf $0, $1 : %r", {scores, low}, none.type);
  kept = k.op("arith.minimumf $0, $1 : %r", {kept, high}, none.type);
  Value narrow = k.op("arith.truncf $0 : %0 to %r", {kept}, tile(type, {m, n}));
  Value next = k.op("tile.dot $0, $1, $2 : %0, %1 -> %r", {narrow, block, sum},
                    start.type);
  k.line("scf.yield " + next.name + " : " + text + "\n}");
  k.store({"%loop", start.type});
  return k;
}

// Of the first product lhs does not change; that of the second one is the first
// one's result.
TEST_CASE("matrix: chains of products in a loop") {
  chainOf("f16", 64, 64, 64, true).check();
  chainOf("bf16", 32, 16, 16, false).check();
  std::mt19937_64 random(42);
  auto one = [&](std::initializer_list<int64_t> of) {
    return of.begin()[random() % of.size()];
  };
  for (int i = 0; i < 12; ++i)
    chainOf(random() % 2 ? "f16" : "bf16", one({16, 32, 48, 64, 96, 128}),
            one({8, 16, 24, 40, 64}), one({8, 16, 24, 40, 80, 128}),
            random() % 4 != 0)
        .check();
}
