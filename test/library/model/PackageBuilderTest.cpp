// A package never hands out memory that nobody wrote.
#include "library/model/package/PackageBuilder.h"

#include "graph/pipeline/Pipelines.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

namespace {
/// A graph of four kernels, lowered: the inputs of the concatenation have two
/// sizes, and so two kernels.
struct Lowered {
  Lowered() : context(registry()) {
    prepareContext(context);
    module = parseSourceString<ModuleOp>(R"(
      func.func @main(%x: tensor<4xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
        %a = math.exp %x : tensor<4xf32>
        %s = tensor.extract_slice %a[1] [3] [1] : tensor<4xf32> to tensor<3xf32>
        %b = tensor.concat dim(0) %a, %s : (tensor<4xf32>, tensor<3xf32>) -> tensor<7xf32>
        %c = arith.negf %b : tensor<7xf32>
        return %c, %b : tensor<7xf32>, tensor<7xf32>
      })",
                                         ParserConfig(&context));
    REQUIRE(module);
    PassManager passes(&context);
    graph::buildGroupsPipeline(passes);
    graph::buildTilePipeline(passes);
    REQUIRE(succeeded(passes.run(*module)));
    program = *module->getOps<func::FuncOp>().begin();
    llvm::append_range(launches, program.getOps<graph::LaunchOp>());
  }
  static DialectRegistry registry() {
    DialectRegistry registry;
    graph::registerModuleDialects(registry);
    return registry;
  }
  Status describe() {
    runtime::PackageManifest manifest;
    return PackageBuilder(program).describe(manifest);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp program;
  SmallVector<graph::LaunchOp> launches;
};
} // namespace

TEST_CASE("a plan that writes all that it reads and returns is good") {
  Lowered lowered;
  REQUIRE(lowered.launches.size() == 4);
  CHECK(lowered.describe().ok());
}

TEST_CASE("an output that no step writes is an internal error") {
  Lowered lowered;
  // Its destination is returned.
  graph::LaunchOp last = lowered.launches.back();
  last.getResult(0).replaceAllUsesWith(last.getWritten(0));
  last.erase();
  Status status = lowered.describe();
  CHECK(status.code() == StatusCode::internal);
  CHECK(status.message() == "no step writes the output 'output0'");
}

TEST_CASE(
    "a tensor that is read before a step writes it is an internal error") {
  Lowered lowered;
  graph::LaunchOp first = lowered.launches.front();
  first.getResult(0).replaceAllUsesWith(first.getWritten(0));
  Status status = lowered.describe();
  CHECK(status.code() == StatusCode::internal);
  CHECK(status.message() == "step 'tensor.concat:5' reads a tensor that no "
                            "step wrote");
}
