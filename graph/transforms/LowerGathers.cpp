//===- LowerGathers.cpp - tensor.gather and tensor.scatter as generics ----===//
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

using namespace mlir;

namespace tilewright::graph {

namespace {
/// How a gather or a scatter walks its tensors: loops over the points of the
/// indices, and over the dimensions of the whole tensor.
struct Points {
  /// Dimensions of the indices but the last.
  unsigned batch;
  /// Dimensions of the whole tensor.
  unsigned rank;
  ArrayRef<int64_t> dims;
  /// Whether the slices have their dimensions of size 1.
  bool isReduced;

  Points(RankedTensorType slices, RankedTensorType whole,
         RankedTensorType indices, ArrayRef<int64_t> dims)
      : batch(indices.getRank() - 1), rank(whole.getRank()), dims(dims),
        isReduced(slices.getRank() != batch + rank) {}

  bool isIndexed(unsigned dim) const {
    return llvm::is_contained(dims, int64_t(dim));
  }
  /// The dimension of the slices that follows `dim`; none for one left out.
  std::optional<unsigned> sliceDim(unsigned dim) const {
    if (!isReduced)
      return batch + dim;
    if (isIndexed(dim))
      return std::nullopt;
    unsigned before = 0;
    for (unsigned d = 0; d < dim; ++d)
      before += isIndexed(d) ? 0 : 1;
    return batch + before;
  }
};
} // namespace

/// Reads coordinate `number` of each point; `first` is the loop of the first
/// dimension of the points.
static Read coordinate(Value indices, unsigned loops, unsigned first,
                       unsigned batch, unsigned number) {
  MLIRContext *context = indices.getContext();
  SmallVector<AffineExpr> subscripts;
  for (unsigned d = 0; d < batch; ++d)
    subscripts.push_back(getAffineDimExpr(first + d, context));
  subscripts.push_back(getAffineConstantExpr(number, context));
  return {indices, AffineMap::get(loops, 0, subscripts, context)};
}

static Value toIndex(OpBuilder &b, Location loc, Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
}

namespace {
struct LowerGather : OpRewritePattern<tensor::GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::GatherOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResultType();
    Points points(type, op.getSourceType(), op.getIndicesType(),
                  op.getGatherDims());
    Location loc = op.getLoc();
    auto whole = tensor::getMixedSizes(rewriter, loc, op.getSource());
    auto batch = tensor::getMixedSizes(rewriter, loc, op.getIndices());
    SmallVector<OpFoldResult> sizes(batch.begin(), batch.end() - 1);
    for (unsigned d = 0; d < points.rank; ++d)
      if (points.sliceDim(d))
        sizes.push_back(points.isIndexed(d)
                            ? OpFoldResult(rewriter.getIndexAttr(1))
                            : whole[d]);
    SmallVector<Read> reads;
    for (unsigned i = 0; i < points.dims.size(); ++i)
      reads.push_back(
          coordinate(op.getIndices(), type.getRank(), 0, points.batch, i));
    auto element = [&](OpBuilder &b, Location at, ValueRange given) -> Value {
      SmallVector<Value> indices = buildIndices(b, at, type.getRank());
      SmallVector<Value> subscripts(points.rank);
      for (unsigned d = 0; d < points.rank; ++d)
        if (!points.isIndexed(d))
          subscripts[d] = indices[*points.sliceDim(d)];
      for (auto [i, dim] : llvm::enumerate(points.dims))
        subscripts[dim] = toIndex(b, at, given[i]);
      return tensor::ExtractOp::create(b, at, op.getSource(), subscripts);
    };
    rewriter.replaceOp(
        op, buildElementwise(rewriter, loc, type, sizes, reads, element));
    return success();
  }
};

/// Each element of the result looks through all points for the one that writes
/// it.
struct LowerScatter : OpRewritePattern<tensor::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResultType();
    Points points(op.getSourceType(), type, op.getIndicesType(),
                  op.getScatterDims());
    MLIRContext *context = op.getContext();
    unsigned loops = points.rank + points.batch;
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (unsigned i = 0; i < points.dims.size(); ++i) {
      Read read =
          coordinate(op.getIndices(), loops, points.rank, points.batch, i);
      inputs.push_back(read.tensor);
      maps.push_back(read.map);
    }
    SmallVector<AffineExpr> source;
    for (unsigned d = 0; d < points.batch; ++d)
      source.push_back(getAffineDimExpr(points.rank + d, context));
    for (unsigned d = 0; d < points.rank; ++d)
      if (points.sliceDim(d))
        source.push_back(points.isIndexed(d) ? getAffineConstantExpr(0, context)
                                             : getAffineDimExpr(d, context));
    inputs.push_back(op.getSource());
    maps.push_back(AffineMap::get(loops, 0, source, context));
    auto all = llvm::to_vector(llvm::seq<unsigned>(0, points.rank));
    maps.push_back(readDims(context, loops, all));
    SmallVector<utils::IteratorType> kinds(points.rank,
                                           utils::IteratorType::parallel);
    kinds.resize(loops, utils::IteratorType::reduction);
    auto body = [&](OpBuilder &b, Location at, ValueRange given) {
      Value element = given[points.dims.size()];
      for (auto [i, dim] : llvm::enumerate(points.dims)) {
        Value isHere = arith::CmpIOp::create(
            b, at, arith::CmpIPredicate::eq, toIndex(b, at, given[i]),
            linalg::IndexOp::create(b, at, dim));
        element = arith::SelectOp::create(b, at, isHere, element, given.back());
      }
      linalg::YieldOp::create(b, at, element);
    };
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, inputs, op.getDest(), maps, kinds, body);
    return success();
  }
};
} // namespace

void addGatherPatterns(RewritePatternSet &patterns);
void addGatherPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerGather, LowerScatter>(patterns.getContext());
}

} // namespace tilewright::graph
