//===- ReductionLoops.cpp - Loops that carry accumulators -----------------===//
#include "graph/lowering/ReductionLoops.h"

#include "graph/analysis/Access.h"
#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

SmallVector<unsigned> reductionLoops(linalg::GenericOp op) {
  SmallVector<unsigned> loops;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      loops.push_back(loop);
  return loops;
}

FailureOr<AffineExpr> loopSize(KernelFrame &frame, linalg::GenericOp op,
                               unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, subscript] : llvm::enumerate(map.getResults())) {
      auto plain = dyn_cast<AffineDimExpr>(subscript);
      if (!plain || plain.getPosition() != loop)
        continue;
      FailureOr<SymbolicShape> shape = frame.shapes.shapeOf(operand.get());
      if (failed(shape))
        return failure();
      return (*shape)[dim];
    }
  }
  return op.emitError("no operand tells the length of loop ") << loop;
}

FailureOr<bool> isOneTile(KernelFrame &frame, linalg::GenericOp op,
                          const Box &loops) {
  for (unsigned loop : reductionLoops(op)) {
    FailureOr<AffineExpr> extent = loopSize(frame, op, loop);
    if (failed(extent))
      return failure();
    auto fixed = dyn_cast<AffineConstantExpr>(*extent);
    if (!fixed || fixed.getValue() > loops.size[loop])
      return false;
  }
  return true;
}

/// The points of the first of the remaining loops, one after the other. What
/// loops inside it accumulate they do from nothing, so that not all points
/// wait for each other.
static FailureOr<Tiles> emitWindow(KernelFrame &frame, linalg::GenericOp op,
                                   Box &loops, ArrayRef<unsigned> remaining,
                                   int64_t points, const Tiles &carried,
                                   ReductionStep step) {
  std::optional<Accumulation> accumulation = matchAccumulation(op);
  bool hasParts = accumulation && remaining.size() > 1;
  Tiles whole = carried;
  for (int64_t at = 0; at < points; ++at) {
    loops.offset[remaining.front()] = constantOffset(frame, at);
    bool isPart = hasParts && at > 0;
    Tiles from = whole;
    if (isPart)
      from = {splat(frame, neutralOf(*accumulation),
                    cast<RankedTensorType>(whole[0].getType()).getShape())};
    FailureOr<Tiles> next =
        emitLoops(frame, op, loops, remaining.drop_front(), from, step);
    if (failed(next))
      return failure();
    whole = isPart
                ? Tiles{combine(frame.builder, frame.loc,
                                accumulation->combiner, whole[0], (*next)[0])}
                : *std::move(next);
  }
  return whole;
}

/// The number `n` of a subscript `loop * n + parts`; null for others.
static std::optional<int64_t> strideOfParts(AffineExpr subscript, unsigned loop,
                                            unsigned parts) {
  MLIRContext *context = subscript.getContext();
  auto sum = dyn_cast<AffineBinaryOpExpr>(subscript);
  AffineExpr part = getAffineDimExpr(parts, context);
  if (!sum || sum.getKind() != AffineExprKind::Add ||
      !llvm::is_contained({sum.getLHS(), sum.getRHS()}, part))
    return std::nullopt;
  auto scaled = dyn_cast<AffineBinaryOpExpr>(
      sum.getLHS() == part ? sum.getRHS() : sum.getLHS());
  auto factor = scaled && scaled.getKind() == AffineExprKind::Mul
                    ? dyn_cast<AffineConstantExpr>(scaled.getRHS())
                    : AffineConstantExpr();
  return factor && scaled.getLHS() == getAffineDimExpr(loop, context)
             ? std::optional(factor.getValue())
             : std::nullopt;
}

/// Where the loop of a reduction in parts, which takes the elements of a padded
/// tensor in turn, has no more of its own: the others change nothing. Null for
/// other loops.
static FailureOr<Value> endOfPart(KernelFrame &frame, linalg::GenericOp op,
                                  const Box &loops, unsigned loop) {
  OpBuilder &b = frame.builder;
  std::optional<unsigned> parts = partsLoop(op);
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto pad = input->get().getDefiningOp<tensor::PadOp>();
    AffineMap map = op.getMatchingIndexingMap(input);
    for (unsigned dim = 0; parts && pad && dim < map.getNumResults(); ++dim) {
      auto stride = strideOfParts(map.getResult(dim), loop, *parts);
      if (!stride)
        continue;
      FailureOr<SymbolicShape> shape = frame.shapes.shapeOf(pad.getSource());
      if (failed(shape))
        return failure();
      FailureOr<Value> size = frame.sizeValue((*shape)[dim]);
      if (failed(size))
        return failure();
      // ceil((size - part) / stride)
      Value left =
          arith::AddIOp::create(b, frame.loc, *size, frame.index(*stride - 1));
      left =
          arith::SubIOp::create(b, frame.loc, left, loops.offset[*parts].value);
      return Value(
          arith::DivUIOp::create(b, frame.loc, left, frame.index(*stride)));
    }
  }
  return Value();
}

FailureOr<Tiles> emitLoops(KernelFrame &frame, linalg::GenericOp op, Box &loops,
                           ArrayRef<unsigned> remaining, const Tiles &carried,
                           ReductionStep step, Value end) {
  if (remaining.empty())
    return step(loops, carried);
  unsigned loop = remaining.front();
  int64_t tile = loops.size[loop];
  FailureOr<AffineExpr> extent = loopSize(frame, op, loop);
  if (failed(extent))
    return failure();
  auto fixed = dyn_cast<AffineConstantExpr>(*extent);
  if (fixed && fixed.getValue() == 0)
    return carried;
  if (fixed && fixed.getValue() <= tile) {
    loops.offset[loop] = constantOffset(frame, 0);
    return emitLoops(frame, op, loops, remaining.drop_front(), carried, step,
                     end);
  }
  if (isWindowReduction(op))
    return emitWindow(frame, op, loops, remaining, fixed.getValue(), carried,
                      step);
  FailureOr<Value> last = end ? end : endOfPart(frame, op, loops, loop);
  if (succeeded(last) && !*last)
    last = frame.sizeValue(*extent);
  if (failed(last))
    return failure();
  auto forOp = scf::ForOp::create(frame.builder, frame.loc, frame.index(0),
                                  *last, frame.index(tile), carried);
  OpBuilder::InsertionGuard guard(frame.builder);
  frame.builder.setInsertionPointToStart(forOp.getBody());
  frame.scopes.emplace_back();
  loops.offset[loop] = steppedOffset(forOp.getInductionVar(), *extent, tile);
  Tiles inner(forOp.getRegionIterArgs());
  FailureOr<Tiles> next =
      emitLoops(frame, op, loops, remaining.drop_front(), inner, step);
  frame.scopes.pop_back();
  if (failed(next))
    return failure();
  scf::YieldOp::create(frame.builder, frame.loc, *next);
  return Tiles(forOp.getResults());
}

FailureOr<Tiles> emitJoinedLoops(KernelFrame &frame, linalg::GenericOp op,
                                 Box &loops, ArrayRef<unsigned> reductions,
                                 const Tiles &carried, ReductionStep step) {
  OpBuilder &b = frame.builder;
  const SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto stepsOf = [&](unsigned loop) {
    return int64_t(llvm::divideCeil(ranges[loop], loops.size[loop]));
  };
  int64_t steps = 1;
  SmallVector<unsigned> walked;
  for (unsigned loop : reductions) {
    steps *= stepsOf(loop);
    loops.offset[loop] = constantOffset(frame, 0);
    if (stepsOf(loop) > 1)
      walked.push_back(loop);
  }
  if (steps == 0)
    return carried;
  auto forOp = scf::ForOp::create(b, frame.loc, frame.index(0),
                                  frame.index(steps), frame.index(1), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  frame.scopes.emplace_back();
  Value left = forOp.getInductionVar();
  for (unsigned loop : llvm::reverse(walked)) {
    const int64_t count = stepsOf(loop);
    Value at = left;
    if (loop != walked.front()) {
      at = arith::RemUIOp::create(b, frame.loc, left, frame.index(count));
      left = arith::DivUIOp::create(b, frame.loc, left, frame.index(count));
    }
    loops.offset[loop] =
        scaleOffset(frame, {at, 0, count - 1}, loops.size[loop]);
  }
  FailureOr<Tiles> next = step(loops, Tiles(forOp.getRegionIterArgs()));
  frame.scopes.pop_back();
  if (failed(next))
    return failure();
  scf::YieldOp::create(b, frame.loc, *next);
  return Tiles(forOp.getResults());
}

/// They are counted from the box's first one, in 32 bits.
Value isBefore(KernelFrame &frame, const Box &box, unsigned dim, Value end) {
  OpBuilder &b = frame.builder;
  const int64_t count = box.size[dim];
  SmallVector<int64_t> along(box.rank(), 1);
  along[dim] = count;
  auto type = RankedTensorType::get(count, b.getI32Type());
  Value points =
      reshape(frame, tile::IotaOp::create(b, frame.loc, type), along);
  Value left =
      b.createOrFold<arith::SubIOp>(frame.loc, end, box.offset[dim].value);
  left = b.createOrFold<arith::MinSIOp>(frame.loc, left, frame.index(count));
  left = b.createOrFold<arith::IndexCastOp>(frame.loc, b.getI32Type(), left);
  return arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::slt,
                               broadcast(frame, points, box.size),
                               broadcastScalar(frame, left, box.size));
}

FailureOr<Value> maskOverrun(KernelFrame &frame, linalg::GenericOp op,
                             const Box &loops, ArrayRef<unsigned> order,
                             Value tile, TypedAttr neutral) {
  Box ordered;
  for (auto [dim, loop] : llvm::enumerate(order))
    ordered.append(loops.offset[loop],
                   cast<RankedTensorType>(tile.getType()).getDimSize(dim), 1);
  for (auto [dim, loop] : llvm::enumerate(order)) {
    if (op.getIteratorTypesArray()[loop] != utils::IteratorType::reduction)
      continue;
    FailureOr<AffineExpr> extent = loopSize(frame, op, loop);
    if (failed(extent))
      return failure();
    auto fixed = dyn_cast<AffineConstantExpr>(*extent);
    if (fixed && fixed.getValue() % loops.size[loop] == 0)
      continue;
    FailureOr<Value> end = frame.sizeValue(*extent);
    if (failed(end))
      return failure();
    Value inside = isBefore(frame, ordered, dim, *end);
    tile = arith::SelectOp::create(frame.builder, frame.loc, inside, tile,
                                   splat(frame, neutral, ordered.size));
  }
  return tile;
}

} // namespace tilewright::graph
