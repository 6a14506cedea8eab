// The reference of threads: kernels behind each pass of the pipelines, with the
// results of the interpreter of tiles.
#include "test/codegen/kernels/KernelText.h"
#include "test/codegen/kernels/Levels.h"

#include <catch2/catch.hpp>

using std::to_string;

namespace tilewright::kerneltest {

/// Behind each pass on three ways.
static void checkEach(const KernelText &k, Tolerance tolerance = {},
                      const std::string &schedule = "") {
  Comparison comparison(k.str(), k.inputs, 1);
  INFO(k.str());
  REQUIRE(comparison.error() == "");
  for (const char *target : {"cpu", "sm_80", "sm_90a"}) {
    INFO(target);
    const bool isCpu = target == std::string("cpu");
    Levels levels = compareLevels(comparison, target,
                                  isCpu ? std::string() : schedule, tolerance);
    CHECK(levels.error == "");
    CHECK(levels.runs > 3);
  }
}

// Sums of products of these stay multiples of 1/4 below 64: exact in bf16.
static const Input kExact = {
    .values = {1, 0, -2, 0.5, 1, -1, 2, 0, -0.5, 1, 0}};

TEST_CASE("threads: arithmetic on tiles of odd sizes") {
  KernelText k;
  Value x = k.load(tile("f32", {5, 7})), y = k.load(tile("f32", {5, 7}));
  Value sum = k.op("arith.addf $0, $1 : %r", {x, y}, x.type);
  k.store(k.op("arith.mulf $0, $1 : %r", {sum, x}, x.type));
  k.store(k.op("arith.maximumf $0, $1 : %r", {x, y}, x.type));
  k.store(
      k.op("tile.transpose $0 [1, 0] : %0 -> %r", {x}, tile("f32", {7, 5})));
  checkEach(k);
}

TEST_CASE("threads: integers and conversions") {
  KernelText k;
  Value x = k.load(tile("i32", {33}), {.anyBits = true});
  Value y = k.load(tile("i32", {33}), {.values = {3, -7, 1, 100, -1}});
  k.store(k.op("arith.divsi $0, $1 : %r", {x, y}, x.type));
  k.store(k.op("arith.remui $0, $1 : %r", {x, y}, x.type));
  k.store(k.op("arith.sitofp $0 : %0 to %r", {y}, x.type.of("f16")));
  k.store(k.op("arith.trunci $0 : %0 to %r", {x}, x.type.of("i8")));
  Value h = k.load(tile("bf16", {33}));
  k.store(k.op("arith.extf $0 : %0 to %r", {h}, x.type.of("f32")));
  checkEach(k);
}

TEST_CASE("threads: math functions") {
  KernelText k;
  Value x = k.load(tile("f32", {64}));
  k.store(k.op("math.exp $0 : %r", {x}, x.type));
  k.store(k.op("math.tanh $0 : %r", {x}, x.type));
  k.store(k.op("math.sin $0 : %r", {x}, x.type));
  checkEach(k, {.ulps = 4});
}

TEST_CASE("threads: reductions and scans") {
  KernelText k;
  Value x = k.load(tile("f32", {4, 48}), kExact);
  Value r = k.op("tile.reduce $0 axis 1 {\n^bb0(%a: f32, %b: f32):\n%s = "
                 "arith.addf %a, %b : f32\ntile.yield %s : f32\n} : %0 -> %r",
                 {x}, tile("f32", {4}));
  k.store(r);
  Value s = k.op("tile.scan $0 axis 1 {\n^bb0(%a: f32, %b: f32):\n%s = "
                 "arith.addf %a, %b : f32\ntile.yield %s : f32\n} : %0 -> %r",
                 {x}, x.type);
  k.store(s);
  checkEach(k);
}

static KernelText dotKernel(const std::string &in, const std::string &out,
                            int64_t m, int64_t n, int64_t depth,
                            const std::string &more = "") {
  KernelText k;
  const Input input = isFloat(in) ? kExact : Input{.anyBits = true};
  Value lhs = k.load(tile(in, {m, depth}), input);
  Value rhs = k.load(tile(in, {depth, n}), input);
  Value acc = k.load(tile(out, {m, n}), {.values = {0, 1, -2, 3}});
  k.store(k.op("tile.dot $0, $1, $2" + more + " : %0, %1 -> %r",
               {lhs, rhs, acc}, acc.type));
  return k;
}

TEST_CASE("threads: dots") {
  checkEach(dotKernel("f32", "f32", 7, 9, 5));
  checkEach(dotKernel("f16", "f32", 32, 32, 32));
  checkEach(dotKernel("bf16", "f32", 16, 16, 48));
  checkEach(dotKernel("f32", "f32", 16, 16, 16, " precision tf32"));
  checkEach(dotKernel("i8", "i32", 16, 32, 64));
  checkEach(dotKernel("f64", "f64", 16, 16, 8));
  checkEach(dotKernel("f8E4M3FN", "f32", 16, 16, 32));
}

TEST_CASE("threads: sorts") {
  KernelText k;
  Value x = k.load(tile("f32", {3, 33}));
  k.store(k.op("tile.sort $0 axis 1 : %0", {x}, x.type));
  checkEach(k);
}

TEST_CASE("threads: gathers, scatters and atomics") {
  KernelText k;
  Value p = k.argument("!tile.ptr<i32>", {.dims = {40}, .anyBits = true});
  Value i = k.op("tile.iota : %r", {}, tile("i32", {19}));
  Value at =
      k.op("tile.offset $0, $1 : %0, %1", {p, i}, i.type.of("!tile.ptr<i32>"));
  Value m = k.load(tile("i1", {19}));
  k.store(k.op("tile.atomic_rmw add relaxed device $0, $1 mask $2 : %1",
               {i, at, m}, i.type));
  checkEach(k);
}

} // namespace tilewright::kerneltest
