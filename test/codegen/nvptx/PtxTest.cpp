// The llvm dialect as PTX: what the text must and must not say, and that ptxas
// takes it for every target.
#include "codegen/nvptx/Ptx.h"
#include "codegen/llvm/Emit.h"
#include "mlir/Parser/Parser.h"
#include "test/ptxas/Ptxas.h"
#include "tilewright/mlir/Compile.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

namespace {
/// y[i] = x[i] * x[i] + 1 by 4 neighbours a thread, with a division and a
/// square root to see how they round.
constexpr const char *kernel = R"(
llvm.func @squares(%x: i64, %y: i64) {
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %wide = llvm.zext %thread : i32 to i64
  %sixteen = llvm.mlir.constant(16 : i64) : i64
  %bytes = llvm.mul %wide, %sixteen : i64
  %from = llvm.add %x, %bytes : i64
  %to = llvm.add %y, %bytes : i64
  %source = llvm.inttoptr %from : i64 to !llvm.ptr<1>
  %target = llvm.inttoptr %to : i64 to !llvm.ptr<1>
  %one = llvm.mlir.constant(dense<1.0> : vector<4xf32>) : vector<4xf32>
  %v = llvm.load %source {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  %square = llvm.fmul %v, %v : vector<4xf32>
  %sum = llvm.fadd %square, %one : vector<4xf32>
  %root = llvm.intr.sqrt(%sum) : (vector<4xf32>) -> vector<4xf32>
  %ratio = llvm.fdiv %sum, %root : vector<4xf32>
  nvvm.barrier
  llvm.store %ratio, %target {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
  llvm.return
}
)";

std::string ptxOf(MLIRContext &context, const target::GpuTarget &target) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kernel, &context);
  REQUIRE(module);
  TimingScope untimed;
  StatusOr<nvptx::PtxText> text =
      nvptx::translateToPtx(*module, target, 128, untimed);
  if (!text)
    FAIL(text.status().message());
  return text->ptx;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
} // namespace

// One that is registered later could race with a lookup on another thread.
TEST_CASE("targets: the first lookup registers all") {
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  CHECK(findTarget(host));
  std::string message;
  for (const char *triple : {"nvptx64-nvidia-cuda", host.str().c_str()})
    CHECK(llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), message));
  StatusOr<const llvm::Target *> other = findTarget(llvm::Triple("pdp11-dec"));
  REQUIRE_FALSE(other);
  CHECK(contains(other.status().message(), "no code generator for pdp11-dec"));
}

TEST_CASE("ptx: one kernel for each target") {
  MLIRContext context;
  prepareContext(context);
  if (!test::hasPtxas())
    WARN("without ptxas: the text alone is looked at");
  for (const target::GpuTarget &target : target::gpuTargets()) {
    CAPTURE(target.name);
    std::string ptx = ptxOf(context, target);
    CHECK(contains(ptx, ".target " + std::string(target.name)));
    CHECK(contains(ptx, ".visible .entry squares("));
    CHECK(contains(ptx, ".reqntid 128"));
    // Four b32, or two b64 where there is arithmetic on pairs.
    CHECK(contains(ptx, "ld.global.v"));
    CHECK(contains(ptx, "st.global.v"));
    CHECK(contains(ptx, "bar.sync"));
    CHECK(ptx == ptxOf(context, target));
    if (test::hasPtxas()) {
      test::Assembled result = test::assemble(ptx, target.name);
      CHECK(result.accepted);
      CHECK(contains(result.log, "0 bytes spill stores"));
    }
  }
}

TEST_CASE("ptx: arithmetic rounds as written") {
  MLIRContext context;
  prepareContext(context);
  std::string ptx = ptxOf(context, *target::findGpuTarget("sm_90a"));
  // Bare mul and add may be fused by ptxas; these may not.
  CHECK(contains(ptx, "mul.rn.f32"));
  CHECK(contains(ptx, "add.rn.f32"));
  CHECK(contains(ptx, "div.rn.f32"));
  CHECK(contains(ptx, "sqrt.rn.f32"));
  CHECK_FALSE(contains(ptx, "fma"));
  CHECK_FALSE(contains(ptx, ".ftz"));
  CHECK_FALSE(contains(ptx, "approx"));
}
