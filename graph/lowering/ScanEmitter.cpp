//===- ScanEmitter.cpp - Prefixes of rows as scans ------------------------===//
#include "graph/lowering/ScanEmitter.h"

#include "graph/lowering/BodyEmitter.h"
#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/OperandEmitter.h"
#include "graph/lowering/ReductionLoops.h"
#include "graph/lowering/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::graph {

FailureOr<std::optional<WalkedScan>> walkedScan(KernelFrame &frame,
                                                ArrayRef<unsigned> dims) {
  for (Operation *op : frame.group.ops) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    std::optional<Prefixes> prefixes =
        generic ? matchPrefixes(generic) : std::nullopt;
    if (!prefixes || !frame.group.alignment.contains(op))
      continue;
    const int dim = frame.group.alignment.lookup(op)[prefixes->dim];
    if (dim < 0 || !llvm::is_contained(dims, unsigned(dim)))
      continue;
    FailureOr<AffineExpr> points = loopSize(frame, generic, prefixes->loop);
    FailureOr<AffineExpr> elements =
        loopSize(frame, generic, prefixes->reduction);
    if (failed(points) || failed(elements))
      return failure();
    if (*points == *elements)
      return {WalkedScan{generic, unsigned(dim), prefixes->isReverse}};
  }
  return std::optional<WalkedScan>();
}

/// The parallel loops of the scan for a box of its result, where that of the
/// reduction has one point.
static Box parallelLoops(KernelFrame &frame, linalg::GenericOp op,
                         const Box &box) {
  Box parallel = loopBox(frame, op, box);
  for (unsigned loop : reductionLoops(op))
    parallel.size[loop] = 1;
  return parallel;
}

Value firstCarry(KernelFrame &frame, linalg::GenericOp op, const Box &box) {
  const Prefixes prefixes = *matchPrefixes(op);
  SmallVector<int64_t> shape = parallelLoops(frame, op, box).size;
  shape[prefixes.loop] = 1;
  return splat(frame, neutralOf(prefixes.accumulation), shape);
}

/// Whether a program covers all points of the loop.
static bool isWhole(const Box &loops, unsigned loop, int64_t extent) {
  const Offset &offset = loops.offset[loop];
  return loops.size[loop] == extent && offset.min == 0 && offset.max == 0;
}

bool isScan(KernelFrame &frame, linalg::GenericOp op, const Box &parallel) {
  if (frame.carry && frame.carry->scan == op)
    return true;
  std::optional<Prefixes> prefixes = matchPrefixes(op);
  return prefixes && isWhole(parallel, prefixes->loop, prefixes->extent);
}

/// The points of the reduction loop whose elements are combined at those of the
/// other; an exclusive scan combines those next to them.
static Box scannedPoints(KernelFrame &frame, const Prefixes &prefixes,
                         const Box &parallel) {
  Box points = parallel;
  Offset first = parallel.offset[prefixes.loop];
  if (prefixes.isExclusive)
    first = addOffsets(frame, first,
                       constantOffset(frame, prefixes.isReverse ? 1 : -1));
  points.offset[prefixes.reduction] = first;
  points.offset[prefixes.loop] = constantOffset(frame, 0);
  std::swap(points.size[prefixes.loop], points.size[prefixes.reduction]);
  return points;
}

/// Replaces elements beyond the end that points inside combine by the neutral
/// element: behind a row that is scanned from there, and next to the point
/// where an exclusive scan begins.
static FailureOr<Value> maskOutside(KernelFrame &frame, linalg::GenericOp op,
                                    const Prefixes &prefixes, Box points,
                                    Value elements) {
  const unsigned loop = prefixes.reduction;
  FailureOr<AffineExpr> extent = loopSize(frame, op, loop);
  if (failed(extent))
    return failure();
  auto fixed = dyn_cast<AffineConstantExpr>(*extent);
  const bool isEven = fixed && fixed.getValue() % points.size[loop] == 0;
  if (!prefixes.isExclusive && (!prefixes.isReverse || isEven))
    return elements;
  FailureOr<Value> end =
      prefixes.isReverse ? frame.sizeValue(*extent) : frame.index(0);
  if (failed(end))
    return failure();
  points.size =
      llvm::to_vector(cast<RankedTensorType>(elements.getType()).getShape());
  Value before = isBefore(frame, points, loop, *end);
  Value neutral = splat(frame, neutralOf(prefixes.accumulation), points.size);
  return prefixes.isReverse
             ? Value(arith::SelectOp::create(frame.builder, frame.loc, before,
                                             elements, neutral))
             : Value(arith::SelectOp::create(frame.builder, frame.loc, before,
                                             neutral, elements));
}

/// Continues the frame's carry by a piece; returns the piece's prefixes.
static Value carryOn(KernelFrame &frame, const Prefixes &prefixes,
                     Value scanned) {
  ScanCarry &carry = *frame.carry;
  auto type = cast<RankedTensorType>(scanned.getType());
  scanned = combine(frame.builder, frame.loc, prefixes.accumulation.combiner,
                    broadcast(frame, carry.before, type.getShape()), scanned);
  SmallVector<int64_t> offsets(type.getRank(), 0), steps(type.getRank(), 1);
  if (!prefixes.isReverse)
    offsets[prefixes.loop] = type.getDimSize(prefixes.loop) - 1;
  carry.after =
      tile::SliceOp::create(frame.builder, frame.loc, carry.before.getType(),
                            scanned, offsets, steps);
  return scanned;
}

FailureOr<Value> emitScan(KernelFrame &frame, linalg::GenericOp op,
                          const Box &parallel, Value initial) {
  const Prefixes prefixes = *matchPrefixes(op);
  const Accumulation &accumulation = prefixes.accumulation;
  Box points = scannedPoints(frame, prefixes, parallel);
  IRMapping mapping;
  if (failed(emitInputs(frame, op, points, mapping)))
    return failure();
  FailureOr<Value> elements =
      emitBody(frame, accumulation.element, op.getBody(), mapping, points);
  if (succeeded(elements))
    elements = maskOutside(frame, op, prefixes, points, *elements);
  if (failed(elements))
    return failure();
  Value scanned =
      tile::ScanOp::create(frame.builder, frame.loc, ValueRange(*elements),
                           prefixes.reduction, prefixes.isReverse,
                           sidesBy(accumulation))
          .getResult(0);
  auto permutation =
      llvm::to_vector(llvm::seq<int64_t>(0, int64_t(points.rank())));
  std::swap(permutation[prefixes.loop], permutation[prefixes.reduction]);
  scanned =
      reshape(frame, transpose(frame, scanned, permutation), parallel.size);
  if (frame.carry && frame.carry->scan == op)
    scanned = carryOn(frame, prefixes, scanned);
  return combine(frame.builder, frame.loc, accumulation.combiner, initial,
                 scanned);
}

} // namespace tilewright::graph
