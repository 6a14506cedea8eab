//===- LowerSlices.cpp - Slices and paddings that no load can do ----------===//
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_LOWERSLICES
#include "graph/transforms/Passes.h.inc"

static bool areSizes(ArrayRef<OpFoldResult> values) {
  return llvm::all_of(values, [](OpFoldResult v) { return isSize(v); });
}

static Value toValue(OpBuilder &b, Location loc, OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(b, loc, value);
}

namespace {

/// result[i] = source[offset + i * stride].
struct LowerExtractSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
    SmallVector<OpFoldResult> strides = op.getMixedStrides();
    bool isLoad = llvm::all_of(strides, [](OpFoldResult stride) {
      std::optional<int64_t> known = getConstantIntValue(stride);
      return known && *known >= 1;
    });
    if (isLoad && areSizes(offsets))
      return rewriter.notifyMatchFailure(op, "a structured load");
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<OpFoldResult> sizes;
    for (auto [d, size] : llvm::enumerate(op.getMixedSizes()))
      if (!dropped.test(d))
        sizes.push_back(size);
    auto element = [&](OpBuilder &b, Location at, ValueRange) -> Value {
      SmallVector<Value> indices = buildIndices(b, at, sizes.size());
      SmallVector<Value> subscripts;
      unsigned outer = 0;
      for (unsigned d = 0; d < offsets.size(); ++d) {
        Value start = toValue(b, at, offsets[d]);
        if (!dropped.test(d)) {
          Value moved = arith::MulIOp::create(b, at, indices[outer++],
                                              toValue(b, at, strides[d]));
          start = arith::AddIOp::create(b, at, start, moved);
        }
        subscripts.push_back(start);
      }
      return tensor::ExtractOp::create(b, at, op.getSource(), subscripts);
    };
    rewriter.replaceOp(op, buildElementwise(rewriter, op.getLoc(), op.getType(),
                                            sizes, {}, element));
    return success();
  }
};

/// result[i] = source[i - low] where that exists, else the body's value.
struct LowerPad : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    Value constant = op.getConstantPaddingValue();
    SmallVector<OpFoldResult> low = op.getMixedLowPad();
    SmallVector<OpFoldResult> high = op.getMixedHighPad();
    if (constant && matchPattern(constant, m_Constant()) && areSizes(low) &&
        areSizes(high))
      return rewriter.notifyMatchFailure(op, "a structured load");
    Location loc = op.getLoc();
    RankedTensorType type = op.getResultType();
    auto extents = tensor::getMixedSizes(rewriter, loc, op.getSource());
    SmallVector<OpFoldResult> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d)) {
        sizes.push_back(rewriter.getIndexAttr(type.getDimSize(d)));
        continue;
      }
      Value before =
          arith::AddIOp::create(rewriter, loc, toValue(rewriter, loc, low[d]),
                                toValue(rewriter, loc, extents[d]));
      sizes.push_back(arith::AddIOp::create(rewriter, loc, before,
                                            toValue(rewriter, loc, high[d]))
                          .getResult());
    }
    auto element = [&](OpBuilder &b, Location at, ValueRange) -> Value {
      SmallVector<Value> indices = buildIndices(b, at, type.getRank());
      Value isInside = arith::ConstantOp::create(b, at, b.getBoolAttr(true));
      SmallVector<Value> subscripts;
      for (int64_t d = 0; d < type.getRank(); ++d) {
        Inside inside = buildInside(b, at, indices[d], low[d], extents[d]);
        isInside = arith::AndIOp::create(b, at, isInside, inside.isInside);
        subscripts.push_back(inside.position);
      }
      IRMapping mapping;
      Block &body = op.getRegion().front();
      mapping.map(body.getArguments(), indices);
      Value outside = cloneBody(b, body, mapping).front();
      Value inner =
          tensor::ExtractOp::create(b, at, op.getSource(), subscripts);
      return arith::SelectOp::create(b, at, isInside, inner, outside);
    };
    rewriter.replaceOp(
        op, buildElementwise(rewriter, loc, type, sizes, {}, element));
    return success();
  }
};

/// Selects the source where it covers the result, else the destination.
struct LowerInsertSlice : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override;

private:
  static Value padSource(tensor::InsertSliceOp op,
                         ArrayRef<OpFoldResult> extents,
                         PatternRewriter &rewriter);
};
} // namespace

/// The source with as much around it as the result has; dimensions that the
/// source does not have are left out. Null where a pad cannot say that.
Value LowerInsertSlice::padSource(tensor::InsertSliceOp op,
                                  ArrayRef<OpFoldResult> extents,
                                  PatternRewriter &rewriter) {
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  SmallVector<OpFoldResult> counts = op.getMixedSizes();
  if (!areSizes(offsets) || !areSizes(counts) ||
      !llvm::all_of(op.getMixedStrides(), isOneInteger))
    return Value();
  Location loc = op.getLoc();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  RankedTensorType dest = op.getDestType();
  SmallVector<OpFoldResult> low, high;
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < dest.getRank(); ++d) {
    if (dropped.test(d))
      continue;
    shape.push_back(dest.getDimSize(d));
    low.push_back(offsets[d]);
    AffineExpr a, b, c;
    bindSymbols(op.getContext(), a, b, c);
    high.push_back(affine::makeComposedFoldedAffineApply(
        rewriter, loc, a - b - c, {extents[d], offsets[d], counts[d]}));
  }
  auto type = RankedTensorType::get(shape, dest.getElementType());
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(dest.getElementType()));
  return tensor::PadOp::create(rewriter, loc, type, op.getSource(), low, high,
                               zero);
}

LogicalResult
LowerInsertSlice::matchAndRewrite(tensor::InsertSliceOp op,
                                  PatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  RankedTensorType type = op.getDestType();
  unsigned rank = type.getRank();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  auto extents = tensor::getMixedSizes(rewriter, loc, op.getDest());
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  SmallVector<OpFoldResult> counts = op.getMixedSizes();
  SmallVector<OpFoldResult> strides = op.getMixedStrides();
  SmallVector<Read> reads{
      {op.getDest(), rewriter.getMultiDimIdentityMap(rank)}};
  Value padded = padSource(op, extents, rewriter);
  if (padded) {
    SmallVector<unsigned> kept;
    for (unsigned d = 0; d < rank; ++d)
      if (!dropped.test(d))
        kept.push_back(d);
    reads.push_back({padded, readDims(op.getContext(), rank, kept)});
  }
  auto element = [&](OpBuilder &b, Location at, ValueRange given) -> Value {
    Value isInside = arith::ConstantOp::create(b, at, b.getBoolAttr(true));
    SmallVector<Value> subscripts;
    for (auto [d, index] : llvm::enumerate(buildIndices(b, at, rank))) {
      Value offset = toValue(b, at, offsets[d]);
      Value stride = toValue(b, at, strides[d]);
      Value moved = arith::SubIOp::create(b, at, index, offset);
      Value position = moved;
      if (!isOneInteger(strides[d])) {
        position = arith::FloorDivSIOp::create(b, at, moved, stride);
        Value isMultiple = arith::CmpIOp::create(
            b, at, arith::CmpIPredicate::eq,
            arith::MulIOp::create(b, at, position, stride), moved);
        isInside = arith::AndIOp::create(b, at, isInside, isMultiple);
      }
      bool isWhole = isZeroInteger(offsets[d]) && counts[d] == extents[d] &&
                     isOneInteger(strides[d]);
      if (!isWhole)
        isInside = arith::AndIOp::create(
            b, at, isInside,
            buildInside(b, at, position, b.getIndexAttr(0), counts[d])
                .isInside);
      if (!dropped.test(d))
        subscripts.push_back(position);
    }
    Value source =
        padded ? given[1]
               : tensor::ExtractOp::create(b, at, op.getSource(), subscripts)
                     .getResult();
    return arith::SelectOp::create(b, at, isInside, source, given[0]);
  };
  rewriter.replaceOp(
      op, buildElementwise(rewriter, loc, type, extents, reads, element));
  return success();
}

namespace {
struct LowerSlices : impl::LowerSlicesBase<LowerSlices> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerExtractSlice, LowerPad, LowerInsertSlice>(&getContext());
    if (failed(rewriteAll(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::graph
