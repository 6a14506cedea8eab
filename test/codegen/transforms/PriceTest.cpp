// Prices of layouts are what the emulator counts.
#include "codegen/layout/Price.h"
#include "codegen/layout/Families.h"
#include "codegen/layout/Text.h"
#include "codegen/layout/Transforms.h"
#include "codegen/llvm/LowerToLlvm.h"
#include "codegen/pipeline/Pipelines.h"
#include "codegen/tilegpu/GpuTargets.h"
#include "codegen/transforms/LayoutPrices.h"
#include "codegen/transforms/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/emulator/counters/Collector.h"
#include "runtime/emulator/counters/Lines.h"
#include "runtime/emulator/device/LoadedModule.h"
#include "runtime/emulator/machine/Scheduler.h"
#include "test/codegen/kernels/Harness.h"
#include "tilewright/mlir/Compile.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

using namespace tilewright;
using emulator::Counters;
using layout::Layout;

/// The kernel `k` of a module at the scheduled level, before reductions and
/// conversions are expanded, as PTX that names the lines of `text`.
static KernelImage compileScheduled(const std::string &text) {
  mlir::MLIRContext &context = kerneltest::kernelContext();
  INFO(text);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  const target::GpuTarget &target = *target::findGpuTarget("sm_90a");
  (*module)->setAttr(tile::TileDialect::kTargetAttr,
                     tilegpu::attributeOf(target, &context));
  mlir::PassManager passes(&context);
  mlir::OpPassManager &kernel = passes.nest<tile::KernelOp>();
  kernel.addPass(tilegpu::createLowerReductions());
  kernel.addPass(tilegpu::createLowerConversions());
  kernel.addPass(tilegpu::createAllocateShared());
  kernel.addPass(tilegpu::createInsertBarriers());
  buildThreadsPipeline(passes);
  buildLlvmPipeline(passes);
  REQUIRE(succeeded(passes.run(*module)));
  CompileOptions options;
  options.lineInfo = true;
  StatusOr<KernelImage> image = makeImage(*module, target, options);
  INFO(image.status().message());
  REQUIRE(image.ok());
  return *image;
}

/// What one block executes for a line of the text.
static Counters countLine(const KernelImage &image, unsigned line) {
  emulator::GlobalMemory memory;
  auto module = emulator::LoadedModule::load(memory, image.code);
  INFO(image.code);
  REQUIRE(module);
  auto program = (*module)->program("k");
  REQUIRE(program);
  emulator::Launch launch;
  launch.program = *program;
  constexpr size_t bytes = 1 << 21;
  std::vector<std::shared_ptr<emulator::Allocation>> buffers;
  launch.parameters.resize(16);
  for (size_t i = 0; i < 2; ++i) {
    auto buffer = memory.allocate(bytes, false);
    REQUIRE(buffer);
    buffers.push_back(*buffer);
    std::memset((*buffer)->host, 0, bytes);
    std::memcpy(&launch.parameters[8 * i], &(*buffer)->address, 8);
  }
  launch.memory = memory.snapshot();
  launch.block = {uint32_t(image.manifest.block), 1, 1};
  launch.dynamicShared = uint32_t(image.manifest.shared);
  emulator::Collector collector(launch);
  run(launch);
  INFO((launch.fault ? launch.fault->str() : ""));
  REQUIRE_FALSE(launch.fault);
  Counters counters;
  const emulator::KernelCounters all = collector.counters();
  for (const emulator::SourceCounters &source : bySourceLine(all))
    for (const emulator::LineCounters &each : source.lines)
      if (each.line == line)
        counters += each.counters;
  return counters;
}

namespace {
struct Case {
  std::string text;
  unsigned line = 0;
  layout::Price price;
};
} // namespace

static std::string quoted(const Layout &layout) {
  return "#tilegpu.layout<\"" + layout::print(layout) + "\">";
}

/// Layouts and tiles at random.
class Cases {
public:
  explicit Cases(uint64_t seed) : random(seed) {}

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  template <typename T> T oneOf(std::initializer_list<T> list) {
    return *(list.begin() + pick(0, int64_t(list.size()) - 1));
  }

  void chooseTile() {
    shape = oneOf<layout::Dims>({{64, 64},
                                 {32, 128},
                                 {128, 32},
                                 {16, 256},
                                 {8, 512},
                                 {96, 64},
                                 {48, 128},
                                 {256, 16},
                                 {1, 1024},
                                 {4, 1000},
                                 {60, 100}});
    warps = oneOf({1, 2, 4, 8});
    element = oneOf<std::string>({"f32", "f32", "f16", "f64"});
    bits = element == "f64"   ? 64
           : element == "f32" ? 32
           : element == "f16" ? 16
                              : 8;
    body = std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "x" +
           element;
  }
  Layout registers() {
    layout::CoalescedParameters p;
    p.shape = shape;
    p.warps = warps;
    p.elementBits = unsigned(bits);
    p.order = pick(0, 2) ? layout::Dims{1, 0} : layout::Dims{0, 1};
    p.vectorBits = unsigned(bits << pick(0, 2));
    p.warpOrder = pick(0, 1) ? layout::Dims{1, 0} : layout::Dims{0, 1};
    p.dealing = layout::Dealing::none;
    return *layout::coalesced(p);
  }
  std::string tensor(const Layout &layout) {
    return "tensor<" + body + ", " + quoted(layout) + ">";
  }
  std::string header() {
    const std::string count = std::to_string(warps);
    const std::string view = "!tile.view<" + body + "> {tile.align = 16 : i64}";
    return "tile.kernel @k(%x: " + view + ", %y: " + view +
           ") attributes {tile.schedule = #tile.schedule<warps = " + count +
           ">, tilegpu.warps = " + count +
           " : i64} {\n%c0 = arith.constant 0 : index\n";
  }
  /// Loads or stores `tile`, of the layout.
  std::string load(const Layout &layout) {
    return "tile.load %x[%c0, %c0] : !tile.view<" + body + "> -> " +
           tensor(layout) + "\n";
  }
  std::string store(const std::string &tile, const Layout &layout) {
    return "tile.store " + tile + ", %y[%c0, %c0] : " + tensor(layout) +
           ", !tile.view<" + body + ">\n}\n";
  }
  std::string convert(const std::string &tile, const Layout &from,
                      const Layout &to) {
    return "tilegpu.convert_layout " + tile + " : " + tensor(from) + " -> " +
           tensor(to) + "\n";
  }
  /// Something to do with a tile, so that two conversions are not one.
  std::string twice(const std::string &tile, const Layout &layout) {
    return std::string(element == "i8" ? "arith.addi " : "arith.addf ") + tile +
           ", " + tile + " : " + tensor(layout) + "\n";
  }

  Case conversion();
  Case access();
  Case reduction();

  std::mt19937_64 random;
  layout::Dims shape;
  int64_t warps = 4, bits = 32;
  std::string element, body;
};

Case Cases::conversion() {
  chooseTile();
  Layout from = registers(), to = registers();
  // Where the result has padding, its loads sink into the store's conditions,
  // and to the store's line.
  while (!(to.shape() == shape)) {
    chooseTile();
    from = registers();
    to = registers();
  }
  const std::string text = header() + "%t0 = " + load(from) +
                           "%t1 = " + twice("%t0", from) +
                           "%t2 = " + convert("%t1", from, to) +
                           "%t3 = " + twice("%t2", to) + store("%t3", to);
  layout::ConversionOptions options;
  options.elementBits = unsigned(bits);
  options.shape = shape;
  StatusOr<layout::ConversionPlan> plan = planConversion(from, to, options);
  REQUIRE(plan.ok());
  return {text, 5, layout::priceOf(*plan, unsigned(bits), warps)};
}

Case Cases::access() {
  chooseTile();
  const Layout registers = this->registers();
  layout::GlobalTile tile;
  tile.shape = shape;
  tile.order = {1, 0};
  tile.elementBits = unsigned(bits);
  tile.alignmentBytes = 16;
  return {header() + "%t0 = " + load(registers) +
              "%t1 = " + twice("%t0", registers) + store("%t1", registers),
          3, layout::priceOfAccess(registers, tile)};
}

Case Cases::reduction() {
  chooseTile();
  element = "f32";
  body = std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "xf32";
  const Layout registers = this->registers();
  const unsigned axis = unsigned(pick(0, 1));
  const Layout reduced = layout::slice(registers, axis)->layout;
  const std::string size = std::to_string(shape[1 - axis]);
  const std::string result =
      "tensor<" + size + "xf32, " + quoted(reduced) + ">";
  const Layout row = layout::collapse(registers, axis)->layout;
  const std::string one = "tensor<" + (axis ? size + "x1" : "1x" + size) +
                          "xf32, " + quoted(row) + ">";
  const std::string text =
      header() + "%t0 = " + load(registers) + "%t1 = tile.reduce %t0 axis " +
      std::to_string(axis) +
      " { ^bb0(%a: f32, %b: f32): %s = arith.addf %a, %b : f32 "
      "tile.yield %s : f32 } : " +
      tensor(registers) + " -> " + result +
      "\n%t2 = tile.reshape %t1 : " + result + " -> " + one +
      "\n%t3 = tile.broadcast %t2 : " + one + " -> " + tensor(registers) +
      "\n%t4 = " + twice("%t3", registers) + store("%t4", registers);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      text, &kerneltest::kernelContext());
  INFO(text);
  REQUIRE(module);
  layout::Price price;
  module->walk([&](tile::ReduceOp op) {
    price = tilegpu::priceOfReduction(op, registers);
  });
  return {text, 4, price};
}

namespace {
/// Prices and counts of many cases of one kind.
struct Comparison {
  int cases = 0, close = 0, sameMemory = 0;
  layout::Price price, counted;

  void add(const Case &c) {
    const Counters counters = countLine(compileScheduled(c.text), c.line);
    layout::Price found;
    found.slots = int64_t(counters.warps);
    found.wavefronts = int64_t(counters.wavefronts);
    found.sectors = int64_t(counters.sectors);
    found.requests = int64_t(counters.globalRequests);
    found.barriers = int64_t(counters.barriers);
    price += c.price;
    counted += found;
    ++cases;
    close += std::abs(c.price.slots - found.slots) * 10 <= found.slots;
    sameMemory += c.price.wavefronts == found.wavefronts &&
                  c.price.sectors == found.sectors &&
                  c.price.requests == found.requests &&
                  c.price.barriers == found.barriers;
  }
};
} // namespace

/// Within a tenth.
static bool areClose(int64_t price, int64_t counted) {
  return std::abs(price - counted) * 10 <= counted;
}

/// What is asked of memory is exact but for rows that begin within a sector and
/// padding that no warp reads; instructions are close in sum, and mostly each.
static void checkAll(Case (Cases::*make)(), int close, int sameMemory) {
  Cases cases(1);
  Comparison all;
  while (all.cases < 100) {
    const Case c = (cases.*make)();
    if (c.price.total())
      all.add(c);
  }
  CHECK(areClose(all.price.slots, all.counted.slots));
  CHECK(areClose(all.price.wavefronts, all.counted.wavefronts));
  CHECK(areClose(all.price.sectors, all.counted.sectors));
  CHECK(areClose(all.price.requests, all.counted.requests));
  CHECK(all.price.barriers == all.counted.barriers);
  CHECK(all.close >= close);
  CHECK(all.sameMemory >= sameMemory);
}

TEST_CASE("prices: conversions are what the emulator counts") {
  checkAll(&Cases::conversion, 75, 90);
}

TEST_CASE("prices: loads are what the emulator counts") {
  checkAll(&Cases::access, 55, 85);
}

TEST_CASE("prices: reductions are what the emulator counts") {
  checkAll(&Cases::reduction, 75, 95);
}
