//===- ExpandSorts.cpp - Sorts of long rows as passes over digits ---------===//
//
// A radix sort from the least digit up (D. E. Knuth, "The Art of Computer
// Programming", vol. 3, 5.2.5). Each pass orders keys by one digit and keeps
// the order of those that have the same: so the passes together sort them. The
// number of passes depends on the type of the keys only, so that a row may have
// any length.
//
//===----------------------------------------------------------------------===//
#include "graph/ir/Graph.h"
#include "graph/transforms/Passes.h"
#include "graph/transforms/SortedRows.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_EXPANDSORTS
#include "graph/transforms/Passes.h.inc"

/// The keys that one program counts and moves.
static constexpr int64_t sortedBlock = 8192;

/// The size that a static or dynamic `length` makes of blocks.
static int64_t blocksOf(int64_t length, int64_t block) {
  return ShapedType::isDynamic(length) ? length
                                       : llvm::divideCeil(length, block);
}

/// Groups of the dimensions of a tensor, the last two together.
static SmallVector<ReassociationIndices> lastTwo(int64_t rank) {
  SmallVector<ReassociationIndices> merged;
  for (int64_t dim = 0; dim + 2 < rank; ++dim)
    merged.push_back({dim});
  merged.push_back({rank - 2, rank - 1});
  return merged;
}

//===--- Passes over digits -----------------------------------------------===//

/// The sum of all counts of a row before each one, digits first.
static Value prefixes(OpBuilder &b, Location loc, Value counts) {
  auto type = cast<RankedTensorType>(counts.getType());
  const auto rank = unsigned(type.getRank() - 1);
  SmallVector<ReassociationIndices> merged = lastTwo(type.getRank());
  Value flat = tensor::CollapseShapeOp::create(b, loc, counts, merged);
  auto flatType = cast<RankedTensorType>(flat.getType());
  Value zero = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  Value empty =
      buildEmpty(b, loc, flatType, tensor::getMixedSizes(b, loc, flat));
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  auto read = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  SmallVector<unsigned> written(read);
  read.back() = rank;
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  auto sums = linalg::GenericOp::create(
      b, loc, flatType, flat, init,
      {readDims(b.getContext(), rank + 1, read),
       readDims(b.getContext(), rank + 1, written)},
      kinds, [&](OpBuilder &inner, Location at, ValueRange given) {
        Value point = linalg::IndexOp::create(inner, at, rank - 1);
        Value other = linalg::IndexOp::create(inner, at, rank);
        Value isBefore = arith::CmpIOp::create(
            inner, at, arith::CmpIPredicate::slt, other, point);
        Value sum = arith::AddIOp::create(inner, at, given[1], given[0]);
        Value chosen =
            arith::SelectOp::create(inner, at, isBefore, sum, given[1]);
        linalg::YieldOp::create(inner, at, chosen);
      });
  return tensor::ExpandShapeOp::create(b, loc, type, sums.getResult(0), merged,
                                       tensor::getMixedSizes(b, loc, counts));
}

/// Values in the order of their keys, unsigned integers along the last
/// dimension.
static Value sortByDigits(OpBuilder &b, Location loc, Value keys,
                          Value values) {
  auto type = cast<RankedTensorType>(keys.getType());
  const int64_t blocks = blocksOf(type.getShape().back(), sortedBlock);
  SmallVector<int64_t> byDigit(type.getShape().drop_back());
  SmallVector<int64_t> byBlock(byDigit);
  byDigit.append({digitValues, blocks});
  byBlock.append({blocks, digitValues});
  Type i64 = b.getI64Type();
  for (int64_t digit = 0; digit < type.getElementTypeBitWidth() / 8; ++digit) {
    Value counts = DigitCountsOp::create(
        b, loc, RankedTensorType::get(byDigit, i64), keys, digit, sortedBlock);
    auto moved = DigitScatterOp::create(
        b, loc, type, values.getType(), RankedTensorType::get(byBlock, i64),
        keys, values, prefixes(b, loc, counts), digit, sortedBlock);
    keys = moved.getSortedKeys();
    values = moved.getSortedValues();
  }
  return values;
}

namespace {
struct ExpandSort : OpRewritePattern<SortOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SortOp op, PatternRewriter &b) const override {
    Value keys = op.getInputs().front();
    auto type = cast<RankedTensorType>(keys.getType());
    const int64_t length = type.getDimSize(op.getAxis());
    if (!ShapedType::isDynamic(length) && length <= maxSortedRow)
      return b.notifyMatchFailure(op, "a kernel holds its rows");
    if (type.getElementTypeBitWidth() > 64)
      return b.notifyMatchFailure(op, "keys have more than 64 bits");
    SortedRows rows(b, op.getLoc(), keys, unsigned(op.getAxis()));
    Value order = sortByDigits(
        b, op.getLoc(), rows.keys({op.getDescending(), op.getIsUnsigned()}),
        rows.positions());
    SmallVector<Value> results;
    for (auto [input, result] : llvm::zip(op.getInputs(), op.getResults()))
      results.push_back(result.use_empty() ? input
                                           : rows.gathered(input, order));
    b.replaceOp(op, results);
    return success();
  }
};
} // namespace

//===--- Selections -------------------------------------------------------===//

/// The first `count` elements along the last dimension.
static Value firstOf(OpBuilder &b, Location loc, Value tensor, int64_t count) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  sizes.back() = b.getIndexAttr(count);
  SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, tensor, zeros, sizes, ones);
}

/// Positions, sorted by keys along the last dimension.
static Value sortPositions(OpBuilder &b, Location loc, Value keys,
                           Value positions) {
  const int64_t axis = cast<RankedTensorType>(keys.getType()).getRank() - 1;
  return SortOp::create(b, loc, {keys, positions}, axis, /*descending=*/false,
                        /*isUnsigned=*/true)
      .getResult(1);
}

/// The size of chunks of a row of which `count` elements are wanted, such that
/// there are about as many chunks as candidates; 0 if all elements are
/// candidates.
static int64_t chunkSize(int64_t length, int64_t count) {
  if (ShapedType::isDynamic(length) || length <= maxSortedRow ||
      length / count < 16)
    return 0;
  int64_t size = 4;
  while (size * size * count < length)
    size *= 2;
  return size;
}

namespace {
/// Chunks of rows of keys, and the least key of each.
class Chunks {
public:
  Chunks(OpBuilder &builder, Location loc, Value keys, int64_t size);
  /// Keys and positions of the elements of those `count` chunks of each row
  /// whose least keys are least, in the order of the row. Of equal chunks the
  /// first count: an element of another one has `count` elements before it,
  /// the least of these chunks.
  std::pair<Value, Value> candidates(int64_t count);

private:
  Value leastKeys();
  Value elementsOf(Value chosen, Type type,
                   function_ref<Value(OpBuilder &, Location, ValueRange)> make);

  OpBuilder &b;
  Location loc;
  int64_t size;
  /// The keys by row, chunk, and position in the chunk.
  Value chunked;
};
} // namespace

Chunks::Chunks(OpBuilder &builder, Location loc, Value keys, int64_t size)
    : b(builder), loc(loc), size(size) {
  auto type = cast<RankedTensorType>(keys.getType());
  SmallVector<int64_t> shape(type.getShape());
  const int64_t count = llvm::divideCeil(shape.back(), size);
  SmallVector<OpFoldResult> low(shape.size(), b.getIndexAttr(0)), high(low);
  high.back() = b.getIndexAttr(count * size - shape.back());
  shape.back() = count * size;
  // What fills the last chunk is behind all.
  Value last = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type.getElementType(), -1));
  if (shape.back() != type.getShape().back())
    keys =
        tensor::PadOp::create(b, loc, type.clone(shape), keys, low, high, last);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, keys);
  sizes.back() = b.getIndexAttr(count);
  sizes.push_back(b.getIndexAttr(size));
  chunked = tensor::ExpandShapeOp::create(
      b, loc, typeWith(sizes, type.getElementType()), keys,
      lastTwo(int64_t(sizes.size())), sizes);
}

Value Chunks::leastKeys() {
  auto type = cast<RankedTensorType>(chunked.getType());
  const auto rank = unsigned(type.getRank());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, chunked);
  sizes.pop_back();
  Type element = type.getElementType();
  Value last = arith::ConstantOp::create(b, loc, b.getIntegerAttr(element, -1));
  Value empty = buildEmpty(b, loc, typeWith(sizes, element), sizes);
  Value init = linalg::FillOp::create(b, loc, last, empty).getResult(0);
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  SmallVector<utils::IteratorType> kinds(rank - 1,
                                         utils::IteratorType::parallel);
  kinds.push_back(utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, init.getType(), chunked, init,
             {readDims(b.getContext(), rank, all),
              readDims(b.getContext(), rank, ArrayRef(all).drop_back())},
             kinds,
             [](OpBuilder &inner, Location at, ValueRange given) {
               Value least =
                   arith::MinUIOp::create(inner, at, given[1], given[0]);
               linalg::YieldOp::create(inner, at, least);
             })
      .getResult(0);
}

/// One element for each in the chosen chunks, along the last dimension; `make`
/// gets the indices of a key in `chunked`.
Value Chunks::elementsOf(
    Value chosen, Type type,
    function_ref<Value(OpBuilder &, Location, ValueRange)> make) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, chosen);
  sizes.push_back(b.getIndexAttr(size));
  const auto rank = unsigned(sizes.size());
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  Read read{chosen, readDims(b.getContext(), rank, ArrayRef(all).drop_back())};
  Value elements =
      buildElementwise(b, loc, typeWith(sizes, type), sizes, read,
                       [&](OpBuilder &inner, Location at, ValueRange given) {
                         SmallVector<Value> indices =
                             buildIndices(inner, at, rank);
                         indices[rank - 2] = arith::IndexCastOp::create(
                             inner, at, inner.getIndexType(), given[0]);
                         return make(inner, at, indices);
                       });
  return tensor::CollapseShapeOp::create(b, loc, elements, lastTwo(rank));
}

std::pair<Value, Value> Chunks::candidates(int64_t count) {
  Value least = leastKeys();
  const auto axis =
      unsigned(cast<RankedTensorType>(least.getType()).getRank() - 1);
  SortedRows chunks(b, loc, least, axis);
  Value chosen =
      firstOf(b, loc, sortPositions(b, loc, least, chunks.positions()), count);
  chosen = SortOp::create(b, loc, chosen, axis, /*descending=*/false,
                          /*isUnsigned=*/true)
               .getResult(0);
  Type element = getElementTypeOrSelf(chunked.getType());
  Value keys = elementsOf(
      chosen, element,
      [&](OpBuilder &inner, Location at, ValueRange indices) -> Value {
        return tensor::ExtractOp::create(inner, at, chunked, indices);
      });
  Type number = getElementTypeOrSelf(chosen.getType());
  Value positions = elementsOf(
      chosen, number,
      [&](OpBuilder &inner, Location at, ValueRange indices) -> Value {
        Value width = arith::ConstantIndexOp::create(inner, at, size);
        Value first =
            arith::MulIOp::create(inner, at, indices.drop_back().back(), width);
        Value position =
            arith::AddIOp::create(inner, at, first, indices.back());
        return arith::IndexCastOp::create(inner, at, number, position);
      });
  return {keys, positions};
}

namespace {
struct ExpandTopK : OpRewritePattern<TopKOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TopKOp op, PatternRewriter &b) const override {
    if (op.isSelected())
      return b.notifyMatchFailure(op, "a kernel selects the elements");
    const auto axis = unsigned(op.getAxis());
    auto type = cast<RankedTensorType>(op.getValues().getType());
    const int64_t count = type.getDimSize(axis);
    if (count == 0 || type.getElementTypeBitWidth() > 64)
      return b.notifyMatchFailure(op, "there is nothing to sort");
    Location loc = op.getLoc();
    SortedRows rows(b, loc, op.getSource(), axis);
    Value keys = rows.keys({!op.getSmallest(), op.getIsUnsigned()});
    Value positions = rows.positions();
    const int64_t length =
        cast<RankedTensorType>(keys.getType()).getShape().back();
    if (int64_t size = chunkSize(length, count))
      std::tie(keys, positions) = Chunks(b, loc, keys, size).candidates(count);
    Value chosen =
        firstOf(b, loc, sortPositions(b, loc, keys, positions), count);
    b.replaceOp(op, {rows.gathered(op.getSource(), chosen),
                     rows.placed(chosen, b.getI64Type())});
    return success();
  }
};

struct ExpandSorts : impl::ExpandSortsBase<ExpandSorts> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandSort, ExpandTopK>(&getContext());
    if (failed(rewriteAll(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::graph
