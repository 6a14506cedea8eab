//===- LowerMath.cpp - Math functions without a library -------------------===//
#include "codegen/llvm/LowerMath.h"

#include "codegen/math/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tilewright {

namespace {
struct LowerMath : PassWrapper<LowerMath, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerMath)
  StringRef getName() const override { return "LowerMath"; }
  StringRef getArgument() const override { return "lower-math"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }

  /// A function that is still there would become a call of a library.
  LogicalResult refuseRest() {
    llvm::StringSet<> functions;
    for (const elementary::ErrorBound &bound : elementary::errorBounds())
      functions.insert(("math." + StringRef(bound.function)).str());
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (!functions.contains(op->getName().getStringRef()))
        return WalkResult::advance();
      op->emitError() << op->getName() << " is lowered on f32 and f64, found "
                      << getElementTypeOrSelf(op->getOperand(0).getType())
                      << ": convert its operands";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    elementary::populateExpandMathPatterns(patterns);
    math::populateExpansionPatterns(patterns, {"ctlz"});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))) ||
        failed(refuseRest()))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> createLowerMath() {
  return std::make_unique<LowerMath>();
}

} // namespace tilewright
