//===- PushGathers.cpp - Gathers of what is computed ----------------------===//
#include "graph/analysis/Access.h"
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_PUSHGATHERS
#include "graph/transforms/Passes.h.inc"

/// The elementwise op that computes what is gathered from.
static linalg::GenericOp producerOf(tensor::ExtractOp extract) {
  auto op = extract.getTensor().getDefiningOp<linalg::GenericOp>();
  if (!op || !isElementwise(op) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() ||
      !op.getMatchingBlockArgument(op.getDpsInitOperand(0)).use_empty())
    return {};
  for (AffineMap map : op.getIndexingMapsArray())
    if (!llvm::all_of(map.getResults(),
                      llvm::IsaPred<AffineDimExpr, AffineConstantExpr>))
      return {};
  return op;
}

/// Whether an op on tensors makes its operands be in memory.
static bool readsMemory(OpOperand &use) {
  return readsContent(use) &&
         !isa<linalg::GenericOp, tensor::ExtractOp>(use.getOwner());
}

/// Whether the element is better computed where it is read than read from
/// memory: there are no more of them than are computed anyway, and only this
/// would put them there.
static bool isBetterHere(tensor::ExtractOp extract, linalg::GenericOp op) {
  constexpr size_t mostOps = 64;
  auto type = cast<RankedTensorType>(op.getResultTypes()[0]);
  auto reader = extract->getParentOfType<linalg::GenericOp>();
  if (!reader || reader.getNumReductionLoops() != 0 ||
      op.getBody()->getOperations().size() > mostOps ||
      llvm::any_of(op->getUses(), readsMemory))
    return false;
  // A dimension less is less, whatever the sizes are.
  if (reader.getNumLoops() < unsigned(type.getRank()))
    return true;
  SmallVector<int64_t> ranges = reader.getStaticLoopRanges();
  return type.hasStaticShape() &&
         llvm::none_of(ranges, ShapedType::isDynamic) &&
         llvm::product_of(ranges) <= type.getNumElements();
}

/// Computes the element that `extract` reads from the op that computes all of
/// them, where it reads it.
static Value computeHere(OpBuilder &b, tensor::ExtractOp extract,
                         linalg::GenericOp producer) {
  Location loc = extract.getLoc();
  // The loops of the producer at the element.
  SmallVector<Value> at(producer.getNumLoops());
  AffineMap out =
      producer.getMatchingIndexingMap(producer.getDpsInitOperand(0));
  for (auto [subscript, index] :
       llvm::zip(out.getResults(), extract.getIndices()))
    at[cast<AffineDimExpr>(subscript).getPosition()] = index;
  IRMapping mapping;
  for (OpOperand *input : producer.getDpsInputOperands()) {
    SmallVector<Value> subscripts;
    for (AffineExpr subscript :
         producer.getMatchingIndexingMap(input).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(subscript);
      subscripts.push_back(
          dim ? at[dim.getPosition()]
              : arith::ConstantIndexOp::create(
                    b, loc, cast<AffineConstantExpr>(subscript).getValue()));
    }
    BlockArgument argument = producer.getMatchingBlockArgument(input);
    if (!argument.use_empty())
      mapping.map(argument,
                  tensor::ExtractOp::create(b, loc, input->get(), subscripts));
  }
  for (Operation &op : producer.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      mapping.map(index.getResult(), at[index.getDim()]);
    else
      b.clone(op, mapping);
  }
  return mapping.lookupOrDefault(
      producer.getBody()->getTerminator()->getOperand(0));
}

/// The loop that a subscript follows, or a constant; null for what is computed.
static AffineExpr affineSubscript(Value index) {
  if (auto loop = index.getDefiningOp<linalg::IndexOp>())
    return getAffineDimExpr(loop.getDim(), index.getContext());
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return getAffineConstantExpr(*constant, index.getContext());
  return {};
}

/// The map by which an operand reads what `extract` reads; null where some
/// subscript is computed, or its loop has a part of the dimension only: an
/// operand has the sizes of its loops.
static AffineMap mapOf(tensor::ExtractOp extract, ArrayRef<int64_t> ranges) {
  SmallVector<AffineExpr> subscripts;
  auto type = extract.getTensor().getType();
  for (auto [index, size] : llvm::zip(extract.getIndices(), type.getShape())) {
    AffineExpr subscript = affineSubscript(index);
    auto loop = dyn_cast_or_null<AffineDimExpr>(subscript);
    if (!subscript || (loop && !ShapedType::isDynamic(size) &&
                       !ShapedType::isDynamic(ranges[loop.getPosition()]) &&
                       size != ranges[loop.getPosition()]))
      return {};
    subscripts.push_back(subscript);
  }
  return AffineMap::get(ranges.size(), 0, subscripts, extract.getContext());
}

/// Makes operands of the reads by loops alone.
static void readByLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<tensor::ExtractOp> extracts;
  SmallVector<Value> inputs(op.getDpsInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  const size_t before = inputs.size();
  const SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  op.getBody()->walk([&](tensor::ExtractOp extract) {
    AffineMap map = mapOf(extract, ranges);
    if (!map)
      return;
    maps.insert(maps.begin() + inputs.size(), map);
    inputs.push_back(extract.getTensor());
    extracts.push_back(extract);
  });
  if (extracts.empty())
    return;
  rewriter.setInsertionPoint(op);
  auto body = [&](OpBuilder &b, Location at, ValueRange elements) {
    IRMapping mapping;
    mapping.map(op.getBody()->getArguments().take_front(before),
                elements.take_front(before));
    mapping.map(op.getRegionOutputArgs(),
                elements.take_back(op.getNumDpsInits()));
    for (auto [extract, element] :
         llvm::zip(extracts, elements.slice(before, extracts.size())))
      mapping.map(extract.getResult(), element);
    for (Operation &inner : op.getBody()->without_terminator())
      if (!llvm::is_contained(extracts, &inner))
        b.clone(inner, mapping);
    SmallVector<Value> yielded;
    for (Value value : op.getBody()->getTerminator()->getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
    linalg::YieldOp::create(b, at, yielded);
  };
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      op, op.getResultTypes(), inputs, op.getDpsInits(), maps,
      op.getIteratorTypesArray(), body);
}

namespace {
struct PushGathers : impl::PushGathersBase<PushGathers> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    // Readers first: they may gather from what gathers.
    bool pushed = false;
    for (linalg::GenericOp op : llvm::reverse(generics))
      pushed |= push(rewriter, op);
    if (!pushed)
      return;
    // What is not read anymore would want its inputs in memory.
    generics.clear();
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : llvm::reverse(generics))
      if (op->use_empty())
        rewriter.eraseOp(op);
  }

  bool push(IRRewriter &rewriter, linalg::GenericOp op) {
    SmallVector<tensor::ExtractOp> pending;
    op.getBody()->walk(
        [&](tensor::ExtractOp extract) { pending.push_back(extract); });
    bool pushed = false;
    while (!pending.empty()) {
      tensor::ExtractOp extract = pending.pop_back_val();
      linalg::GenericOp producer = producerOf(extract);
      if (!producer || !isBetterHere(extract, producer))
        continue;
      rewriter.setInsertionPoint(extract);
      Value element = computeHere(rewriter, extract, producer);
      // What was just made may be pushed further.
      for (Operation *made = extract->getPrevNode(); made;
           made = made->getPrevNode())
        if (auto next = dyn_cast<tensor::ExtractOp>(made);
            next && !llvm::is_contained(pending, next) && producerOf(next))
          pending.push_back(next);
      rewriter.replaceOp(extract, element);
      ++pushCount;
      pushed = true;
    }
    if (pushed)
      readByLoops(rewriter, op);
    return pushed;
  }
};
} // namespace

} // namespace tilewright::graph
