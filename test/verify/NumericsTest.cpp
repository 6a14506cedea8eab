// Errors of compiled models against exact results and bounds: of right
// programs, and of one that loses precision.
#include "verify/numerics/Numerics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#include <catch2/catch.hpp>

namespace tilewright::verify::test {

static const char *const product = R"(
func.func @main(%a: tensor<16x64xf32> {graph.name = "a"},
                %b: tensor<64x16xf32> {graph.name = "b"})
    -> (tensor<16x16xf32> {graph.name = "c"}) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %c = linalg.matmul ins(%a, %b : tensor<16x64xf32>, tensor<64x16xf32>)
      outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %c : tensor<16x16xf32>
}
)";

/// Rounds products of f32 to bf16.
static void loseBits(mlir::ModuleOp module) {
  module.walk([](mlir::arith::MulFOp op) {
    mlir::Type type = op.getType();
    if (!mlir::getElementTypeOrSelf(type).isF32())
      return;
    mlir::OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    mlir::Type narrow = b.getBF16Type();
    if (auto shaped = mlir::dyn_cast<mlir::ShapedType>(type))
      narrow = shaped.clone(narrow);
    auto rounded =
        mlir::arith::TruncFOp::create(b, op.getLoc(), narrow, op.getResult());
    auto wide =
        mlir::arith::ExtFOp::create(b, op.getLoc(), type, rounded.getResult());
    op.getResult().replaceAllUsesExcept(wide, rounded);
  });
}

static TargetErrors measure(NumericsOptions options) {
  const ModelSource model = ModelSource::memory("product.mlir", product);
  CompileModelOptions compile;
  compile.threads = 1;
  auto numerics = Numerics::open(model, compile, options);
  INFO(numerics.status().message());
  REQUIRE(numerics.ok());
  auto errors = (*numerics)->measure(compile);
  INFO(errors.status().message());
  REQUIRE(errors.ok());
  INFO(errors->whyNoBounds);
  REQUIRE(errors->bounds.size() == 1);
  return *std::move(errors);
}

TEST_CASE("numerics: a right program is within its bounds") {
  const OutputErrors output = measure({}).outputs.front();
  CHECK(output.compared == 256);
  CHECK(output.unbounded == 0);
  CHECK(output.exceeded == 0);
  CHECK(output.absolute.value > 0);
  CHECK(output.byBound.value > 0.01);
  CHECK(output.byBound.value <= 1);
}

TEST_CASE("numerics: products that are rounded to bf16 exceed their bounds") {
  NumericsOptions options;
  bool isChanged = false;
  options.hook = [&](const std::string &pass, mlir::ModuleOp module) {
    if (pass != "generalize-ops")
      return;
    isChanged = true;
    loseBits(module);
  };
  const OutputErrors output = measure(options).outputs.front();
  CHECK(isChanged);
  CHECK(output.exceeded > 200);
  CHECK(output.byBound.value > 10);
}

} // namespace tilewright::verify::test
