// The reference of threads: kernels behind each pass of the pipelines, with the
// results of the interpreter of tiles.
#include "test/codegen/kernels/KernelText.h"
#include "test/codegen/kernels/Levels.h"

#include <catch2/catch.hpp>

using std::to_string;

namespace tilewright::kerneltest {

/// Behind each pass on three ways.
static void checkEach(const KernelText &k, Tolerance tolerance = {},
                      const std::string &schedule = "",
                      const std::vector<std::string> &gpuOps = {}) {
  Comparison comparison(k.str(), k.inputs, 1);
  INFO(k.str());
  REQUIRE(comparison.error() == "");
  for (const char *target : {"cpu", "sm_80", "sm_90a"}) {
    INFO(target);
    const bool isCpu = target == std::string("cpu");
    Levels levels = compareLevels(
        comparison, target, isCpu ? std::string() : schedule, tolerance, true);
    CHECK(levels.error == "");
    CHECK(levels.runs > 3);
    for (const std::string &op : gpuOps)
      CHECK((isCpu || levels.ops.contains(op)));
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
  checkEach(dotKernel("f16", "f32", 32, 32, 32), {}, "",
            {"nvvm.ldmatrix", "llvm.call_intrinsic"});
  checkEach(dotKernel("bf16", "f32", 16, 16, 48));
  checkEach(dotKernel("f32", "f32", 16, 16, 16, " precision tf32"));
  checkEach(dotKernel("i8", "i32", 16, 32, 64));
  checkEach(dotKernel("f64", "f64", 16, 16, 8));
  checkEach(dotKernel("f8E4M3FN", "f32", 16, 16, 32));
}

/// A loop over tiles of two matrices along their depth, which does not divide
/// it: a GPU has copies of later tiles under way.
static KernelText loopKernel(const std::string &type) {
  KernelText k;
  const TileType sums = tile(type == "i8" ? "i32" : "f32", {32, 32});
  const Input input = type == "i8"
                          ? Input{.dims = {32, 72}, .anyBits = true}
                          : Input{.dims = {32, 72}, .values = kExact.values};
  Input other = input;
  other.dims = {72, 32};
  Value a = k.argument("!tile.view<?x?x" + type + ">", input,
                       "tile.dim_divisible = array<i64: 8, 8>");
  Value b = k.argument("!tile.view<?x?x" + type + ">", other,
                       "tile.dim_divisible = array<i64: 8, 8>");
  Value zero = k.constant(type == "i8" ? "0" : "0.0", sums);
  Value steps = k.op("arith.constant 5 : index", {}, scalar("index"));
  k.line("%sum = scf.for %i = %c0 to " + steps.name +
         " step %c1 iter_args(%s = " + zero.name + ") -> (" + sums.str() +
         ") {");
  const std::string pad = type == "i8" ? " pad 0" : " pad 0.0";
  Value x = k.op("tile.load $0[%c0, %i]" + pad + " : %0 -> %r", {a},
                 tile(type, {32, 16}));
  Value y = k.op("tile.load $0[%i, %c0]" + pad + " : %0 -> %r", {b},
                 tile(type, {16, 32}));
  Value n = k.op("tile.dot $0, $1, %s : %0, %1 -> %r", {x, y}, sums);
  k.line("scf.yield " + n.name + " : " + sums.str() + "\n}");
  k.store({"%sum", sums});
  return k;
}

TEST_CASE("threads: loops with copies under way") {
  for (const char *type : {"f16", "bf16"})
    checkEach(loopKernel(type), {}, "warps=2 stages=3",
              {"nvvm.cp.async.shared.global", "nvvm.ldmatrix"});
  checkEach(loopKernel("i8"), {}, "warps=2 stages=3");
}

TEST_CASE("threads: values that leave their warp") {
  KernelText k;
  Value x = k.load(tile("f32", {64, 48}), kExact);
  Value s = k.op("tile.reduce $0 axis 0 {\n^bb0(%a: f32, %b: f32):\n%s = "
                 "arith.maximumf %a, %b : f32\ntile.yield %s : f32\n} : %0 -> "
                 "%r",
                 {x}, tile("f32", {48}));
  Value w = k.op("tile.reshape $0 : %0 -> %r", {s}, tile("f32", {1, 48}));
  Value v = k.op("tile.broadcast $0 : %0 -> %r", {w}, x.type);
  Value d = k.op("arith.subf $0, $1 : %r", {x, v}, x.type);
  k.store(
      k.op("tile.transpose $0 [1, 0] : %0 -> %r", {d}, tile("f32", {48, 64})));
  checkEach(k, {}, "warps=4", {"nvvm.barrier", "nvvm.shfl.sync"});
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
  k.op("tile.atomic_rmw umax acq_rel device $0, $1 : %1", {i, at}, i.type);
  Value x = k.load(tile("f16", {37}));
  Value chosen = k.load(tile("i32", {21}), {.values = {5, 0, 36, 7, 7}});
  k.store(k.op("tile.gather $0, $1 axis 0 : %0, %1 -> %r", {x, chosen},
               tile("f16", {21})));
  checkEach(k, {}, "warps=2");
}

} // namespace tilewright::kerneltest
