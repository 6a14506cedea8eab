//===- ReductionEmitter.cpp - Reductions as loops over tiles --------------===//
#include "graph/lowering/ReductionEmitter.h"

#include "graph/analysis/Access.h"
#include "graph/lowering/AttentionEmitter.h"
#include "graph/lowering/BodyEmitter.h"
#include "graph/lowering/ContractionEmitter.h"
#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/OperandEmitter.h"
#include "graph/lowering/ScanEmitter.h"
#include "graph/lowering/TileBuilders.h"
#include "graph/lowering/WindowEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

/// One point of the reduction loops: the body on whole accumulator tiles.
static FailureOr<Tiles> stepSequential(KernelFrame &frame, linalg::GenericOp op,
                                       const Box &loops, const Tiles &carried) {
  IRMapping mapping;
  if (failed(emitInputs(frame, op, loops, mapping)))
    return failure();
  for (auto [i, tile] : llvm::enumerate(carried))
    mapping.map(op.getMatchingBlockArgument(op.getDpsInitOperand(i)), tile);
  Tiles next;
  for (Value yielded : op.getBody()->getTerminator()->getOperands()) {
    FailureOr<Value> tile =
        emitBody(frame, yielded, op.getBody(), mapping, loops);
    if (failed(tile))
      return failure();
    next.push_back(*tile);
  }
  return next;
}

/// One point of a contraction without matrices: each product is added without
/// being rounded, as those of matrices are.
static FailureOr<Value> stepMultiplyAdd(KernelFrame &frame,
                                        linalg::GenericOp op,
                                        Operation *product, const Box &loops,
                                        Value carried) {
  IRMapping mapping;
  if (failed(emitInputs(frame, op, loops, mapping)))
    return failure();
  auto shape = cast<RankedTensorType>(carried.getType()).getShape();
  Value factors[2];
  for (int side : {0, 1}) {
    FailureOr<Value> factor = emitBody(frame, product->getOperand(side),
                                       op.getBody(), mapping, loops);
    if (failed(factor))
      return failure();
    factors[side] = reshape(frame, *factor, shape);
  }
  return Value(math::FmaOp::create(frame.builder, frame.loc, factors[0],
                                   factors[1], carried));
}

/// Whether the points of `loop` beyond its end are beyond the end of a tensor
/// that has this subscript; those of a part may be in the next.
static bool leavesTensor(linalg::GenericOp op, AffineExpr subscript,
                         unsigned loop) {
  if (subscript == getAffineDimExpr(loop, op.getContext()))
    return true;
  if (!subscript.isFunctionOfDim(loop))
    return false;
  std::optional<unsigned> parts = partsLoop(op);
  auto sum = dyn_cast<AffineBinaryOpExpr>(subscript);
  return parts && sum && sum.getKind() == AffineExprKind::Add &&
         llvm::is_contained({sum.getLHS(), sum.getRHS()},
                            getAffineDimExpr(*parts, op.getContext()));
}

/// What loads find beyond the end of `tensor`, in memory or a padded one; null
/// for what is computed or written down.
static TypedAttr paddingBeyond(KernelFrame &frame, Value tensor) {
  Operation *producer = tensor.getDefiningOp();
  auto isInMemory = [&](Operation *op) {
    return !op || (!frame.group.ops.contains(op) && !isWrittenDown(op));
  };
  if (isInMemory(producer))
    return frame.paddingOf(tensor);
  auto pad = dyn_cast<tensor::PadOp>(producer);
  Value value = pad && isInMemory(pad.getSource().getDefiningOp())
                    ? pad.getConstantPaddingValue()
                    : Value();
  TypedAttr padding;
  if (value)
    matchPattern(value, m_Constant(&padding));
  return padding;
}

/// Whether the elements beyond the ends of the reduction loops are loaded from
/// beyond the end of a tensor, and change nothing.
static bool isNeutralOutside(KernelFrame &frame, linalg::GenericOp op,
                             const Accumulation &accumulation) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    TypedAttr neutral =
        neutralInput(op.getMatchingBlockArgument(input), accumulation);
    AffineMap map = op.getMatchingIndexingMap(input);
    return neutral && isStructuredRead(*input) &&
           paddingBeyond(frame, input->get()) == neutral &&
           llvm::all_of(reductionLoops(op), [&](unsigned loop) {
             return llvm::any_of(map.getResults(), [&](AffineExpr subscript) {
               return leavesTensor(op, subscript, loop);
             });
           });
  });
}

/// The elements that one step combines: a tile with one dimension for each
/// loop.
static FailureOr<Value> elementsOf(KernelFrame &frame, linalg::GenericOp op,
                                   const Accumulation &accumulation,
                                   const Box &loops) {
  IRMapping mapping;
  if (failed(emitInputs(frame, op, loops, mapping)))
    return failure();
  FailureOr<Value> tile =
      emitBody(frame, accumulation.element, op.getBody(), mapping, loops);
  if (failed(tile))
    return failure();
  if (isNeutralOutside(frame, op, accumulation))
    return tile;
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, loops.rank()));
  return maskOverrun(frame, op, loops, order, *tile, neutralOf(accumulation));
}

/// `tile` reduced along the reduction loops and combined with `carried`, in
/// whose shape they are 1.
static Value reduceInto(KernelFrame &frame, linalg::GenericOp op,
                        const Accumulation &accumulation, Value tile,
                        Value carried) {
  // Neighbouring reduction loops are one axis, which threads share in any way,
  // if what each holds stays where it is.
  const auto shape = cast<RankedTensorType>(tile.getType()).getShape();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<int64_t> merged;
  SmallVector<unsigned> axes;
  for (auto [loop, kind] : llvm::enumerate(kinds)) {
    const bool isReduced = kind == utils::IteratorType::reduction;
    if (isReduced && loop > 0 && kinds[loop - 1] == kind &&
        llvm::isPowerOf2_64(shape[loop])) {
      merged.back() *= shape[loop];
      continue;
    }
    if (isReduced)
      axes.push_back(unsigned(merged.size()));
    merged.push_back(shape[loop]);
  }
  tile = reshape(frame, tile, merged);
  for (unsigned axis : llvm::reverse(axes))
    if (merged[axis] > 1)
      tile = tile::ReduceOp::create(frame.builder, frame.loc, ValueRange(tile),
                                    axis, sidesBy(accumulation))
                 .getResult(0);
  Value partial = reshape(frame, tile,
                          cast<RankedTensorType>(carried.getType()).getShape());
  return combine(frame.builder, frame.loc, accumulation.combiner, carried,
                 partial);
}

static FailureOr<Value> stepAccumulate(KernelFrame &frame, linalg::GenericOp op,
                                       const Accumulation &accumulation,
                                       const Box &loops, Value carried) {
  if (Operation *product = accumulation.element.getDefiningOp();
      isContraction(op) && isa<arith::MulFOp>(product) && isWindowReduction(op))
    return stepMultiplyAdd(frame, op, product, loops, carried);
  FailureOr<Value> tile = elementsOf(frame, op, accumulation, loops);
  if (failed(tile))
    return failure();
  return reduceInto(frame, op, accumulation, *tile, carried);
}

/// All steps accumulate a whole tile, of which the reduction is combined with
/// `initial` at the end.
static FailureOr<Value> accumulateDeferred(KernelFrame &frame,
                                           linalg::GenericOp op,
                                           const Accumulation &accumulation,
                                           Box &loops, Value initial) {
  const SmallVector<int64_t> shape(loops.size);
  Tiles nothing = {splat(frame, neutralOf(accumulation), shape)};
  FailureOr<Tiles> tile = emitLoops(
      frame, op, loops, reductionLoops(op), nothing,
      [&](const Box &current, const Tiles &carried) -> FailureOr<Tiles> {
        FailureOr<Value> elements =
            elementsOf(frame, op, accumulation, current);
        if (failed(elements))
          return failure();
        return Tiles{combine(frame.builder, frame.loc, accumulation.combiner,
                             carried[0], reshape(frame, *elements, shape))};
      });
  if (failed(tile))
    return failure();
  return reduceInto(frame, op, accumulation, tile->front(), initial);
}

/// The accumulators before the loops: tiles of the shape of the parallel loops,
/// in loop order.
static FailureOr<Tiles> initialTiles(KernelFrame &frame, linalg::GenericOp op,
                                     const Box &parallel) {
  Tiles initial;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    // The body does not read it, and what no iteration writes is anything.
    if (init.get().getDefiningOp<tensor::EmptyOp>()) {
      Type element = getElementTypeOrSelf(init.get());
      initial.push_back(
          splat(frame, frame.builder.getZeroAttr(element), parallel.size));
      continue;
    }
    FailureOr<Value> tile = emitOperand(
        frame, init.get(), op.getMatchingIndexingMap(&init), parallel);
    if (failed(tile))
      return failure();
    initial.push_back(*tile);
  }
  return initial;
}

/// An accumulator as the box of result `number`.
static Value resultTile(KernelFrame &frame, linalg::GenericOp op,
                        unsigned number, Value tile, const Box &box) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  SmallVector<int64_t> permutation;
  for (AffineExpr subscript : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(subscript))
      permutation.push_back(dim.getPosition());
  llvm::append_range(permutation, reductionLoops(op));
  return reshape(frame, transpose(frame, tile, permutation), box.size);
}

FailureOr<Value> accumulate(KernelFrame &frame, linalg::GenericOp op,
                            const Box &loops, Value carried) {
  return stepAccumulate(frame, op, *matchAccumulation(op), loops, carried);
}

Value accumulated(KernelFrame &frame, linalg::GenericOp op, Value tile,
                  const Box &box) {
  return resultTile(frame, op, 0, tile, box);
}

FailureOr<Tiles> emitReduction(KernelFrame &frame, linalg::GenericOp op,
                               const Box &box) {
  std::optional<Accumulation> accumulation = matchAccumulation(op);
  Box loops = loopBox(frame, op, box);
  SmallVector<unsigned> reductions = reductionLoops(op);
  for (unsigned loop : reductions)
    loops.size[loop] = frame.sizes.steps[op][loop];

  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return op.emitError("expected the result of a reduction to be indexed "
                          "by its parallel loops");
  }
  if (isMatrixProduct(op)) {
    const bool isAttention =
        frame.group.attention && frame.group.attention->product == op;
    FailureOr<Value> tile = isAttention ? emitAttention(frame, op, box)
                                        : emitContraction(frame, op, box);
    if (failed(tile))
      return failure();
    return Tiles{*tile};
  }
  Box parallel = loops;
  for (unsigned loop : reductions)
    parallel.size[loop] = 1;
  FailureOr<Tiles> initial = initialTiles(frame, op, parallel);
  if (failed(initial))
    return failure();
  if (isScan(frame, op, parallel)) {
    FailureOr<Value> tile = emitScan(frame, op, parallel, initial->front());
    if (failed(tile))
      return failure();
    return Tiles{resultTile(frame, op, 0, *tile, box)};
  }
  FailureOr<bool> isOneStep = isOneTile(frame, op, loops);
  if (failed(isOneStep))
    return failure();
  if (accumulation && frame.sizes.defersReductions && !*isOneStep &&
      !isWindowReduction(op)) {
    FailureOr<Value> tile =
        accumulateDeferred(frame, op, *accumulation, loops, initial->front());
    if (failed(tile))
      return failure();
    return Tiles{resultTile(frame, op, 0, *tile, box)};
  }
  auto step = [&](const Box &current,
                  const Tiles &carried) -> FailureOr<Tiles> {
    if (!accumulation)
      return stepSequential(frame, op, current, carried);
    FailureOr<Value> next =
        stepAccumulate(frame, op, *accumulation, current, carried[0]);
    if (failed(next))
      return failure();
    return Tiles{*next};
  };
  SmallVector<CachedTile> outer(frame.windows);
  if (frame.sizes.sharesWindows && isWindowReduction(op)) {
    FailureOr<SmallVector<CachedTile>> windows = loadWindows(frame, op, loops);
    if (failed(windows))
      return failure();
    llvm::append_range(frame.windows, *windows);
  }
  FailureOr<Tiles> result =
      emitLoops(frame, op, loops, reductions, *initial, step);
  frame.windows = std::move(outer);
  if (failed(result))
    return failure();
  for (auto [i, tile] : llvm::enumerate(*result))
    tile = resultTile(frame, op, i, tile, box);
  return result;
}

} // namespace tilewright::graph
