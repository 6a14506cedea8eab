//===- OwnKernels.cpp - Kernels of ops that no other op joins -------------===//
#include "graph/lowering/KernelEmitter.h"

#include "graph/lowering/MemoryEmitter.h"
#include "graph/lowering/OperandEmitter.h"
#include "graph/lowering/RowScanEmitter.h"
#include "graph/lowering/ScatterEmitter.h"
#include "graph/lowering/SortEmitter.h"
#include "graph/lowering/TileBuilders.h"
#include "graph/lowering/TopKEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::graph {

/// Tiles of a tensor that is copied, or updated from: long rows.
static SmallVector<int64_t> copyTile(RankedTensorType type,
                                     const TileLimits &limits) {
  SmallVector<int64_t> tile(type.getRank(), 1);
  int64_t budget = limits.elementwiseElements;
  for (int64_t d = type.getRank() - 1; d >= 0 && budget > 1; --d) {
    int64_t size = type.isDynamicDim(d)
                       ? limits.dynamicTile * 4
                       : std::max<int64_t>(1, type.getDimSize(d));
    tile[d] = std::min(size, budget);
    budget = tile[d] == type.getDimSize(d) ? budget / tile[d] : 1;
  }
  return tile;
}

/// The tiles of inputs of a concatenation that one kernel stores. Those of
/// several end where their input does: nothing orders what a program stores
/// behind it before what another stores there.
static SmallVector<int64_t> concatTile(tensor::ConcatOp concat,
                                       ArrayRef<unsigned> inputs,
                                       const TileLimits &limits) {
  auto type =
      cast<RankedTensorType>(concat.getInputs()[inputs.front()].getType());
  SmallVector<int64_t> tile = copyTile(type, limits);
  int64_t &along = tile[concat.getDim()];
  while (inputs.size() > 1 && type.getDimSize(concat.getDim()) % along != 0)
    --along;
  return tile;
}

/// Where an input of a concatenation begins in the result.
static FailureOr<Value> startOf(KernelFrame &frame, tensor::ConcatOp concat,
                                unsigned input) {
  AffineExpr start = frame.builder.getAffineConstantExpr(0);
  for (Value before : concat.getInputs().take_front(input)) {
    FailureOr<SymbolicShape> shape = frame.shapes.shapeOf(before);
    if (failed(shape))
      return failure();
    start = start + (*shape)[concat.getDim()];
  }
  return frame.sizeValue(start);
}

FailureOr<EmittedKernel> KernelEmitter::emitConcat(StringRef name,
                                                   ArrayRef<unsigned> inputs) {
  auto concat = cast<tensor::ConcatOp>(frame.group.last);
  Value source = concat.getInputs()[inputs.front()];
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(source);
  if (failed(extents))
    return failure();
  // A copy's tiles are those of the source: the view of the result is second.
  const bool isCopy = operandBehind(source) != nullptr;
  if (failed(openKernel(frame, first, name,
                        isCopy ? source : frame.group.result())))
    return failure();
  Value view = frame.viewOf(frame.group.result());
  FailureOr<Box> box =
      programBox(frame, concatTile(concat, inputs, limits), *extents);
  if (failed(box))
    return failure();
  // All are computed before one is stored: they may load the same.
  SmallVector<Value> tiles;
  for (unsigned input : inputs) {
    FailureOr<Value> tile = emitTile(frame, concat.getInputs()[input], *box);
    if (failed(tile))
      return failure();
    tiles.push_back(*tile);
  }
  for (auto [input, tile] : llvm::zip(inputs, tiles)) {
    FailureOr<Value> shift = startOf(frame, concat, input);
    if (failed(shift))
      return failure();
    SmallVector<Value> offsets;
    for (auto [d, offset] : llvm::enumerate(box->offset))
      offsets.push_back(d == concat.getDim()
                            ? frame.builder.createOrFold<arith::AddIOp>(
                                  frame.loc, offset.value, *shift)
                            : offset.value);
    tile::StoreOp::create(frame.builder, frame.loc, tile, view, offsets,
                          ArrayRef<int64_t>());
  }
  return closeKernel(frame);
}

/// Loops over the updates of which all points have one owner.
static SmallVector<unsigned> unownedLoops(ScatterOp op) {
  SmallVector<unsigned> loops;
  SmallVector<unsigned> owned = op.getOwnedDims();
  for (auto [dim, subscript] : llvm::enumerate(op.getTarget().getResults()))
    if (!llvm::is_contained(owned, unsigned(dim)))
      loops.push_back(cast<AffineDimExpr>(subscript).getPosition());
  return loops;
}

FailureOr<EmittedKernel> KernelEmitter::emitScatter(StringRef name,
                                                    unsigned part) {
  auto op = cast<ScatterOp>(frame.group.last);
  const bool isCopy = part == 0;
  const bool isLast = part + 1 == frame.group.kernelCount();
  Value source = isCopy ? op.getData() : op.getUpdates();
  Operation *producer = source.getDefiningOp();
  const bool isWritten = producer && isWrittenDown(producer);
  // What it reads determines the tiles: its view is the first.
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(source);
  if (failed(extents) ||
      failed(
          openKernel(frame, first, name, isWritten ? op.getResult() : source)))
    return failure();
  SmallVector<int64_t> tile =
      copyTile(cast<RankedTensorType>(source.getType()), limits);
  if (!isCopy && !isLast)
    for (unsigned loop : unownedLoops(op)) {
      tile[loop] = 1;
      (*extents)[loop] = frame.builder.getAffineConstantExpr(1);
    }
  FailureOr<Box> box = programBox(frame, tile, *extents);
  if (failed(box))
    return failure();
  if (!isCopy) {
    if (failed(isLast ? emitUpdates(frame, op, *box)
                      : emitOwners(frame, op, *box, /*clears=*/part == 1)))
      return failure();
    return closeKernel(frame);
  }
  FailureOr<Value> copied = emitTile(frame, source, *box);
  if (failed(copied))
    return failure();
  emitStore(frame, *copied, op.getResult(), *box);
  return closeKernel(frame);
}

FailureOr<EmittedKernel>
KernelEmitter::emitOverResults(StringRef name, ArrayRef<int64_t> tile,
                               ArrayRef<unsigned> walked,
                               llvm::function_ref<LogicalResult(Box)> emitBox) {
  SmallVector<Value> results = frame.group.results();
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(results.front());
  if (failed(extents) || failed(openKernel(frame, first, name, results)))
    return failure();
  FailureOr<Box> box = programBox(frame, tile, *extents, walked);
  if (failed(box) || failed(emitBox(*box)))
    return failure();
  return closeKernel(frame);
}

FailureOr<EmittedKernel> KernelEmitter::emitRowScan(StringRef name) {
  auto op = cast<ScanOp>(frame.group.last);
  const auto axis = unsigned(op.getAxis());
  return emitOverResults(
      name, rowScanTile(op, limits), axis, [&](Box box) -> LogicalResult {
        FailureOr<SymbolicShape> extents =
            frame.shapes.shapeOf(frame.group.results().front());
        FailureOr<Value> end = failed(extents)
                                   ? FailureOr<Value>(failure())
                                   : frame.sizeValue((*extents)[axis]);
        if (failed(end))
          return failure();
        return tilewright::graph::emitRowScan(frame, op, box, *end);
      });
}

/// Whether a tile of elements is as required.
static FailureOr<Value> areExpected(KernelFrame &frame, RequireOp op,
                                    const Box &box) {
  OpBuilder &b = frame.builder;
  Value elements = emitLoad(frame, op.getSource(), box, {});
  auto type = cast<RankedTensorType>(elements.getType());
  auto compare = [&](arith::CmpIPredicate how, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, frame.loc, how, x, y);
  };
  if (op.getBounds().empty())
    return compare(
        arith::CmpIPredicate::ne, elements,
        splat(frame, b.getIntegerAttr(type.getElementType(), 0), box.size));
  if (!type.getElementType().isIndex())
    elements = arith::IndexCastOp::create(
        b, frame.loc, type.clone(b.getIndexType()), elements);
  FailureOr<Offset> low = foldedOffset(frame, op.getBounds()[0]);
  FailureOr<Offset> high = foldedOffset(frame, op.getBounds()[1]);
  if (failed(low) || failed(high))
    return failure();
  Value isHigh = compare(arith::CmpIPredicate::sge, elements,
                         broadcastScalar(frame, low->value, box.size));
  Value isLow = compare(arith::CmpIPredicate::slt, elements,
                        broadcastScalar(frame, high->value, box.size));
  return arith::AndIOp::create(b, frame.loc, isHigh, isLow).getResult();
}

FailureOr<EmittedKernel> KernelEmitter::emitRequire(StringRef name) {
  auto op = cast<RequireOp>(frame.group.last);
  OpBuilder &b = frame.builder;
  Value source = op.getSource();
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(source);
  if (failed(extents) || failed(openKernel(frame, first, name, source)))
    return failure();
  FailureOr<Box> box = programBox(
      frame, copyTile(cast<RankedTensorType>(source.getType()), limits),
      *extents);
  FailureOr<Value> holds =
      failed(box) ? FailureOr<Value>(failure()) : areExpected(frame, op, *box);
  if (failed(holds))
    return failure();
  // Nothing is required of what is beyond the tensor.
  for (auto [dim, extent] : llvm::enumerate(*extents)) {
    auto known = dyn_cast<AffineConstantExpr>(extent);
    if (box->size[dim] == 1 ||
        (known && known.getValue() % box->size[dim] == 0))
      continue;
    FailureOr<Value> end = frame.sizeValue(extent);
    if (failed(end))
      return failure();
    Value isOutside =
        arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::sge,
                              indexTile(frame, *box, unsigned(dim)),
                              broadcastScalar(frame, *end, box->size));
    holds = arith::OrIOp::create(b, frame.loc, *holds, isOutside).getResult();
  }
  tile::AssertOp::create(b, frame.loc, *holds, op.getMessage());
  return closeKernel(frame);
}

FailureOr<EmittedKernel> KernelEmitter::emitDigits(StringRef name) {
  auto counts = dyn_cast<DigitCountsOp>(frame.group.last);
  auto scatter = dyn_cast<DigitScatterOp>(frame.group.last);
  // A program has a block of the keys: their view is the first.
  Value keys = counts ? counts.getKeys() : scatter.getKeys();
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(keys);
  if (failed(extents) || failed(openKernel(frame, first, name, keys)))
    return failure();
  SmallVector<int64_t> tile(extents->size(), 1);
  tile.back() = int64_t(counts ? counts.getBlock() : scatter.getBlock());
  FailureOr<Box> box = programBox(frame, tile, *extents);
  if (failed(box) ||
      failed(counts ? emitDigitCounts(frame, counts, *box)
                    : emitDigitScatter(frame, scatter, *box, limits.isShared)))
    return failure();
  return closeKernel(frame);
}

FailureOr<EmittedKernel> KernelEmitter::emitOwn(StringRef name, unsigned part) {
  return llvm::TypeSwitch<Operation *, FailureOr<EmittedKernel>>(
             frame.group.last)
      .Case<TopKOp>([&](TopKOp op) {
        return emitOverResults(
            name, topKTile(op, limits), {},
            [&](const Box &box) { return emitTopK(frame, op, box, limits); });
      })
      .Case<ScatterOp>([&](auto) { return emitScatter(name, part); })
      .Case<SortOp>([&](SortOp op) {
        return emitOverResults(
            name, sortTile(op, limits), {},
            [&](const Box &box) { return emitSort(frame, op, box); });
      })
      .Case<ScanOp>([&](auto) { return emitRowScan(name); })
      .Case<RequireOp>([&](auto) { return emitRequire(name); })
      .Case<DigitCountsOp, DigitScatterOp>(
          [&](auto) { return emitDigits(name); });
}

} // namespace tilewright::graph
