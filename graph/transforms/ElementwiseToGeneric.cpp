//===- ElementwiseToGeneric.cpp - arith and math on tensors as generics ---===//
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_ELEMENTWISETOGENERIC
#include "graph/transforms/Passes.h.inc"

namespace {
/// One condition for all elements: the body reads it from outside.
struct LowerSelect : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || isa<ShapedType>(op.getCondition().getType()))
      return rewriter.notifyMatchFailure(op, "not one condition for a tensor");
    Location loc = op.getLoc();
    AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
    rewriter.replaceOp(
        op, buildElementwise(
                rewriter, loc, type,
                tensor::getMixedSizes(rewriter, loc, op.getTrueValue()),
                {{op.getTrueValue(), map}, {op.getFalseValue(), map}},
                [&](OpBuilder &b, Location at, ValueRange sides) -> Value {
                  return arith::SelectOp::create(b, at, op.getCondition(),
                                                 sides[0], sides[1]);
                }));
    return success();
  }
};

struct ElementwiseToGeneric
    : impl::ElementwiseToGenericBase<ElementwiseToGeneric> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    patterns.add<LowerSelect>(&getContext());
    if (failed(rewriteAll(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::graph
