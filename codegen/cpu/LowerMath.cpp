//===- LowerMath.cpp - Math functions on a host ---------------------------===//
#include "codegen/cpu/LowerMath.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/Transforms/Approximation.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tilewright::cpu {

namespace {
/// Arithmetic on one shape of vectors (or scalars) of f32.
struct Arithmetic {
  OpBuilder &b;
  Location loc;
  Type type;

  Type shaped(Type element) const {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value constant(TypedAttr scalar) const {
    Attribute attr = scalar;
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector.clone(scalar.getType()), attr);
    return arith::ConstantOp::create(b, loc, cast<TypedAttr>(attr));
  }
  Value real(double value) const { return constant(b.getF32FloatAttr(value)); }
  Value whole(int32_t value) const {
    return constant(b.getI32IntegerAttr(value));
  }
  Value mul(Value x, Value y) const {
    return arith::MulFOp::create(b, loc, x, y);
  }
  Value fma(Value x, Value y, Value z) const {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  /// 2^n for integers that give a normal number.
  Value power(Value n) const {
    Value biased = arith::AddIOp::create(b, loc, n, whole(127));
    Value bits = arith::ShLIOp::create(b, loc, biased, whole(23));
    return arith::BitcastOp::create(b, loc, type, bits);
  }
};

/// e^x = 2^n e^r with |r| <= ln(2) / 2. The polynomial in r is the minimax one
/// of relative error 5e-11 before its coefficients were rounded (Remez). 2^n is
/// multiplied in two steps, so that only the last one rounds, to subnormals
/// too.
struct ExponentialOfF32 : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!getElementTypeOrSelf(x.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    Arithmetic a{rewriter, op.getLoc(), x.getType()};
    // Beyond these the result is 0 or an infinity; NaN stays.
    x = arith::MaximumFOp::create(rewriter, a.loc, x, a.real(-105));
    x = arith::MinimumFOp::create(rewriter, a.loc, x, a.real(89));
    Value n = math::RoundEvenOp::create(rewriter, a.loc,
                                        a.mul(x, a.real(1.4426950408889634)));
    // ln(2) in two parts, the first of few bits.
    Value r = a.fma(n, a.real(-0.693359375), x);
    r = a.fma(n, a.real(2.1219444005469058e-4), r);
    static const double coefficients[] = {1.97901350e-04, 1.39448685e-03,
                                          8.33349834e-03, 4.16662922e-02,
                                          1.66666659e-01, 5.00000007e-01};
    Value sum = a.real(coefficients[0]);
    for (double coefficient : llvm::drop_begin(coefficients))
      sum = a.fma(sum, r, a.real(coefficient));
    Value square = a.mul(r, r);
    sum = a.fma(sum, square,
                arith::AddFOp::create(rewriter, a.loc, r, a.real(1)));
    Value whole = arith::FPToSIOp::create(rewriter, a.loc,
                                          a.shaped(rewriter.getI32Type()), n);
    Value half = arith::ShRSIOp::create(rewriter, a.loc, whole, a.whole(1));
    Value rest = arith::SubIOp::create(rewriter, a.loc, whole, half);
    rewriter.replaceOp(op, a.mul(a.mul(sum, a.power(half)), a.power(rest)));
    return success();
  }
};

struct LowerMath : PassWrapper<LowerMath, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerMath)
  StringRef getName() const override { return "LowerMath"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                    vector::VectorDialect>();
  }

  /// The polynomials whose error is a few units in the last place everywhere.
  LogicalResult approximate() {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExponentialOfF32>(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained({"math.acos", "math.asin", "math.erf",
                                 "math.exp2", "math.expm1", "math.log1p",
                                 "math.tanh"},
                                name);
    });
    math::populateExpansionPatterns(patterns, {"rsqrt", "ctlz"});
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  LogicalResult callLibrary() {
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target
        .addIllegalOp<math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp,
                      math::AtanOp, math::Atan2Op, math::AtanhOp, math::CbrtOp,
                      math::CoshOp, math::ErfOp, math::ErfcOp, math::ExpM1Op,
                      math::Log1pOp, math::SinhOp, math::TanOp, math::TanhOp>();
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }

  void runOnOperation() override {
    if (failed(approximate()) || failed(callLibrary()))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> createLowerMath() {
  return std::make_unique<LowerMath>();
}

} // namespace tilewright::cpu
