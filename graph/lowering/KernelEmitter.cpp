//===- KernelEmitter.cpp - One group of graph ops as a tile kernel --------===//
#include "graph/lowering/KernelEmitter.h"

#include "graph/lowering/MemoryEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// The region of the result that one program computes. The innermost tiled
/// dimension is the fastest grid dimension, unless another was chosen; all
/// beyond the second share the third.
static Region programRegion(KernelFrame &frame, ArrayRef<int64_t> tile,
                            ArrayRef<AffineExpr> extents) {
  Region region;
  for (auto size : tile)
    region.append(constantOffset(frame, 0), size, 1);
  SmallVector<unsigned> tiled;
  for (unsigned d = 0; d < tile.size(); ++d) {
    auto fixed = dyn_cast<AffineConstantExpr>(extents[d]);
    if (!fixed || fixed.getValue() > tile[d])
      tiled.push_back(d);
  }
  if (tiled.empty())
    return region;
  auto count = [&](unsigned dim) {
    // Argument 0 is the result: its sizes are the first symbols.
    return frame.builder.getAffineSymbolExpr(dim).ceilDiv(tile[dim]);
  };
  std::reverse(tiled.begin(), tiled.end());
  if (frame.sizes.fastest)
    if (auto *at = llvm::find(tiled, *frame.sizes.fastest); at != tiled.end())
      std::rotate(tiled.begin(), at, at + 1);
  for (auto [i, dim] : llvm::enumerate(tiled)) {
    if (i < 3)
      frame.gridSizes.push_back(count(dim));
    else
      frame.gridSizes[2] = frame.gridSizes[2] * count(dim);
  }
  SmallVector<Type> types(frame.gridSizes.size(), frame.builder.getIndexType());
  auto ids = tile::ProgramIdOp::create(frame.builder, frame.loc, types);
  Value rest;
  for (auto [i, dim] : llvm::enumerate(tiled)) {
    Value id = i < 2 ? ids.getResult(i) : rest ? rest : ids.getResult(2);
    if (i >= 2 && i + 1 < tiled.size()) {
      Value tiles =
          tile::CountOp::create(frame.builder, frame.loc,
                                frame.entry->getArgument(0), dim, tile[dim]);
      rest = arith::DivUIOp::create(frame.builder, frame.loc, id, tiles);
      id = arith::RemUIOp::create(frame.builder, frame.loc, id, tiles);
    }
    Offset offset{frame.builder.createOrFold<arith::MulIOp>(
                      frame.loc, id, frame.index(tile[dim])),
                  0,
                  {}};
    if (auto fixed = dyn_cast<AffineConstantExpr>(extents[dim]))
      offset.max =
          (llvm::divideCeil(fixed.getValue(), tile[dim]) - 1) * tile[dim];
    region.offset[dim] = offset;
  }
  return region;
}

FailureOr<EmittedKernel> KernelEmitter::emit(StringRef name,
                                             const TilingValues &tiling) {
  SmallVector<Value> results = frame.group.results();
  FailureOr<TileSizes> chosen = tileBy(frame.group, limits, tiling);
  if (failed(chosen))
    return failure();
  frame.sizes = std::move(*chosen);
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(results.front());
  if (failed(extents))
    return failure();
  if (failed(begin(frame, first, name, results)))
    return failure();
  Region region = programRegion(frame, frame.sizes.tile, *extents);
  SmallVector<Value> tiles, offsets;
  for (Value result : results) {
    FailureOr<Value> tile = emitTile(frame, result, region);
    if (failed(tile))
      return failure();
    tiles.push_back(*tile);
  }
  for (const Offset &offset : region.offset)
    offsets.push_back(offset.value);
  for (auto [tile, result] : llvm::zip(tiles, results))
    tile::StoreOp::create(frame.builder, frame.loc, tile, frame.viewOf(result),
                          offsets, ArrayRef<int64_t>());
  return finish(frame);
}

FailureOr<EmittedKernel> KernelEmitter::emitConcat(StringRef name,
                                                   unsigned input) {
  auto concat = cast<tensor::ConcatOp>(frame.group.last);
  Value source = concat.getInputs()[input];
  AffineExpr start = frame.builder.getAffineConstantExpr(0);
  for (Value before : concat.getInputs().take_front(input)) {
    FailureOr<SymbolicShape> shape = frame.shapes.shapeOf(before);
    if (failed(shape))
      return failure();
    start = start + (*shape)[concat.getDim()];
  }
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(source);
  if (failed(extents))
    return failure();
  // The source determines the tiles of the copy: the view of the result is
  // second.
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> tile(type.getRank(), 1);
  int64_t budget = limits.elementwiseElements;
  for (int64_t d = type.getRank() - 1; d >= 0 && budget > 1; --d) {
    int64_t size = type.isDynamicDim(d)
                       ? limits.dynamicTile * 4
                       : std::max<int64_t>(1, type.getDimSize(d));
    tile[d] = std::min(size, budget);
    budget = tile[d] == type.getDimSize(d) ? budget / tile[d] : 1;
  }
  if (failed(begin(frame, first, name, source)))
    return failure();
  Value view = frame.viewOf(frame.group.result());
  Region region = programRegion(frame, tile, *extents);
  Value copied = emitLoad(frame, source, region, {});
  FailureOr<Value> shift = frame.sizeValue(start);
  if (failed(shift))
    return failure();
  SmallVector<Value> offsets;
  for (auto [d, offset] : llvm::enumerate(region.offset))
    offsets.push_back(d == concat.getDim()
                          ? frame.builder.createOrFold<arith::AddIOp>(
                                frame.loc, offset.value, *shift)
                          : offset.value);
  tile::StoreOp::create(frame.builder, frame.loc, copied, view, offsets,
                        ArrayRef<int64_t>());
  return finish(frame);
}

} // namespace tilewright::graph
