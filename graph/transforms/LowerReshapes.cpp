//===- LowerReshapes.cpp - expand_shape and collapse_shape as reshapes ----===//
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_LOWERRESHAPES
#include "graph/transforms/Passes.h.inc"

/// The same elements with another shape; null for a kind of attribute that
/// stores no elements.
static ElementsAttr reshaped(ElementsAttr data, RankedTensorType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(data))
    return dense.reshape(type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(data))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return ElementsAttr();
}

/// Replaces `op` by a reshape of `source` to `type` and `sizes`.
static void replaceByReshape(Operation *op, Value source, RankedTensorType type,
                             ArrayRef<OpFoldResult> sizes,
                             PatternRewriter &rewriter) {
  Location loc = op->getLoc();
  ElementsAttr data;
  if (type.hasStaticShape() && matchPattern(source, m_Constant(&data)))
    if (ElementsAttr same = reshaped(data, type)) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, same);
      return;
    }
  SmallVector<Value> elements;
  for (OpFoldResult size : sizes)
    elements.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, size));
  auto shapeType = RankedTensorType::get(static_cast<int64_t>(sizes.size()),
                                         rewriter.getIndexType());
  Value shape =
      tensor::FromElementsOp::create(rewriter, loc, shapeType, elements);
  rewriter.replaceOpWithNewOp<tensor::ReshapeOp>(op, type, source, shape);
}

namespace {
struct LowerExpandShape : OpRewritePattern<tensor::ExpandShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    replaceByReshape(op, op.getSrc(), op.getResultType(),
                     op.getMixedOutputShape(), rewriter);
    return success();
  }
};

struct LowerCollapseShape : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getResultType();
    auto extents = tensor::getMixedSizes(rewriter, loc, op.getSrc());
    SmallVector<OpFoldResult> sizes;
    for (auto [d, dims] : llvm::enumerate(op.getReassociationIndices())) {
      if (!type.isDynamicDim(d)) {
        sizes.push_back(rewriter.getIndexAttr(type.getDimSize(d)));
        continue;
      }
      Value product;
      for (int64_t dim : dims) {
        Value size =
            getValueOrCreateConstantIndexOp(rewriter, loc, extents[dim]);
        product = product ? arith::MulIOp::create(rewriter, loc, product, size)
                          : size;
      }
      sizes.push_back(product);
    }
    replaceByReshape(op, op.getSrc(), type, sizes, rewriter);
    return success();
  }
};

/// A shape of constants is written element by element.
struct LowerConstantShape : OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    DenseIntElementsAttr shape;
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !matchPattern(op.getShape(), m_Constant(&shape)))
      return rewriter.notifyMatchFailure(op, "the shape is no constant");
    SmallVector<OpFoldResult> sizes;
    for (const APInt &size : shape.getValues<APInt>())
      sizes.push_back(rewriter.getIndexAttr(size.getSExtValue()));
    replaceByReshape(op, op.getSource(), type, sizes, rewriter);
    return success();
  }
};

struct LowerReshapes : impl::LowerReshapesBase<LowerReshapes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerExpandShape, LowerCollapseShape, LowerConstantShape>(
        &getContext());
    if (failed(rewriteAll(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::graph
