// A package never hands out memory that nobody wrote.
#include "library/model/PackageBuilder.h"

#include "graph/lowering/PrepareGraph.h"
#include "graph/transforms/Passes.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

namespace {
/// A graph of two kernels, lowered.
struct Lowered {
  Lowered() : context(registry()) {
    prepareContext(context);
    module = parseSourceString<ModuleOp>(R"(
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %a = math.exp %x : tensor<4xf32>
        %b = tensor.concat dim(0) %a : (tensor<4xf32>) -> tensor<4xf32>
        %c = arith.negf %b : tensor<4xf32>
        return %c : tensor<4xf32>
      })",
                                         ParserConfig(&context));
    REQUIRE(module);
    graph::TileLimits limits = graph::TileLimits::cpu(1);
    FailureOr<graph::GraphProgram> lowered =
        graph::lowerGraph(*module, ArrayRef(limits));
    REQUIRE(succeeded(lowered));
    program.emplace(std::move(*lowered));
  }
  static DialectRegistry registry() {
    DialectRegistry registry;
    graph::registerModuleDialects(registry);
    return registry;
  }
  Status describe() {
    runtime::PackageManifest manifest;
    return PackageBuilder(*program).describe(manifest);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::optional<graph::GraphProgram> program;
};
} // namespace

TEST_CASE("a plan that writes all that it reads and returns is good") {
  Lowered lowered;
  REQUIRE(lowered.program->steps.size() == 3);
  CHECK(lowered.describe().ok());
}

TEST_CASE("an output that no step writes is an internal error") {
  Lowered lowered;
  lowered.program->steps.pop_back();
  Status status = lowered.describe();
  CHECK(status.code() == StatusCode::internal);
  CHECK(status.message() == "no step writes the output 'output0'");
}

TEST_CASE(
    "a tensor that is read before a step writes it is an internal error") {
  Lowered lowered;
  std::swap(lowered.program->steps[0], lowered.program->steps[1]);
  Status status = lowered.describe();
  CHECK(status.code() == StatusCode::internal);
  CHECK(status.message() == "step 'tensor.concat:4' reads a tensor that no "
                            "step wrote");
}
