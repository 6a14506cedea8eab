//===- LowerMath.cpp - Math functions without a library -------------------===//
#include "codegen/llvm/LowerToLlvm.h"

#include "codegen/math/LowerMathFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_LOWERMATH
#include "codegen/llvm/Passes.h.inc"

namespace {
struct LowerMath : impl::LowerMathBase<LowerMath> {
  using LowerMathBase::LowerMathBase;

  /// A function that is still there would become a call of a library.
  LogicalResult rejectRest() {
    llvm::StringSet<> functions;
    for (const math::ErrorBound &bound : math::errorBounds())
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
    math::populateLowerMathFunctionsPatterns(patterns);
    mlir::math::populateExpansionPatterns(patterns, {"ctlz"});
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))) ||
        failed(rejectRest()))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright
