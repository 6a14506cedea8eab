// Each op that the dialects register has each thing that an op needs, or a line
// here with the reason why it has not. What has a line and does not need it
// fails, too.
#include "autotune/cost/Work.h"
#include "codegen/cpu/CpuOps.h"
#include "codegen/nvptx/GpuOps.h"
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/transforms/LayoutRelations.h"
#include "test/fuzz/tile/RandomProgram.h"
#include "test/main/RegisteredOps.h"
#include "tileir/ir/Register.h"
#include "tileir/reference/ProgramInstance.h"

#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

namespace {
using Reasons = std::map<std::string, const char *>;

const char structure[] = "structure, which a stage handles with what is in it";
const char scalars[] = "on scalars, views and programs: it has no tiles";
const char bound[] = "bound before";
const char inlined[] = "inlined before";
const char anchor[] = "its layout is chosen first: others follow from it";
const char any[] = "any layout will do";
const char around[] = "counted with the scalar code around tiles";
const char expanded[] = "expanded at the scheduled level";

/// The ops that have no more than a reason, by the concern.
const std::map<std::string, Reasons> exceptions = {
    {"reference",
     {{"tile.kernel", structure},
      {"tile.func", structure},
      {"tile.return", structure},
      {"tile.yield", structure}}},
    {"cpu",
     {{"tile.kernel", structure},
      {"tile.func", inlined},
      {"tile.call", inlined},
      {"tile.return", structure},
      {"tile.yield", structure}}},
    {"gpu",
     {{"tile.kernel", structure},
      {"tile.func", inlined},
      {"tile.call", inlined},
      {"tile.yield", structure},
      {"tilegpu.yield", structure},
      {"tile.tunable", bound},
      {"tile.dot", expanded},
      {"tile.scaled_dot", expanded},
      {"tile.reduce", expanded},
      {"tile.scan", expanded},
      {"tile.sort", expanded},
      {"tile.top_k", expanded},
      {"tile.gather", expanded},
      {"tile.histogram", expanded}}},
    {"layout relation",
     {{"tile.assert", any},
      {"tile.atomic_reduce", anchor},
      {"tile.base", scalars},
      {"tile.call", inlined},
      {"tile.count", scalars},
      {"tile.dim", scalars},
      {"tile.fence", scalars},
      {"tile.func", structure},
      {"tile.kernel", structure},
      {"tile.load", anchor},
      {"tile.make_view", scalars},
      {"tile.print", any},
      {"tile.program_count", scalars},
      {"tile.program_id", scalars},
      {"tile.return", structure},
      {"tile.store", anchor},
      {"tile.stride", scalars},
      {"tile.tunable", scalars},
      {"tile.yield", structure}}},
    {"cost",
     {{"tile.assert", around},
      {"tile.base", around},
      {"tile.call", inlined},
      {"tile.count", around},
      {"tile.dim", around},
      {"tile.fence", around},
      {"tile.func", inlined},
      {"tile.inline_ptx", around},
      {"tile.kernel", structure},
      {"tile.make_view", around},
      {"tile.print", around},
      {"tile.program_count", around},
      {"tile.program_id", around},
      {"tile.return", structure},
      {"tile.stride", around},
      {"tile.tunable", bound},
      {"tile.yield", structure}}},
    {"random weight",
     {{"tile.inline_ptx", "the interpreter runs none"},
      {"tile.print", "it changes no memory"},
      {"tile.tunable", bound}}},
};

/// Whether some random kernel has the op.
bool isGenerated(StringRef op) {
  static const std::string all = [] {
    std::string text;
    for (uint64_t seed = 1; seed <= 400; ++seed)
      text += fuzz::RandomProgram(seed).generate(20).str();
    return text;
  }();
  return StringRef(all).contains((op + " ").str()) ||
         StringRef(all).contains((op + "\n").str());
}

struct Concern {
  const char *name;
  bool (*isMet)(OperationName op);
  bool isOfTileGpu;
};

const Concern concerns[] = {
    {"reference",
     [](OperationName op) {
       return reference::OpTable::get().knows(op.getStringRef());
     },
     false},
    {"layout relation", tilegpu::hasLayoutRelation, false},
    {"cpu", cpu::knows, false},
    {"gpu", nvptx::knows, true},
    {"cost", autotune::hasWork, false},
    {"random weight",
     [](OperationName op) { return isGenerated(op.getStringRef()); }, false},
};
} // namespace

TEST_CASE("each op has what an op needs, or a reason") {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<tilegpu::TileGpuDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  for (const Concern &concern : concerns) {
    const Reasons &reasons = exceptions.at(concern.name);
    for (const char *dialect : {"tile", "tilegpu"}) {
      if (dialect == std::string("tilegpu") && !concern.isOfTileGpu)
        continue;
      auto ops = test::registeredOps(context, dialect);
      REQUIRE_FALSE(ops.empty());
      for (RegisteredOperationName op : ops) {
        INFO(op.getStringRef().str() << ": " << concern.name);
        CHECK(concern.isMet(op) != reasons.contains(op.getStringRef().str()));
      }
    }
  }
}
