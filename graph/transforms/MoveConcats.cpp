//===- MoveConcats.cpp - Concatenations behind elementwise ops ------------===//
#include "graph/analysis/Access.h"
#include "graph/transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_MOVECONCATS
#include "graph/transforms/Passes.h.inc"

/// The elementwise op that alone reads elements of the concatenation, each
/// once, as `use`; null if there is none.
static linalg::GenericOp readerOf(tensor::ConcatOp concat, OpOperand *&use) {
  use = nullptr;
  for (OpOperand &each : concat->getUses()) {
    if (!readsContent(each))
      continue;
    if (use)
      return {};
    use = &each;
  }
  auto reader =
      use ? dyn_cast<linalg::GenericOp>(use->getOwner()) : linalg::GenericOp();
  if (!reader || reader->getBlock() != concat->getBlock() ||
      !graph::isElementwise(reader) || isPureCopy(reader) ||
      !reader.isDpsInput(use) ||
      !reader.getMatchingIndexingMap(use).isPermutation() ||
      !reader.getIndexingMapsArray().back().isPermutation())
    return {};
  return reader;
}

/// The dimension of an operand that follows the loop, if it follows it plainly;
/// failure where it does so otherwise.
static FailureOr<std::optional<unsigned>> dimAlong(AffineMap map,
                                                   unsigned loop) {
  std::optional<unsigned> found;
  for (auto [dim, subscript] : llvm::enumerate(map.getResults())) {
    if (!subscript.isFunctionOfDim(loop))
      continue;
    if (found || !isa<AffineDimExpr>(subscript))
      return failure();
    found = unsigned(dim);
  }
  return found;
}

static int64_t sizeAlong(Value tensor, unsigned dim) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
}

/// Where each input begins in the concatenation; empty if that is not known.
static SmallVector<int64_t> startsOf(tensor::ConcatOp concat) {
  SmallVector<int64_t> starts;
  int64_t start = 0;
  for (Value input : concat.getInputs()) {
    const int64_t size = sizeAlong(input, concat.getDim());
    if (ShapedType::isDynamic(size))
      return {};
    starts.push_back(start);
    start += size;
  }
  return starts;
}

/// Whether the reader can compute the parts of its result along `loop` apart.
static bool hasParts(tensor::ConcatOp concat, linalg::GenericOp reader,
                     OpOperand *use, unsigned loop) {
  for (linalg::IndexOp index : reader.getBody()->getOps<linalg::IndexOp>())
    if (index.getDim() == loop)
      return false;
  // A slice of nothing is out of bounds where it begins.
  const auto isEmpty = [](Value tensor) {
    return isEmptyTensor(tensor.getType());
  };
  if (llvm::any_of(concat.getInputs(), isEmpty) ||
      llvm::any_of(reader.getInputs(), isEmpty))
    return false;
  const bool isKnown = !startsOf(concat).empty();
  return llvm::all_of(reader.getDpsInputOperands(), [&](OpOperand *input) {
    auto dim = dimAlong(reader.getMatchingIndexingMap(input), loop);
    if (failed(dim))
      return false;
    // A slice of it is known to lie within.
    return input == use || !*dim ||
           (isKnown && sizeAlong(input->get(), **dim) ==
                           sizeAlong(concat, concat.getDim()));
  });
}

/// The slice of an operand of the reader that belongs to an input of the
/// concatenation; all of it where it does not follow the loop.
static Value sliceFor(OpBuilder &b, linalg::GenericOp reader,
                      OpOperand *operand, unsigned loop, int64_t start,
                      int64_t size) {
  auto dim = *dimAlong(reader.getMatchingIndexingMap(operand), loop);
  if (!dim)
    return operand->get();
  Location loc = reader.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, operand->get());
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
      strides(sizes.size(), b.getIndexAttr(1));
  offsets[*dim] = b.getIndexAttr(start);
  sizes[*dim] = b.getIndexAttr(size);
  return tensor::ExtractSliceOp::create(b, loc, operand->get(), offsets, sizes,
                                        strides);
}

/// The memory of the reader's result for one input of the concatenation.
static Value emptyPart(OpBuilder &b, linalg::GenericOp reader, AffineMap read,
                       Value input) {
  SmallVector<OpFoldResult> own =
      tensor::getMixedSizes(b, reader.getLoc(), input);
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr subscript : reader.getIndexingMapsArray().back().getResults())
    sizes.push_back(own[*read.getResultPosition(subscript)]);
  return tensor::EmptyOp::create(
      b, reader.getLoc(), sizes,
      getElementTypeOrSelf(reader->getResult(0).getType()));
}

/// Whether the concatenation was moved behind its reader: the new one.
static tensor::ConcatOp move(tensor::ConcatOp concat) {
  OpOperand *use = nullptr;
  linalg::GenericOp reader = readerOf(concat, use);
  if (!reader)
    return {};
  AffineMap read = reader.getMatchingIndexingMap(use);
  auto along = cast<AffineDimExpr>(read.getResult(concat.getDim()));
  const unsigned loop = along.getPosition();
  if (!hasParts(concat, reader, use, loop))
    return {};
  OpBuilder b(reader);
  SmallVector<int64_t> starts = startsOf(concat);
  SmallVector<Value> parts;
  for (auto [number, input] : llvm::enumerate(concat.getInputs())) {
    SmallVector<Value> operands;
    for (OpOperand *operand : reader.getDpsInputOperands())
      operands.push_back(operand == use
                             ? input
                             : sliceFor(b, reader, operand, loop,
                                        starts.empty() ? 0 : starts[number],
                                        sizeAlong(input, concat.getDim())));
    operands.push_back(emptyPart(b, reader, read, input));
    Operation *part = b.clone(*reader);
    part->setOperands(operands);
    part->getResult(0).setType(operands.back().getType());
    parts.push_back(part->getResult(0));
  }
  AffineMap out = reader.getIndexingMapsArray().back();
  auto moved = tensor::ConcatOp::create(b, concat.getLoc(),
                                        reader->getResult(0).getType(),
                                        *out.getResultPosition(along), parts);
  reader->getResult(0).replaceAllUsesWith(moved.getResult());
  reader.erase();
  if (concat->use_empty())
    concat.erase();
  return moved;
}

/// Whether the slice has all of the source along this dimension.
static bool isFull(tensor::ExtractSliceOp slice, unsigned dim) {
  if (!isConstantIntValue(slice.getMixedOffsets()[dim], 0))
    return false;
  OpFoldResult size = slice.getMixedSizes()[dim];
  if (auto value = dyn_cast<Value>(size)) {
    auto whole = value.getDefiningOp<tensor::DimOp>();
    return whole && whole.getSource() == slice.getSource() &&
           whole.getConstantIndex() == int64_t(dim);
  }
  return isConstantIntValue(size, sizeAlong(slice.getSource(), dim));
}

/// The input of the concatenation whose part the slice is along `dim`, while it
/// has all along other dimensions.
static std::optional<unsigned> inputBehind(tensor::ExtractSliceOp slice,
                                           tensor::ConcatOp concat,
                                           unsigned dim) {
  if (!slice.hasUnitStride() || slice.getDroppedDims().any())
    return std::nullopt;
  for (unsigned other = 0; other < slice.getMixedSizes().size(); ++other)
    if (other != dim && !isFull(slice, other))
      return std::nullopt;
  for (auto [number, start] : llvm::enumerate(startsOf(concat)))
    if (slice.getStaticOffsets()[dim] == start &&
        slice.getStaticSizes()[dim] ==
            sizeAlong(concat.getInputs()[number], concat.getDim()))
      return unsigned(number);
  return std::nullopt;
}

/// Where all that is read of the reader's result are slices that each belong to
/// one input of the concatenation, these are computed of the inputs.
static bool moveIntoSlices(tensor::ConcatOp concat, OpOperand &use) {
  auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!reader || reader->getBlock() != concat->getBlock() ||
      !graph::isElementwise(reader) || !reader.isDpsInput(&use))
    return false;
  AffineMap out = reader.getIndexingMapsArray().back();
  auto along = dyn_cast<AffineDimExpr>(
      reader.getMatchingIndexingMap(&use).getResult(concat.getDim()));
  if (!along || !out.isPermutation() ||
      !hasParts(concat, reader, &use, along.getPosition()))
    return false;
  const unsigned loop = along.getPosition(),
                 dim = *out.getResultPosition(along);
  SmallVector<std::pair<tensor::ExtractSliceOp, unsigned>> slices;
  for (OpOperand &read : reader->getUses()) {
    if (!readsContent(read))
      continue;
    auto slice = dyn_cast<tensor::ExtractSliceOp>(read.getOwner());
    std::optional<unsigned> input =
        slice && slice->getBlock() == concat->getBlock()
            ? inputBehind(slice, concat, dim)
            : std::nullopt;
    if (!input)
      return false;
    slices.emplace_back(slice, *input);
  }
  const SmallVector<int64_t> starts = startsOf(concat);
  for (auto [slice, number] : slices) {
    OpBuilder b(slice);
    Value input = concat.getInputs()[number];
    SmallVector<Value> operands;
    for (OpOperand *operand : reader.getDpsInputOperands())
      operands.push_back(
          operand == &use ? input
                          : sliceFor(b, reader, operand, loop, starts[number],
                                     sizeAlong(input, concat.getDim())));
    operands.push_back(
        tensor::EmptyOp::create(b, reader.getLoc(), slice.getMixedSizes(),
                                slice.getType().getElementType()));
    Operation *part = b.clone(*reader);
    part->setOperands(operands);
    part->getResult(0).setType(operands.back().getType());
    slice.getResult().replaceAllUsesWith(part->getResult(0));
    slice.erase();
  }
  return !slices.empty();
}

/// Reads a slice of a concatenation from the one input that has all of it.
static void readInput(tensor::ExtractSliceOp slice) {
  auto concat = slice.getSource().getDefiningOp<tensor::ConcatOp>();
  if (!concat)
    return;
  const uint64_t dim = concat.getDim();
  const int64_t first = slice.getStaticOffsets()[dim];
  const int64_t size = slice.getStaticSizes()[dim];
  const int64_t stride = slice.getStaticStrides()[dim];
  if (ShapedType::isDynamic(first) || ShapedType::isDynamic(size) ||
      ShapedType::isDynamic(stride) || size < 1)
    return;
  const int64_t last = first + (size - 1) * stride;
  for (auto [start, input] : llvm::zip(startsOf(concat), concat.getInputs())) {
    if (first < start || last >= start + sizeAlong(input, dim))
      continue;
    OpBuilder b(slice);
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
    offsets[dim] = b.getIndexAttr(first - start);
    // Of one known size it is the whole input.
    Value part = input;
    if (input.getType() != slice.getType() || !slice.getType().hasStaticShape())
      part = tensor::ExtractSliceOp::create(
          b, slice.getLoc(), slice.getType(), input, offsets,
          slice.getMixedSizes(), slice.getMixedStrides());
    slice.getResult().replaceAllUsesWith(part);
    slice.erase();
    if (concat->use_empty())
      concat.erase();
    return;
  }
}

namespace {
struct MoveConcats : impl::MoveConcatsBase<MoveConcats> {
  void runOnOperation() override {
    SmallVector<tensor::ConcatOp> pending;
    getOperation().walk(
        [&](tensor::ConcatOp concat) { pending.push_back(concat); });
    // The last first: what it is moved behind is no concatenation.
    while (!pending.empty())
      if (tensor::ConcatOp moved = move(pending.pop_back_val())) {
        ++movedCount;
        pending.push_back(moved);
      }
    getOperation().walk(
        [&](tensor::ConcatOp concat) { pending.push_back(concat); });
    for (tensor::ConcatOp concat : pending) {
      for (OpOperand &use : llvm::make_early_inc_range(concat->getUses()))
        if (moveIntoSlices(concat, use) && use.getOwner()->use_empty())
          use.getOwner()->erase();
      if (concat->use_empty())
        concat.erase();
    }
    getOperation().walk(readInput);
  }
};
} // namespace

} // namespace tilewright::graph
