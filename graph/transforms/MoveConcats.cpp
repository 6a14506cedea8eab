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
  if (!reader || !isElementwise(reader) || isPureCopy(reader) ||
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
  }
};
} // namespace

} // namespace tilewright::graph
