// The check of barriers against the interpreter's run-time check: each barrier
// of many kernels is removed, one at a time.
#include "verify/barriers/BarrierCheck.h"
#include "codegen/tilegpu/TileGpu.h"
#include "test/codegen/kernels/Harness.h"
#include "test/fuzz/tile/RandomProgram.h"

#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::kerneltest;
using verify::findUnordered;
using verify::UnorderedAccesses;

static SmallVector<tilegpu::BarrierOp> barriersOf(tile::KernelOp kernel) {
  SmallVector<tilegpu::BarrierOp> barriers;
  kernel.walk([&](tilegpu::BarrierOp op) { barriers.push_back(op); });
  return barriers;
}

static std::string textOf(const std::vector<UnorderedAccesses> &findings) {
  std::string text;
  for (const UnorderedAccesses &finding : findings)
    text += verify::describe(finding);
  return text;
}

namespace {
/// What taking out barriers showed.
struct Tally {
  unsigned removed = 0, shared = 0, races = 0;
  /// Barriers that no pair needs.
  unsigned idle = 0;

  /// Removes each barrier of the kernel, one at a time, and all of them.
  void check(const std::string &text, unsigned warps,
             const std::vector<Input> &inputs, uint64_t seed);
  /// Without barrier `which`, or, if there are fewer, as it is. Returns the
  /// number of barriers.
  size_t checkWithout(size_t which, const std::string &text,
                      const schedule::GpuSchedule &schedule,
                      const std::vector<Input> &inputs, uint64_t seed);
};
} // namespace

size_t Tally::checkWithout(size_t which, const std::string &text,
                           const schedule::GpuSchedule &schedule,
                           const std::vector<Input> &inputs, uint64_t seed) {
  std::vector<UnorderedAccesses> findings;
  std::string finding;
  size_t barriers = 0;
  Result result = compareScheduled(
      text, schedule, inputs, seed, [&](tile::KernelOp kernel) {
        SmallVector<tilegpu::BarrierOp> all = barriersOf(kernel);
        barriers = all.size();
        if (which < barriers)
          all[which].erase();
        finding = textOf(findUnordered(kernel));
      });
  CAPTURE(which, schedule.warps, seed);
  INFO(text);
  if (which >= barriers) {
    CHECK(result.error == "");
    CHECK(finding == "");
    return barriers;
  }
  bool raced = result.error.find("no barrier orders") != std::string::npos;
  bool isShared = finding.find("race in shared memory") != std::string::npos;
  ++removed;
  shared += isShared;
  races += raced;
  // What happens, the check has seen; a run does not take all ways.
  idle += finding.empty();
  CHECK((!raced || isShared));
  if (!raced)
    CHECK(result.error == "");
  return barriers;
}

void Tally::check(const std::string &text, unsigned warps,
                  const std::vector<Input> &inputs, uint64_t seed) {
  schedule::GpuSchedule schedule;
  schedule.warps = warps;
  size_t barriers = checkWithout(SIZE_MAX, text, schedule, inputs, seed);
  for (size_t i = 0; i < barriers; ++i)
    checkWithout(i, text, schedule, inputs, seed);
}

TEST_CASE("barriers: taken out of random kernels, they are missed") {
  Tally tally;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    fuzz::RandomProgram program(seed);
    KernelText &k = program.generate(4 + seed % 14);
    tally.check(k.str(), 1u << seed % 4, k.inputs, seed);
  }
  WARN(tally.removed << " barriers taken out, " << tally.removed - tally.idle
                     << " found missing; for shared memory " << tally.shared
                     << ", of which " << tally.races << " raced when run");
  CHECK(tally.idle * 100 < tally.removed);
  CHECK(tally.races > 100);
  CHECK(tally.races > tally.shared * 3 / 4);
}

TEST_CASE("barriers: taken out of loops with elements and orders") {
  Tally tally;
  for (unsigned warps : {1, 2, 8})
    tally.check(R"(
tile.kernel @k(%x: !tile.view<40x8xi32>, %y: !tile.view<8x40xi32>, %p: !tile.ptr<i32>)
    grid affine_map<()[a, b, c, d] -> (2)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tile.atomic_rmw add acquire device %one, %p : !tile.ptr<i32>
    %odd = arith.andi %old, %one : i32
    %busy = arith.cmpi ne, %odd, %one : i32
    scf.condition(%busy)
  } do {
    scf.yield
  }
  %end = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %c0) -> (index) {
    %t = tile.load %x at [%i, %c0] : !tile.view<40x8xi32> -> tensor<32x8xi32>
    %e = tile.extract %t[%i, %s] : tensor<32x8xi32>
    %f = arith.andi %e, %one : i32
    %n = arith.index_cast %f : i32 to index
    %u = tile.transpose %t [1, 0] : tensor<32x8xi32> -> tensor<8x32xi32>
    tile.store %u, %y at [%c0, %i] : tensor<8x32xi32>, !tile.view<8x40xi32>
    scf.yield %n : index
  }
  tile.fence acq_rel device
  %last = arith.index_cast %end : index to i32
  tile.store_ptr %last, %p release device : !tile.ptr<i32>
})",
                warps,
                {{.low = -9, .high = 9}, {}, {.dims = {1}, .values = {0}}}, 1);
  CHECK(tally.removed >= 18);
  CHECK(tally.idle == 0);
  CHECK(tally.races >= 9);
}

//===--- What is found, and how it reads ----------------------------------===//

/// The findings in a kernel @k of these lines, in which %x is a tile of 128
/// bytes and %a, %b, %c are shared memory at 0, 64 and 128.
static std::string found(const std::string &lines) {
  MLIRContext context;
  prepareContext(context);
  std::string text = R"mlir(
#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#y = #tilegpu.layout<"registers cell=32 lane=(16),(8),(4),(2),(1)">
#m = #tilegpu.layout<"memory cell=32 offset=(1),(2),(4),(8),(16)">
tile.kernel @k(%v: !tile.view<64xf32>, %w: !tile.view<64xf32>, %p: !tile.ptr<i32>, %n: index, %yes: i1, %u: !tile.view<64xf32, strides<[?]>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<32xf32, #x>
  %a = tilegpu.alloc offset 0 : <32xf32, #m>
  %b = tilegpu.alloc offset 64 : <32xf32, #m>
  %c = tilegpu.alloc offset 128 : <32xf32, #m>
)mlir" + lines + "}";
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context), "k.mlir");
  REQUIRE(module);
  return textOf(findUnordered(module->lookupSymbol<tile::KernelOp>("k")));
}

static std::string storeTo(const std::string &memory) {
  return "tilegpu.store_shared %x, " + memory +
         " : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #m>\n";
}
static const std::string kLoadA =
    "%l = tilegpu.load_shared %a : !tilegpu.shared<32xf32, #m> -> "
    "tensor<32xf32, #x>\n";
static const std::string kBarrier = "tilegpu.barrier\n";

TEST_CASE("barriers: a finding names both accesses and their bytes") {
  CHECK(found(storeTo("%b") + kLoadA) ==
        R"(race in shared memory, kernel k
  write  tilegpu.store_shared    bytes 64..191     k.mlir:13:1
  read   tilegpu.load_shared     bytes 0..127      k.mlir:14:6
  no barrier on a way from the first to the second; a tilegpu.barrier before the second would order them
)");
  CHECK(found("scf.for %i = %c0 to %n step %c1 {\n" + storeTo("%a") + "}\n") ==
        R"(race in shared memory, kernel k
  write  tilegpu.store_shared    bytes 0..127      k.mlir:14:1
  the same op in the next iteration of its loop: no barrier on the way; a tilegpu.barrier in the loop would order them
)");
}

TEST_CASE("barriers: ways through branches and loops") {
  CHECK(found(storeTo("%c") + kLoadA) == "");
  CHECK(found(storeTo("%a") + kBarrier + kLoadA) == "");
  // On one of the two ways there is none.
  std::string branch = "scf.if %yes {\n" + kBarrier + "}";
  CHECK(found(storeTo("%a") + branch + "\n" + kLoadA) != "");
  CHECK(found(storeTo("%a") + branch + " else {\n" + kBarrier + "}\n" +
              kLoadA) == "");
  // A loop may not run.
  CHECK(found(storeTo("%a") + "scf.for %i = %c0 to %n step %c1 {\n" + kBarrier +
              "}\n" + kLoadA) != "");
  // The condition of a while loop does.
  CHECK(found(storeTo("%a") + "scf.while : () -> () {\n" + kBarrier +
              "scf.condition(%yes)\n} do {\nscf.yield\n}\n" + kLoadA) == "");
  // From one iteration to the next.
  std::string loop = "scf.for %i = %c0 to %n step %c1 {\n";
  CHECK(found(loop + kLoadA + kBarrier + storeTo("%a") + "}\n") != "");
  CHECK(found(loop + kLoadA + kBarrier + storeTo("%a") + kBarrier + "}\n") ==
        "");
}

TEST_CASE("barriers: global memory in program order") {
  auto load = [](const char *view, const char *at, const char *layout) {
    static int names = 0;
    return "%g" + std::to_string(names++) + " = tile.load " + view + at +
           " : !tile.view<64xf32> -> tensor<32xf32, " + layout + ">\n";
  };
  std::string store =
      "tile.store %x, %v[%c0] : tensor<32xf32, #x>, !tile.view<64xf32>\n";
  CHECK(found(store + load("%v", "[%n]", "#x")) == "");
  CHECK(found(store + load("%w", "[%n]", "#y")) == "");
  CHECK(
      found(store + load("%v", "[%c0]", "#y"))
          .starts_with("race in global memory, kernel k\n  write  tile.store"));
  CHECK(found(store + load("%v", " at [%c0]", "#x")) != "");
  CHECK(found(store + "%q = tile.load_ptr %p : !tile.ptr<i32>\n") != "");
  // Of one layout or two, other elements are apart.
  std::string middle = "tile.store %x, %v at [%c32] : tensor<32xf32, #x>, "
                       "!tile.view<64xf32>\n";
  CHECK(found("%c32 = arith.constant 32 : index\n" + middle +
              load("%v", " at [%c0]", "#y")) == "");
  CHECK(found("%c32 = arith.constant 31 : index\n" + middle +
              load("%v", " at [%c0]", "#y")) != "");
  CHECK(found("%c32 = arith.constant 32 : index\n" + middle +
              load("%v", " at [%n]", "#y")) != "");
  // Elements with strides may have one address.
  CHECK(found("tile.store %x, %u[%c0] : tensor<32xf32, #x>, !tile.view<64xf32, "
              "strides<[?]>>\n%g = tile.load %u[%c0] : !tile.view<64xf32, "
              "strides<[?]>> -> tensor<32xf32, #x>\n") != "");
  // By element, the same index is another element in the next iteration.
  std::string loop = "scf.for %i = %c0 to %n step %c1 {\n";
  std::string moving =
      "tile.store %x, %v at [%i] : tensor<32xf32, #x>, !tile.view<64xf32>\n";
  CHECK(found(loop + moving + "}\n") != "");
  CHECK(found(loop + load("%v", " at [%i]", "#x") + moving + kBarrier +
              "}\n") == "");
}

TEST_CASE("barriers: orders of memory") {
  std::string load = "%g = tile.load %v[%c0] : !tile.view<64xf32> -> "
                     "tensor<32xf32, #x>\n";
  std::string more = "%h = tile.load %v[%c0] : !tile.view<64xf32> -> "
                     "tensor<32xf32, #x>\n";
  for (std::string release :
       {"tile.fence release device\n", "tile.fence seq_cst system\n",
        "tile.store_ptr %one, %p release device : !tile.ptr<i32>\n"}) {
    CHECK(
        found(load + release)
            .starts_with("race in memory order, kernel k\n  read   tile.load"));
    CHECK(found(load + kBarrier + release) == "");
  }
  for (std::string acquire :
       {"tile.fence acquire device\n",
        "%f = tile.load_ptr %p acquire cluster : !tile.ptr<i32>\n"}) {
    CHECK(found(acquire + load).starts_with("race in memory order"));
    CHECK(found(acquire + kBarrier + load) == "");
    CHECK(found(load + acquire) == "");
  }
  CHECK(found(load + "tile.fence acq_rel program\n" + more) == "");
  CHECK(found(load +
              "tile.fence acquire device\ntile.fence release device\n") != "");
}
