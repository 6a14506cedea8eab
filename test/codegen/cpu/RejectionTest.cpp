// What the CPU device does not run.
#include "test/codegen/kernels/KernelText.h"

#include "codegen/llvm/LowerToLlvm.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;

/// The error of a kernel with these lines names the op, in its first line.
static void rejected(const std::string &lines, const std::string &op) {
  KernelText k;
  Value t = k.load(tile("i32", {8}));
  k.line(lines);
  k.store(t);
  std::string error = rejection(k.str());
  INFO(k.str());
  INFO(error);
  CHECK(error.substr(0, error.find('\n')).find(op) != std::string::npos);
}

TEST_CASE("control: what no host can run is rejected by name") {
  rejected("%p = tile.inline_ptx \"add.s32 $0, $1, $1;\" constraints \"=r,r\" "
           "pure(%v0) : (tensor<8xi32>) -> tensor<8xi32>",
           "tile.inline_ptx");
  rejected("%n = tile.tunable \"stages\" of [2, 3, 4]", "tile.tunable");
}

TEST_CASE("control: a comparison without a run on the device is an error") {
  KernelText k;
  Value t = k.load(tile("i32", {8}));
  k.line("%large = arith.constant dense<0> : tensor<2097152xi32>");
  k.store(t);
  // The interpreter runs it.
  CHECK(compareRuns(k.str(), k.inputs).error.starts_with("device: "));
}

TEST_CASE("math: a function of a type without formulas is rejected") {
  mlir::DialectRegistry registry;
  tilewright::registerLlvmLowering(registry);
  mlir::MLIRContext context(registry);
  std::string error;
  mlir::ScopedDiagnosticHandler handler(
      &context,
      [&](mlir::Diagnostic &diagnostic) { error += diagnostic.str(); });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @f(%x: vector<4xf128>) -> vector<4xf128> {\n"
      "  %y = math.exp %x : vector<4xf128>\n"
      "  return %y : vector<4xf128>\n}",
      &context);
  REQUIRE(module);
  mlir::PassManager passes(&context);
  tilewright::buildLlvmPipeline(passes);
  CHECK(mlir::failed(passes.run(*module)));
  CHECK(error == "math.exp is lowered on f32 and f64, found "
                 "'f128': convert its operands");
}
