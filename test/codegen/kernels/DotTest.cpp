// tile.dot and tile.scaled_dot. Inputs whose sums are exact in any order are
// compared bit by bit, others within the accumulator's precision.
#include "DotBound.h"
#include "KernelText.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace tilewright::kerneltest;
using std::to_string;

namespace {
struct Sizes {
  int64_t m, n, k, batch = 0;
};
struct DotTypes {
  std::string lhs, rhs, acc;
};
} // namespace

static const int64_t kSizes[] = {1, 3, 7, 16, 33, 64};

/// Some triples of sizes: the ends, and random ones.
static std::vector<Sizes> someSizes(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Sizes> sizes = {{1, 1, 1}, {33, 33, 33}};
  for (int i = 0; i < 3; ++i)
    sizes.push_back({kSizes[random() % 6], kSizes[random() % 6],
                     kSizes[random() % 6], i < 1 ? 2 : 0});
  return sizes;
}

static TileType matrix(const std::string &element, int64_t rows,
                       int64_t columns, int64_t batch) {
  return batch ? tile(element, {batch, rows, columns})
               : tile(element, {rows, columns});
}

static Value dot(KernelText &k, const Value &lhs, const Value &rhs,
                 const Value &acc, const std::string &more = "") {
  return k.op("tile.dot $0, $1, $2" + more + " : %0, %1 -> %r", {lhs, rhs, acc},
              acc.type);
}

static KernelText dotKernel(const DotTypes &types, const Sizes &s,
                            const Input &input, const std::string &more = "") {
  KernelText k;
  Value lhs = k.load(matrix(types.lhs, s.m, s.k, s.batch), input);
  Value rhs = k.load(matrix(types.rhs, s.k, s.n, s.batch), input);
  Value acc = k.load(matrix(types.acc, s.m, s.n, s.batch),
                     isFloat(types.acc) ? Input{.values = {0, 1, -2, 3}}
                                        : Input{.anyBits = true});
  k.store(dot(k, lhs, rhs, acc, more));
  return k;
}

static std::vector<DotTypes> floatTypes() {
  std::vector<DotTypes> all = {{"f64", "f64", "f64"}};
  for (const char *acc : {"f32", "f64"})
    all.push_back({"f32", "f32", acc});
  for (std::string acc : {"f16", "bf16", "f32", "f64"}) {
    for (std::string type : {"f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN"})
      if (widthOf(type) < 16 || widthOf(acc) > 16 || type == acc)
        all.push_back({type, type, acc});
    all.push_back({"f8E4M3FN", "f8E5M2", acc});
    all.push_back({"f8E5M2", "f8E4M3FN", acc});
  }
  return all;
}

// Sums of products of these stay multiples of 1/4 below 64: exact in bf16.
static const Input kExact = {
    .values = {1, 0, -2, 0.5, 1, -1, 2, 0, -0.5, 1, 0}};

TEST_CASE("dot: f32 of all sizes") {
  for (int64_t m : kSizes)
    for (int64_t n : kSizes)
      for (int64_t k : kSizes)
        dotKernel({"f32", "f32", "f32"}, {m, n, k}, kExact).checkOneIn(8);
}

TEST_CASE("dot: float types, exact sums") {
  uint64_t seed = 0;
  for (const DotTypes &types : floatTypes())
    for (const Sizes &s : someSizes(++seed))
      dotKernel(types, s, kExact).checkOneIn(3);
}

TEST_CASE("dot: float types, any numbers") {
  uint64_t seed = 100;
  for (const DotTypes &types : floatTypes())
    for (const Sizes &s : someSizes(++seed))
      // The accumulators are 0 to 3.
      dotKernel(types, s, {.low = -1, .high = 1})
          .checkOneIn(3, {0, dotBound(s.k, 3 + s.k, types.lhs, types.acc)});
}

TEST_CASE("dot: all pairs of 4 bits") {
  for (const char *acc : {"f32", "f64"})
    for (const Sizes &s : someSizes(5))
      dotKernel({"f4E2M1FN", "f4E2M1FN", acc}, s, {.anyBits = true}).check();
}

TEST_CASE("dot: infinities and NaN stay in their rows and columns") {
  for (const DotTypes &types : floatTypes())
    for (const Sizes &s : {Sizes{5, 7, 3}, Sizes{17, 33, 16}}) {
      if (types.lhs == "f4E2M1FN")
        continue;
      KernelText k;
      std::vector<double> left(s.m * s.k, 1), right(s.k * s.n, 0.5);
      left[1] = NAN, left[2 * s.k] = INFINITY, left[3 * s.k] = -INFINITY;
      left[3 * s.k + 1] = INFINITY;
      right[4] = INFINITY, right[s.n + 5] = -INFINITY, right[s.n] = 0;
      Value lhs = k.load(matrix(types.lhs, s.m, s.k, 0), {.values = left});
      Value rhs = k.load(matrix(types.rhs, s.k, s.n, 0), {.values = right});
      Value acc = k.load(matrix(types.acc, s.m, s.n, 0), {.values = {0, 1}});
      k.store(dot(k, lhs, rhs, acc));
      k.check();
    }
}

TEST_CASE("dot: integers and their signs") {
  uint64_t seed = 200;
  for (const char *acc : {"i32", "i64"})
    for (const char *lhs : {"i4", "i8", "i16", "i32", "i64"})
      for (const char *rhs : {"i4", "i8", "i16", "i32", "i64"}) {
        if (std::max(widthOf(lhs), widthOf(rhs)) > widthOf(acc))
          continue;
        std::vector<Sizes> sizes = someSizes(++seed);
        const char *signs[] = {"", " lhs_unsigned", " rhs_unsigned",
                               " lhs_unsigned rhs_unsigned"};
        for (size_t i = 0; i < 4; ++i)
          dotKernel({lhs, rhs, acc}, sizes[i + 1], {.anyBits = true}, signs[i])
              .checkOneIn(5);
      }
}

TEST_CASE("dot: i8 of many sizes") {
  for (int64_t m : {1, 3, 16, 33})
    for (int64_t n : {1, 7, 16, 33})
      for (int64_t k : {1, 7, 16, 64})
        dotKernel({"i8", "i8", "i32"}, {m, n, k}, {.anyBits = true})
            .checkOneIn(3);
}

TEST_CASE("dot: precisions") {
  for (const char *name : {"ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"})
    for (const char *acc : {"f32", "f64"})
      for (int64_t depth : {1, 33, 300}) {
        std::string more = std::string(" precision ") + name;
        DotTypes types{"f32", "f32", acc};
        Sizes sizes{7, 17, depth};
        dotKernel(types, sizes, kExact, more).check();
        // The accumulators are 0 to 3.
        dotKernel(types, sizes, {.low = -1, .high = 1}, more)
            .check({0, dotBound(depth, 3 + double(depth), "f32", acc, name)});
      }
  for (const char *type : {"f8E4M3FN", "f8E5M2"})
    dotKernel({type, type, "f32"}, {7, 17, 33}, kExact, " precision fast")
        .check();
}

TEST_CASE("dot: of moved, computed and padded tiles, in a loop") {
  for (std::string type : {"f32", "bf16", "f64", "i8"}) {
    std::string acc = isFloat(type) ? (type == "f64" ? "f64" : "f32") : "i32";
    Input input = isFloat(type) ? kExact : Input{.low = -9, .high = 9};
    std::string zero = isFloat(type) ? "0.0" : "0";
    KernelText k;
    Value a = k.argument("!tile.view<?x?x" + type + ">",
                         {.dims = {20, 45}, .values = input.values});
    Value b = k.argument("!tile.view<?x?x" + type + ">",
                         {.dims = {19, 45}, .values = input.values});
    Value none = k.constant(zero, matrix(acc, 24, 21, 0));
    std::string text = none.type.str();
    k.line("%loop = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = " +
           none.name + ") -> (" + text + ") {");
    std::string load = "tile.load $0[%c0, %i] pad " + zero + " : %0 -> %r";
    Value x = k.op(load, {a}, tile(type, {24, 16}));
    Value y = k.op(load, {b}, tile(type, {21, 16}));
    Value t =
        k.op("tile.transpose $0 [1, 0] : %0 -> %r", {y}, tile(type, {16, 21}));
    Value twice = k.op((isFloat(type) ? "arith.addf" : "arith.addi") +
                           std::string(" $0, $0 : %r"),
                       {x}, x.type);
    Value d = dot(k, twice, t, {"%s", none.type});
    k.line("scf.yield " + d.name + " : " + text + "\n}");
    k.store({"%loop", none.type});
    Value u = k.op("tile.transpose %loop [1, 0] : " + text + " -> %r", {},
                   matrix(acc, 21, 24, 0));
    // A product feeds another one.
    k.store(
        dot(k, u, {"%loop", none.type}, k.constant(zero, tile(acc, {21, 21}))));
    k.check();
  }
}
