//===- LowerTensorOps.cpp - Ops on single elements as generics ------------===//
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_LOWERTENSOROPS
#include "graph/transforms/Passes.h.inc"

namespace {

struct LowerSplat : OpRewritePattern<tensor::SplatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::SplatOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Value init = tensor::EmptyOp::create(rewriter, op.getLoc(), type,
                                         op.getDynamicSizes());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, op.getInput(), init);
    return success();
  }
};

/// The body computes from the indices of the element.
struct LowerGenerate : OpRewritePattern<tensor::GenerateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::GenerateOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<OpFoldResult> sizes;
    unsigned dynamic = 0;
    for (int64_t size : type.getShape())
      sizes.push_back(ShapedType::isDynamic(size)
                          ? OpFoldResult(op.getDynamicExtents()[dynamic++])
                          : rewriter.getIndexAttr(size));
    rewriter.replaceOp(
        op,
        buildElementwise(rewriter, op.getLoc(), type, sizes, {},
                         [&](OpBuilder &b, Location loc, ValueRange) -> Value {
                           IRMapping mapping;
                           Block &body = op.getBody().front();
                           mapping.map(body.getArguments(),
                                       buildIndices(b, loc, type.getRank()));
                           return cloneBody(b, body, mapping).front();
                         }));
    return success();
  }
};

/// Selects among the elements by the index in row-major order.
struct LowerFromElements : OpRewritePattern<tensor::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    bool isShape = llvm::all_of(op->getUses(), [](OpOperand &use) {
      auto reshape = dyn_cast<tensor::ReshapeOp>(use.getOwner());
      return reshape && use.get() == reshape.getShape();
    });
    if (isShape && !op->use_empty())
      return rewriter.notifyMatchFailure(op, "the sizes of a reshape");
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<Attribute> constants;
    for (Value element : op.getElements())
      if (Attribute value; matchPattern(element, m_Constant(&value)))
        constants.push_back(value);
    if (constants.size() == op.getElements().size()) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, DenseElementsAttr::get(type, constants));
      return success();
    }
    SmallVector<OpFoldResult> sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(rewriter.getIndexAttr(size));
    rewriter.replaceOp(
        op, buildElementwise(rewriter, op.getLoc(), type, sizes, {},
                             [&](OpBuilder &b, Location loc, ValueRange) {
                               return choose(op, b, loc);
                             }));
    return success();
  }

  static Value choose(tensor::FromElementsOp op, OpBuilder &b, Location loc) {
    auto type = cast<RankedTensorType>(op.getType());
    Value at = arith::ConstantIndexOp::create(b, loc, 0);
    for (auto [d, index] :
         llvm::enumerate(buildIndices(b, loc, type.getRank()))) {
      Value size = arith::ConstantIndexOp::create(b, loc, type.getDimSize(d));
      at = arith::AddIOp::create(
          b, loc, arith::MulIOp::create(b, loc, at, size), index);
    }
    Value chosen = op.getElements().front();
    for (auto [i, element] : llvm::enumerate(op.getElements())) {
      if (i == 0)
        continue;
      Value number = arith::ConstantIndexOp::create(b, loc, i);
      Value isHere =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, at, number);
      chosen = arith::SelectOp::create(b, loc, isHere, element, chosen);
    }
    return chosen;
  }
};

struct LowerInsert : OpRewritePattern<tensor::InsertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Location loc = op.getLoc();
    Read dest{op.getDest(), rewriter.getMultiDimIdentityMap(type.getRank())};
    rewriter.replaceOp(
        op,
        buildElementwise(
            rewriter, loc, type,
            tensor::getMixedSizes(rewriter, loc, op.getDest()), dest,
            [&](OpBuilder &b, Location at, ValueRange elements) -> Value {
              Value element = op.getScalar();
              auto indices = buildIndices(b, at, type.getRank());
              for (auto [index, wanted] : llvm::zip(indices, op.getIndices())) {
                Value isHere = arith::CmpIOp::create(
                    b, at, arith::CmpIPredicate::eq, index, wanted);
                element = arith::SelectOp::create(b, at, isHere, element,
                                                  elements[0]);
              }
              return element;
            }));
    return success();
  }
};

struct LowerBitcast : OpRewritePattern<tensor::BitcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::BitcastOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "the rank is unknown");
    Location loc = op.getLoc();
    Read source{op.getSource(),
                rewriter.getMultiDimIdentityMap(type.getRank())};
    rewriter.replaceOp(
        op, buildElementwise(
                rewriter, loc, type,
                tensor::getMixedSizes(rewriter, loc, op.getSource()), source,
                [&](OpBuilder &b, Location at, ValueRange elements) -> Value {
                  return arith::BitcastOp::create(b, at, type.getElementType(),
                                                  elements[0]);
                }));
    return success();
  }
};

} // namespace

void addGatherPatterns(RewritePatternSet &patterns);

namespace {
struct LowerTensorOps : impl::LowerTensorOpsBase<LowerTensorOps> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerSplat, LowerGenerate, LowerFromElements, LowerInsert,
                 LowerBitcast>(&getContext());
    addGatherPatterns(patterns);
    if (failed(rewriteAll(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::graph
