//===- DecomposeLinalg.cpp - Softmax, pack, unpack as simpler ops ---------===//
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_DECOMPOSELINALG
#include "graph/transforms/Passes.h.inc"

namespace {
struct Decompose : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
    if (failed(values))
      return rewriter.notifyMatchFailure(op, "has no decomposition");
    rewriter.replaceOp(op, *values);
    return success();
  }
};
} // namespace

/// The elements of a pack, read by index: source[outer * tile + inner], or the
/// padding beyond the end.
static void packByIndex(linalg::PackOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto source = cast<RankedTensorType>(op.getSource().getType());
  SmallVector<OpFoldResult> tiles = op.getMixedTiles();
  SmallVector<OpFoldResult> extents =
      tensor::getMixedSizes(rewriter, loc, op.getSource());
  ArrayRef<int64_t> outer = op.getOuterDimsPerm();
  Value packed = buildElementwise(
      rewriter, loc, type, tensor::getMixedSizes(rewriter, loc, op.getDest()),
      {}, [&](OpBuilder &b, Location at, ValueRange) -> Value {
        SmallVector<Value> index = buildIndices(b, at, type.getRank());
        SmallVector<Value> subscripts(source.getRank());
        for (int64_t d = 0; d < source.getRank(); ++d)
          subscripts[outer.empty() ? d : outer[d]] = index[d];
        for (auto [i, dim] : llvm::enumerate(op.getInnerDimsPos())) {
          Value tile = getValueOrCreateConstantIndexOp(b, at, tiles[i]);
          Value start = arith::MulIOp::create(b, at, subscripts[dim], tile);
          subscripts[dim] =
              arith::AddIOp::create(b, at, start, index[source.getRank() + i]);
        }
        Value element =
            tensor::ExtractOp::create(b, at, op.getSource(), subscripts);
        Value padding = op.getPaddingValue();
        if (!padding)
          return element;
        for (int64_t dim : op.getInnerDimsPos()) {
          Inside inside = buildInside(b, at, subscripts[dim], b.getIndexAttr(0),
                                      extents[dim]);
          element =
              arith::SelectOp::create(b, at, inside.isInside, element, padding);
        }
        return element;
      });
  rewriter.replaceOp(op, packed);
}

/// The elements of an unpack, read by index.
static void unpackByIndex(linalg::UnPackOp op, RewriterBase &rewriter) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<OpFoldResult> tiles = op.getMixedTiles();
  ArrayRef<int64_t> outer = op.getOuterDimsPerm();
  Value unpacked = buildElementwise(
      rewriter, loc, type, tensor::getMixedSizes(rewriter, loc, op.getDest()),
      {}, [&](OpBuilder &b, Location at, ValueRange) -> Value {
        SmallVector<Value> index = buildIndices(b, at, type.getRank());
        SmallVector<Value> inner;
        for (auto [i, dim] : llvm::enumerate(op.getInnerDimsPos())) {
          Value tile = getValueOrCreateConstantIndexOp(b, at, tiles[i]);
          inner.push_back(arith::RemUIOp::create(b, at, index[dim], tile));
          index[dim] = arith::DivUIOp::create(b, at, index[dim], tile);
        }
        SmallVector<Value> subscripts;
        for (int64_t d = 0; d < type.getRank(); ++d)
          subscripts.push_back(index[outer.empty() ? d : outer[d]]);
        llvm::append_range(subscripts, inner);
        return tensor::ExtractOp::create(b, at, op.getSource(), subscripts);
      });
  rewriter.replaceOp(op, unpacked);
}

/// Whether upstream's decomposition supports the shapes.
template <typename Op> static bool isStatic(Op op) {
  return cast<RankedTensorType>(op.getSource().getType()).hasStaticShape() &&
         cast<RankedTensorType>(op.getDest().getType()).hasStaticShape();
}

/// Upstream's decompositions read the semantics of floats without a look at
/// the type.
static bool hasFloats(Operation *op) {
  for (Value value : op->getOperands()) {
    const Type element = getElementTypeOrSelf(value.getType());
    if (isa<FloatType>(element))
      continue;
    op->emitError() << "expected elements of a floating-point type, found "
                    << element;
    return false;
  }
  return true;
}

namespace {
struct DecomposeLinalg : impl::DecomposeLinalgBase<DecomposeLinalg> {
  void runOnOperation() override {
    SmallVector<Operation *> layouts;
    bool isClean = true;
    WalkResult walked = getOperation().walk([&](Operation *op) {
      if (isa<linalg::AggregatedOpInterface, linalg::WinogradFilterTransformOp,
              linalg::WinogradInputTransformOp,
              linalg::WinogradOutputTransformOp>(op)) {
        isClean = false;
        if (!hasFloats(op))
          return WalkResult::interrupt();
      }
      if (isa<linalg::PackOp, linalg::UnPackOp>(op))
        layouts.push_back(op);
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (Operation *op : layouts) {
      rewriter.setInsertionPoint(op);
      if (auto pack = dyn_cast<linalg::PackOp>(op)) {
        if (!isStatic(pack) ||
            failed(linalg::lowerPack(rewriter, pack,
                                     /*lowerPadLikeWithInsertSlice=*/false)))
          packByIndex(pack, rewriter);
      } else if (auto unpack = cast<linalg::UnPackOp>(op);
                 !isStatic(unpack) ||
                 failed(linalg::lowerUnPack(
                     rewriter, unpack,
                     /*lowerUnpadLikeWithExtractSlice=*/false))) {
        unpackByIndex(unpack, rewriter);
      }
    }
    RewritePatternSet patterns(&getContext());
    patterns.add<Decompose>(&getContext());
    linalg::populateDecomposeWinogradOpsPatterns(patterns);
    if (!isClean && failed(rewriteAll(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::graph
