//===- ExpandMath.cpp - Math functions as arithmetic ----------------------===//
#include "codegen/math/ExpandMath.h"

#include "codegen/math/Functions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tilewright::elementary {

#define GEN_PASS_DEF_EXPANDMATH
#include "codegen/math/Passes.h.inc"

namespace {
/// An op whose operands and results are of one type, and the function that
/// creates its formula.
template <typename Op, auto function> struct Expansion : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op->getOperand(0).getType();
    if (!Arithmetic::supports(type))
      return rewriter.notifyMatchFailure(op, "not of f32 or f64");
    if constexpr (std::is_same_v<Op, math::FPowIOp>)
      if (getElementTypeOrSelf(op.getRhs()).getIntOrFloatBitWidth() > 64)
        return rewriter.notifyMatchFailure(op, "the exponent has over 64 bits");
    Arithmetic a(rewriter, op.getLoc(), type);
    rewriter.replaceOp(op, call(a, op));
    return success();
  }

private:
  static SmallVector<Value> call(const Arithmetic &a, Op op) {
    Real x = a.given(op->getOperand(0));
    if constexpr (std::is_same_v<Op, math::SincosOp>) {
      auto [sine, cosine] = function(x);
      return {sine.value, cosine.value};
    } else if constexpr (std::is_same_v<Op, math::FPowIOp>) {
      return {function(x, op->getOperand(1)).value};
    } else if constexpr (Op::template hasTrait<OpTrait::OneOperand>()) {
      return {function(x).value};
    } else {
      return {function(x, a.given(op->getOperand(1))).value};
    }
  }
};

struct IntegerPowerExpansion : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op,
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

struct ExpandMath : impl::ExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
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

void populateExpandMathPatterns(RewritePatternSet &patterns) {
  patterns
      .add<Expansion<math::AcosOp, acos>, Expansion<math::AcoshOp, acosh>,
           Expansion<math::AsinOp, asin>, Expansion<math::AsinhOp, asinh>,
           Expansion<math::AtanOp, atan>, Expansion<math::Atan2Op, atan2>,
           Expansion<math::AtanhOp, atanh>, Expansion<math::CbrtOp, cbrt>,
           Expansion<math::CosOp, cos>, Expansion<math::CoshOp, cosh>,
           Expansion<math::ErfOp, erf>, Expansion<math::ErfcOp, erfc>,
           Expansion<math::ExpOp, exp>, Expansion<math::Exp2Op, exp2>,
           Expansion<math::ExpM1Op, expm1>,
           Expansion<math::FPowIOp, powInteger>, Expansion<math::LogOp, log>,
           Expansion<math::Log10Op, log10>, Expansion<math::Log1pOp, log1p>,
           Expansion<math::Log2Op, log2>, Expansion<math::PowFOp, pow>,
           Expansion<math::RsqrtOp, rsqrt>, Expansion<math::SinOp, sin>,
           Expansion<math::SincosOp, sineCosine>, Expansion<math::SinhOp, sinh>,
           Expansion<math::TanOp, tan>, Expansion<math::TanhOp, tanh>,
           IntegerPowerExpansion>(patterns.getContext());
}

} // namespace tilewright::elementary
