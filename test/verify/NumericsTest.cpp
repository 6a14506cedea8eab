// Errors of compiled models against exact results and bounds: of right
// programs, and of one that loses precision.
#include "verify/numerics/Numerics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "test/graph/reference/RandomProgram.h"
#include "tilewright/codegen/GpuTarget.h"
#include "verify/numerics/LostDigits.h"
#include "verify/validate/Elements.h"

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

static CompileModelOptions forTarget(const std::string &target) {
  CompileModelOptions compile;
  compile.threads = 1;
  if (target != "cpu") {
    compile.cpu.reset();
    compile.gpus = {target::findGpuTarget(target)};
  }
  return compile;
}

static TargetErrors measure(NumericsOptions options,
                            const std::string &text = product,
                            const std::string &target = "cpu") {
  const ModelSource model = ModelSource::memory("model.mlir", text);
  const CompileModelOptions compile = forTarget(target);
  auto numerics = Numerics::open(model, compile, options);
  INFO(numerics.status().message());
  REQUIRE(numerics.ok());
  auto errors = (*numerics)->measure(compile);
  INFO(errors.status().message());
  REQUIRE(errors.ok());
  INFO(errors->whyNoBounds);
  REQUIRE(errors->bounds.size() == errors->outputs.size());
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

TEST_CASE("numerics: digits that results have in common") {
  using Numbers = std::vector<double>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // The mean is 100, the standard deviation 1; Student's t is 4.303.
  CHECK(significantDigits(Numbers{99, 100, 101}) ==
        Approx(std::log10(std::sqrt(3.0) * 100 / 4.303)));
  CHECK(significantDigits(Numbers{-2, -3}) ==
        Approx(std::max(0.0, std::log10(2.5 * 2 / 12.706))));
  CHECK(significantDigits(Numbers{1e-3, 1.0001e-3}) ==
        Approx(std::log10(1.00005e-3 / (12.706 * 5e-8))));
  CHECK(significantDigits(Numbers{1, -1}) == 0);
  CHECK(significantDigits(Numbers{1, 1, infinity}) == 0);
  CHECK(significantDigits(Numbers{1, NAN}) == 0);
  CHECK(significantDigits(Numbers{7, 7, 7}) == infinity);
  CHECK(significantDigits(Numbers{NAN, NAN}) == infinity);
}

/// Bounds by errors, of one result each.
struct Ratios {
  double logs = 0, worst = 0;
  int count = 0;

  void add(const OutputErrors &output, const runtime::HostTensor &computed) {
    if (output.unbounded > 0)
      return;
    double largest = 0;
    for (size_t i = 0; i < computed.size(); ++i)
      largest = std::max(
          largest, std::fabs(toDouble(computed.dtype(), bitsOf(computed, i))));
    const int bits = runtime::dtypeInfo(computed.dtype()).bits == 64 ? 53
                     : computed.dtype() == runtime::DType::F32       ? 24
                     : computed.dtype() == runtime::DType::F16       ? 11
                                                                     : 8;
    // An error that is less than what rounding the result may lose is luck.
    if (output.absolute.value < std::ldexp(largest, -bits - 1))
      return;
    const double ratio = 1 / output.byBound.value;
    logs += std::log(ratio);
    worst = std::max(worst, ratio);
    ++count;
  }
};

TEST_CASE("numerics: random programs are within their bounds") {
  Ratios ratios;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::string text = graph::reference::test::RandomProgram(seed).text();
    NumericsOptions options;
    options.seed = seed;
    for (const char *target : {"cpu", "sm_80"}) {
      INFO("seed " << seed << ", " << target << '\n' << text);
      const TargetErrors errors = measure(options, text, target);
      for (size_t i = 0; i < errors.outputs.size(); ++i) {
        CHECK(errors.outputs[i].exceeded == 0);
        ratios.add(errors.outputs[i], errors.computed[i]);
      }
    }
  }
  const double mean = std::exp(ratios.logs / ratios.count);
  INFO(ratios.count << " results, bound by greatest error: mean " << mean
                    << ", at most " << ratios.worst);
  CHECK(ratios.count > 100);
  CHECK(mean < 5);
  CHECK(ratios.worst < 100);
}

} // namespace tilewright::verify::test
