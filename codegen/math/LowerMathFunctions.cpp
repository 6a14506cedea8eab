//===- LowerMathFunctions.cpp - Math functions as arithmetic --------------===//
#include "codegen/math/LowerMathFunctions.h"

#include "codegen/math/Functions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tilewright::math {

#define GEN_PASS_DEF_LOWERMATHFUNCTIONS
#include "codegen/math/Passes.h.inc"

namespace {
/// An op whose operands and results have one type, and the function that
/// creates its formula.
template <typename Op, auto function> struct Expansion : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op->getOperand(0).getType();
    if (!Arithmetic::supports(type))
      return rewriter.notifyMatchFailure(op, "not of f32 or f64");
    if constexpr (std::is_same_v<Op, mlir::math::FPowIOp>)
      if (getElementTypeOrSelf(op.getRhs()).getIntOrFloatBitWidth() > 64)
        return rewriter.notifyMatchFailure(op, "the exponent has over 64 bits");
    Arithmetic a(rewriter, op.getLoc(), type);
    rewriter.replaceOp(op, call(a, op));
    return success();
  }

private:
  static SmallVector<Value> call(const Arithmetic &a, Op op) {
    Real x = a.given(op->getOperand(0));
    if constexpr (std::is_same_v<Op, mlir::math::SincosOp>) {
      auto [sine, cosine] = function(x);
      return {sine.value, cosine.value};
    } else if constexpr (std::is_same_v<Op, mlir::math::FPowIOp>) {
      return {function(x, op->getOperand(1)).value};
    } else if constexpr (Op::template hasTrait<OpTrait::OneOperand>()) {
      return {function(x).value};
    } else {
      return {function(x, a.given(op->getOperand(1))).value};
    }
  }
};

struct IntegerPowerExpansion : OpRewritePattern<mlir::math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(mlir::math::IPowIOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<TensorType>(op.getType()) ||
        getElementTypeOrSelf(op.getType()).isIndex())
      return rewriter.notifyMatchFailure(
          op, "not a scalar or a vector of a known width");
    rewriter.replaceOp(
        op, integerPower(rewriter, op.getLoc(), op.getLhs(), op.getRhs()));
    return success();
  }
};

struct LowerMathFunctions : impl::LowerMathFunctionsBase<LowerMathFunctions> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateLowerMathFunctionsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

static constexpr ErrorBound kErrorBounds[] = {
#define MATH_BOUND(function, single, wide, operands)                           \
  {#function, single, wide, operands},
#include "codegen/math/Bounds.inc"
#undef MATH_BOUND
};

llvm::ArrayRef<ErrorBound> errorBounds() { return kErrorBounds; }

void populateLowerMathFunctionsPatterns(RewritePatternSet &patterns) {
  patterns.add<
      Expansion<mlir::math::AcosOp, acos>,
      Expansion<mlir::math::AcoshOp, acosh>,
      Expansion<mlir::math::AsinOp, asin>,
      Expansion<mlir::math::AsinhOp, asinh>,
      Expansion<mlir::math::AtanOp, atan>,
      Expansion<mlir::math::Atan2Op, atan2>,
      Expansion<mlir::math::AtanhOp, atanh>,
      Expansion<mlir::math::CbrtOp, cbrt>, Expansion<mlir::math::CosOp, cos>,
      Expansion<mlir::math::CoshOp, cosh>, Expansion<mlir::math::ErfOp, erf>,
      Expansion<mlir::math::ErfcOp, erfc>, Expansion<mlir::math::ExpOp, exp>,
      Expansion<mlir::math::Exp2Op, exp2>,
      Expansion<mlir::math::ExpM1Op, expm1>,
      Expansion<mlir::math::FPowIOp, powInteger>,
      Expansion<mlir::math::LogOp, log>, Expansion<mlir::math::Log10Op, log10>,
      Expansion<mlir::math::Log1pOp, log1p>,
      Expansion<mlir::math::Log2Op, log2>, Expansion<mlir::math::PowFOp, pow>,
      Expansion<mlir::math::RsqrtOp, rsqrt>, Expansion<mlir::math::SinOp, sin>,
      Expansion<mlir::math::SincosOp, sineCosine>,
      Expansion<mlir::math::SinhOp, sinh>, Expansion<mlir::math::TanOp, tan>,
      Expansion<mlir::math::TanhOp, tanh>, IntegerPowerExpansion>(
      patterns.getContext());
}

} // namespace tilewright::math
