//===- KernelEmitter.cpp - One group of graph ops as a tile kernel --------===//
#include "graph/lowering/KernelEmitter.h"

#include "graph/analysis/Access.h"
#include "graph/lowering/MemoryEmitter.h"
#include "graph/lowering/ScanEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

KernelEmitter::KernelEmitter(OpBuilder &builder, SymbolicShapes &shapes,
                             const Group &group, const TileLimits &limits)
    : frame(builder, shapes, group), limits(limits) {
  frame.precision = limits.precision;
}

/// The dimensions that each program walks piece by piece: long rows.
static SmallVector<unsigned> walkedDims(KernelFrame &frame,
                                        ArrayRef<AffineExpr> extents) {
  SmallVector<unsigned> walked;
  for (unsigned dim : frame.group.wholeLoops.set_bits()) {
    auto fixed = dyn_cast<AffineConstantExpr>(extents[dim]);
    if (!fixed || fixed.getValue() > frame.sizes.tile[dim])
      walked.push_back(dim);
  }
  return walked;
}

/// The part of the value of `op` that belongs to a box of the group's
/// iteration space.
static Box partOf(KernelFrame &frame, Operation *op, const Box &box) {
  Box part;
  for (int loop : frame.group.alignment.lookup(op))
    if (loop < 0)
      part.append(constantOffset(frame, 0), 1, 1);
    else
      part.append(box.offset[loop], box.size[loop], 1);
  return part;
}

/// Computes and stores what belongs to a box of the iteration space.
static LogicalResult emitResults(KernelFrame &frame, ArrayRef<Value> results,
                                 const Box &box) {
  SmallVector<Value> tiles;
  SmallVector<Box> parts;
  for (Value result : results) {
    parts.push_back(partOf(frame, result.getDefiningOp(), box));
    FailureOr<Value> tile = emitTile(frame, result, parts.back());
    if (failed(tile))
      return failure();
    tiles.push_back(*tile);
  }
  for (auto [tile, result, part] : llvm::zip(tiles, results, parts))
    emitStore(frame, tile, result, part);
  return success();
}

/// Where the piece of a row begins that is walked when the loop is at `at`.
static Value startOfPiece(KernelFrame &frame, Value at, Value end, int64_t size,
                          bool isReverse) {
  if (!isReverse)
    return at;
  OpBuilder &b = frame.builder;
  Value pieces = b.createOrFold<arith::DivUIOp>(
      frame.loc,
      b.createOrFold<arith::AddIOp>(frame.loc, end, frame.index(size - 1)),
      frame.index(size));
  Value last = b.createOrFold<arith::MulIOp>(
      frame.loc,
      b.createOrFold<arith::SubIOp>(frame.loc, pieces, frame.index(1)),
      frame.index(size));
  return b.createOrFold<arith::SubIOp>(frame.loc, last, at);
}

/// The same along long rows, one piece after the other. A scan is along the
/// last of these dimensions.
static LogicalResult emitPieces(KernelFrame &frame, ArrayRef<Value> results,
                                Box box, ArrayRef<unsigned> walked,
                                ArrayRef<AffineExpr> extents,
                                const std::optional<WalkedScan> &scan) {
  if (walked.empty())
    return emitResults(frame, results, box);
  const unsigned dim = walked.front();
  FailureOr<Value> end = frame.sizeValue(extents[dim]);
  if (failed(end))
    return failure();
  const int64_t size = box.size[dim];
  const bool isScanned = scan && scan->dim == dim;
  SmallVector<Value> carried;
  if (isScanned)
    carried = {firstCarry(frame, scan->op, partOf(frame, scan->op, box))};
  auto loop = scf::ForOp::create(frame.builder, frame.loc, frame.index(0), *end,
                                 frame.index(size), carried);
  OpBuilder::InsertionGuard guard(frame.builder);
  frame.builder.setInsertionPointToStart(loop.getBody());
  frame.scopes.emplace_back();
  Value start = startOfPiece(frame, loop.getInductionVar(), *end, size,
                             isScanned && scan->isReverse);
  box.offset[dim] = steppedOffset(start, extents[dim], size);
  if (isScanned)
    frame.carry = {scan->op, loop.getRegionIterArg(0), {}};
  LogicalResult emitted =
      emitPieces(frame, results, box, walked.drop_front(), extents, scan);
  if (isScanned && succeeded(emitted))
    scf::YieldOp::create(frame.builder, frame.loc, frame.carry->after);
  frame.scopes.pop_back();
  return emitted;
}

/// Reduces the rows of a program before it walks them for the result and its
/// scan.
static LogicalResult reduceRows(KernelFrame &frame, const Box &box,
                                const std::optional<WalkedScan> &scan) {
  for (Operation *op : frame.group.ops)
    if (isReduction(op) && frame.group.alignment.contains(op) &&
        !(scan && scan->op == op) &&
        failed(emitTile(frame, op->getResult(0), partOf(frame, op, box))))
      return failure();
  return success();
}

/// The results that follow one of these dimensions, or those that do not.
static SmallVector<Value> resultsAlong(const Group &group,
                                       ArrayRef<unsigned> dims, bool follow) {
  SmallVector<Value> chosen;
  for (Value result : group.results()) {
    const Alignment alignment = group.alignment.lookup(result.getDefiningOp());
    if (follow == llvm::any_of(dims, [&](unsigned dim) {
          return llvm::is_contained(alignment, int(dim));
        }))
      chosen.push_back(result);
  }
  return chosen;
}

/// Walks long rows: reduces them, stores what they have one of, then the rest.
static LogicalResult emitRows(KernelFrame &frame, const Box &box,
                              SmallVector<unsigned> walked,
                              ArrayRef<AffineExpr> extents) {
  const Group &group = frame.group;
  FailureOr<std::optional<WalkedScan>> scan = walkedScan(frame, walked);
  if (failed(scan))
    return failure();
  if (*scan)
    std::stable_partition(walked.begin(), walked.end(),
                          [&](unsigned dim) { return dim != (*scan)->dim; });
  return failure(
      failed(reduceRows(frame, box, *scan)) ||
      failed(emitResults(frame, resultsAlong(group, walked, false), box)) ||
      failed(emitPieces(frame, resultsAlong(group, walked, true), box, walked,
                        extents, *scan)));
}

/// Whether all results belong to parts of the first one.
static LogicalResult checkResults(const Group &group) {
  for (Value result : group.results())
    if (!group.alignment.contains(result.getDefiningOp()))
      return result.getDefiningOp()->emitError(
          "expected a result of the group whose dimensions follow those of the "
          "first result");
  return success();
}

FailureOr<EmittedKernel> KernelEmitter::emit(StringRef name,
                                             const TilingValues &tiling) {
  SmallVector<Value> results = frame.group.results();
  FailureOr<TileSizes> chosen = tileBy(frame.group, limits, tiling);
  if (failed(checkResults(frame.group)) || failed(chosen))
    return failure();
  frame.sizes = std::move(*chosen);
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(results.front());
  if (failed(extents))
    return failure();
  if (failed(openKernel(frame, first, name, results)))
    return failure();
  SmallVector<unsigned> walked = walkedDims(frame, *extents);
  FailureOr<Box> box = programBox(frame, frame.sizes.tile, *extents, walked);
  if (failed(box) ||
      failed(walked.empty() ? emitResults(frame, results, *box)
                            : emitRows(frame, *box, walked, *extents)))
    return failure();
  return closeKernel(frame);
}

} // namespace tilewright::graph
