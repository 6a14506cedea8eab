//===- NarrowFloats.cpp - Arithmetic in the type of its operands ----------===//
#include "codegen/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_NARROWFLOATS
#include "codegen/transforms/Passes.h.inc"

namespace {
/// `truncf(op(extf x, ..))`. A sum, difference or product of p bits that is
/// rounded to at least 2p + 2 bits first is rounded as if once (Figueroa, "When
/// is double rounding innocuous?", 1995): f32 has 24 bits, f16 11, bf16 8. A
/// selection rounds nothing.
struct NarrowOp : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp truncation,
                                PatternRewriter &rewriter) const override;
};

struct NarrowFloats : impl::NarrowFloatsBase<NarrowFloats> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<NarrowOp>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

/// The operand in the narrow type: what was extended, or a constant that the
/// type has. Null where there is none.
static Value narrowOperand(Value operand, Type narrow,
                           PatternRewriter &rewriter) {
  if (auto extension = operand.getDefiningOp<arith::ExtFOp>())
    return extension.getIn().getType() == narrow ? extension.getIn() : Value();
  auto constant = operand.getDefiningOp<arith::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  if (!splat)
    return {};
  auto element = cast<FloatType>(getElementTypeOrSelf(narrow));
  APFloat value = splat.getSplatValue<APFloat>();
  bool losesInfo = false;
  value.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  if (losesInfo)
    return {};
  return arith::ConstantOp::create(
      rewriter, constant.getLoc(),
      DenseElementsAttr::get(cast<ShapedType>(narrow), value));
}

LogicalResult NarrowOp::matchAndRewrite(arith::TruncFOp truncation,
                                        PatternRewriter &rewriter) const {
  Operation *op = truncation.getIn().getDefiningOp();
  auto narrow = dyn_cast<RankedTensorType>(truncation.getType());
  if (!narrow || !op ||
      !isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
           arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
           arith::MinNumFOp, math::AbsFOp>(op))
    return rewriter.notifyMatchFailure(truncation, "another op is rounded");
  if (truncation.getRoundingmode() || !op->hasOneUse())
    return rewriter.notifyMatchFailure(
        truncation, "rounds in its own way, or the wide result is used too");
  if (!narrow.getElementType().isF16() && !narrow.getElementType().isBF16())
    return rewriter.notifyMatchFailure(truncation, "no arithmetic of the type");
  SmallVector<Value> operands;
  bool hasExtension = false;
  for (Value operand : op->getOperands()) {
    hasExtension |= operand.getDefiningOp<arith::ExtFOp>() != nullptr;
    operands.push_back(narrowOperand(operand, narrow, rewriter));
    if (!operands.back())
      return rewriter.notifyMatchFailure(truncation, "a wide operand");
  }
  if (!hasExtension || !getElementTypeOrSelf(op->getResult(0)).isF32())
    return rewriter.notifyMatchFailure(truncation, "no extended operand");
  OperationState state(op->getLoc(), op->getName(), operands, {narrow},
                       op->getAttrs());
  rewriter.replaceOp(truncation, rewriter.create(state)->getResults());
  return success();
}

} // namespace tilewright::tilegpu
