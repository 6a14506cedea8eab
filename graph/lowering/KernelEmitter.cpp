//===- KernelEmitter.cpp - One group of graph ops as a tile kernel --------===//
#include "graph/lowering/KernelEmitter.h"

#include "graph/analysis/Access.h"
#include "graph/lowering/MemoryEmitter.h"
#include "graph/lowering/ScanEmitter.h"
#include "graph/lowering/ScatterEmitter.h"
#include "graph/lowering/TopKEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

KernelEmitter::KernelEmitter(OpBuilder &builder, SymbolicShapes &shapes,
                             const Group &group, const TileLimits &limits)
    : frame(builder, shapes, group), limits(limits) {}

/// Opens the kernel; its arguments begin with `tensors`, then `first`.
static LogicalResult begin(KernelFrame &frame, ArrayRef<KernelArgument> first,
                           StringRef name, ValueRange tensors) {
  MLIRContext *context = frame.builder.getContext();
  frame.kernel =
      tile::KernelOp::create(frame.builder, frame.loc, name, TypeRange(),
                             AffineMap::getConstantMap(1, context));
  frame.entry = &frame.kernel.getRegion().front();
  frame.builder.setInsertionPoint(frame.entry->getTerminator());
  frame.scopes.emplace_back();
  for (Value tensor : tensors)
    frame.viewOf(tensor);
  for (const KernelArgument &argument : first)
    if (argument.tensor)
      frame.viewOf(argument.tensor);
    else if (failed(frame.sizeValue(argument.scalar)))
      return failure();
  return success();
}

static FailureOr<EmittedKernel> finish(KernelFrame &frame) {
  auto type =
      frame.builder.getFunctionType(frame.entry->getArgumentTypes(), {});
  frame.kernel.setFunctionType(type);
  int64_t symbols = tile::KernelOp::countGridSymbols(type.getInputs());
  if (frame.gridSizes.empty())
    frame.gridSizes.push_back(frame.builder.getAffineConstantExpr(1));
  frame.kernel.setGrid(
      AffineMap::get(0, symbols, frame.gridSizes, frame.builder.getContext()));
  return EmittedKernel{frame.kernel, std::move(frame.arguments)};
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

/// A size as a symbol of the grid: that of the kernel's first argument, if it
/// has this size along `dim`, else of any argument, or a constant.
static FailureOr<AffineExpr> gridSize(KernelFrame &frame, AffineExpr size,
                                      unsigned dim) {
  unsigned symbol = 0;
  // The size becomes an argument, if no view has it.
  if (!isa<AffineConstantExpr>(size) && failed(frame.sizeValue(size)))
    return failure();
  for (const KernelArgument &argument : frame.arguments) {
    SymbolicShape sizes{argument.scalar};
    if (argument.tensor) {
      FailureOr<SymbolicShape> shape = frame.shapes.shapeOf(argument.tensor);
      if (failed(shape))
        return failure();
      sizes = *shape;
    }
    if (symbol == 0 && sizes[dim] == size)
      return frame.builder.getAffineSymbolExpr(dim);
    if (isa<AffineConstantExpr>(size))
      return size;
    const auto *found = llvm::find(sizes, size);
    symbol += unsigned(found - sizes.begin());
    if (found != sizes.end())
      return frame.builder.getAffineSymbolExpr(symbol);
  }
  return failure();
}

/// How many tiles there are along a dimension, as the kernel computes it.
static FailureOr<Value> countTiles(KernelFrame &frame, AffineExpr extent,
                                   unsigned dim, int64_t tile) {
  OpBuilder &b = frame.builder;
  FailureOr<AffineExpr> size = gridSize(frame, extent, dim);
  FailureOr<Value> value = frame.sizeValue(extent);
  if (failed(size) || failed(value))
    return failure();
  if (*size == b.getAffineSymbolExpr(dim))
    return Value(tile::CountOp::create(b, frame.loc,
                                       frame.entry->getArgument(0), dim, tile));
  Value rounded =
      b.createOrFold<arith::AddIOp>(frame.loc, *value, frame.index(tile - 1));
  return b.createOrFold<arith::DivUIOp>(frame.loc, rounded, frame.index(tile));
}

/// The dimensions that programs share out, the fastest of the grid first.
static SmallVector<unsigned> tiledDims(KernelFrame &frame,
                                       ArrayRef<int64_t> tile,
                                       ArrayRef<AffineExpr> extents,
                                       ArrayRef<unsigned> walked) {
  SmallVector<unsigned> tiled;
  for (unsigned d = unsigned(tile.size()); d-- > 0;) {
    auto fixed = dyn_cast<AffineConstantExpr>(extents[d]);
    if ((!fixed || fixed.getValue() > tile[d]) &&
        !llvm::is_contained(walked, d))
      tiled.push_back(d);
  }
  if (frame.sizes.fastest)
    if (auto *at = llvm::find(tiled, *frame.sizes.fastest); at != tiled.end())
      std::rotate(tiled.begin(), at, at + 1);
  return tiled;
}

/// The box of the result that one program computes, or the first piece of
/// it: dimensions in `walked` begin at 0. The innermost tiled dimension is the
/// fastest grid dimension, unless another was chosen; all beyond the second
/// share the third.
static FailureOr<Box> programBox(KernelFrame &frame, ArrayRef<int64_t> tile,
                                 ArrayRef<AffineExpr> extents,
                                 ArrayRef<unsigned> walked = {}) {
  Box box;
  for (auto size : tile)
    box.append(constantOffset(frame, 0), size, 1);
  SmallVector<unsigned> tiled = tiledDims(frame, tile, extents, walked);
  if (tiled.empty())
    return box;
  for (auto [i, dim] : llvm::enumerate(tiled)) {
    FailureOr<AffineExpr> size = gridSize(frame, extents[dim], dim);
    if (failed(size))
      return failure();
    AffineExpr count = size->ceilDiv(tile[dim]);
    if (i < 3)
      frame.gridSizes.push_back(count);
    else
      frame.gridSizes[2] = frame.gridSizes[2] * count;
  }
  SmallVector<Type> types(frame.gridSizes.size(), frame.builder.getIndexType());
  auto ids = tile::ProgramIdOp::create(frame.builder, frame.loc, types);
  Value rest;
  for (auto [i, dim] : llvm::enumerate(tiled)) {
    Value id = i < 2 ? ids.getResult(i) : rest ? rest : ids.getResult(2);
    if (i >= 2 && i + 1 < tiled.size()) {
      FailureOr<Value> tiles = countTiles(frame, extents[dim], dim, tile[dim]);
      if (failed(tiles))
        return failure();
      rest = arith::DivUIOp::create(frame.builder, frame.loc, id, *tiles);
      id = arith::RemUIOp::create(frame.builder, frame.loc, id, *tiles);
    }
    Value first = frame.builder.createOrFold<arith::MulIOp>(
        frame.loc, id, frame.index(tile[dim]));
    box.offset[dim] = steppedOffset(first, extents[dim], tile[dim]);
  }
  return box;
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
  for (auto [tile, result, part] : llvm::zip(tiles, results, parts)) {
    SmallVector<Value> offsets;
    for (const Offset &offset : part.offset)
      offsets.push_back(offset.value);
    tile::StoreOp::create(frame.builder, frame.loc, tile, frame.viewOf(result),
                          offsets, ArrayRef<int64_t>());
  }
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
  if (failed(begin(frame, first, name, results)))
    return failure();
  SmallVector<unsigned> walked = walkedDims(frame, *extents);
  FailureOr<Box> box = programBox(frame, frame.sizes.tile, *extents, walked);
  if (failed(box) ||
      failed(walked.empty() ? emitResults(frame, results, *box)
                            : emitRows(frame, *box, walked, *extents)))
    return failure();
  return finish(frame);
}

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
  if (failed(begin(frame, first, name, isCopy ? source : frame.group.result())))
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
  return finish(frame);
}

FailureOr<EmittedKernel> KernelEmitter::emitTopK(StringRef name) {
  auto op = cast<TopKOp>(frame.group.last);
  SmallVector<Value> results = frame.group.results();
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(results.front());
  if (failed(extents) || failed(begin(frame, first, name, results)))
    return failure();
  FailureOr<Box> box = programBox(frame, topKTile(op, limits), *extents);
  if (failed(box) ||
      failed(tilewright::graph::emitTopK(frame, op, *box, limits)))
    return failure();
  return finish(frame);
}

FailureOr<EmittedKernel> KernelEmitter::emitScatter(StringRef name,
                                                    unsigned part) {
  auto op = cast<ScatterOp>(frame.group.last);
  Value source = part == 0 ? op.getData() : op.getUpdates();
  // What it reads determines the tiles: its view is the first.
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(source);
  if (failed(extents) || failed(begin(frame, first, name, source)))
    return failure();
  FailureOr<Box> box = programBox(
      frame, copyTile(cast<RankedTensorType>(source.getType()), limits),
      *extents);
  if (failed(box))
    return failure();
  if (part != 0) {
    if (failed(emitUpdates(frame, op, *box)))
      return failure();
    return finish(frame);
  }
  Value copied = emitLoad(frame, source, *box, {});
  SmallVector<Value> offsets;
  for (const Offset &offset : box->offset)
    offsets.push_back(offset.value);
  tile::StoreOp::create(frame.builder, frame.loc, copied,
                        frame.viewOf(frame.group.result()), offsets,
                        ArrayRef<int64_t>());
  return finish(frame);
}

} // namespace tilewright::graph
