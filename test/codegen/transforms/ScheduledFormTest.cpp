// Layouts that no text can have, because the parser checks the types of loops:
// a pass that sets one type too few makes them.
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/transforms/LayoutRelations.h"
#include "codegen/transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "test/codegen/kernels/Harness.h"

#include <catch2/catch.hpp>

using namespace tilewright;

/// The first error of verify-scheduled-form; empty without one.
static std::string verifyForm(mlir::ModuleOp module) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(module.getContext(),
                                        [&](mlir::Diagnostic &diagnostic) {
                                          if (message.empty())
                                            message = diagnostic.str();
                                          return mlir::success();
                                        });
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addNestedPass<tile::KernelOp>(tilegpu::createVerifyScheduledForm());
  CHECK(failed(passes.run(module)) == !message.empty());
  return message;
}

TEST_CASE("scheduled form: a tile that a loop carries has one layout") {
  const char *text = R"(
    #x = #tilegpu.layout<"blocked shape=64 per-thread=2 lanes=32 warps=1">
    tile.kernel @k() attributes {tilegpu.shared = 0 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = arith.constant dense<1.0> : tensor<64xf32, #x>
      %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %t)
          -> (tensor<64xf32, #x>) {
        scf.yield %t : tensor<64xf32, #x>
      }
    })";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      text, &kerneltest::kernelContext());
  REQUIRE(module);
  CHECK(verifyForm(*module) == "");
  mlir::scf::ForOp loop;
  module->walk([&](mlir::scf::ForOp op) { loop = op; });
  auto type = mlir::cast<mlir::RankedTensorType>(loop.getResult(0).getType());
  auto other = tilegpu::withLayout(
      type, tilegpu::replicated(tilegpu::toDims(type.getShape()), 1));
  const std::string found = ", found registers cell=64 register=(1) lane";
  SECTION("its initial and yielded values") {
    loop.getRegionIterArg(0).setType(other);
    loop.getResult(0).setType(other);
    CHECK_THAT(verifyForm(*module),
               Catch::StartsWith("scf.yield: expected operand 0 with ") &&
                   Catch::Contains(found));
  }
  SECTION("its name in the body") {
    loop.getRegionIterArg(0).setType(other);
    CHECK_THAT(verifyForm(*module),
               Catch::StartsWith("scf.for: expected operand 3 with ") &&
                   Catch::Contains(found));
  }
  SECTION("its result") {
    loop.getResult(0).setType(other);
    CHECK_THAT(verifyForm(*module),
               Catch::StartsWith("scf.yield: expected operand 0 with ") &&
                   Catch::Contains(found));
  }
}
