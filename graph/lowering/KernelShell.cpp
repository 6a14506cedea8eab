//===- KernelShell.cpp - What kernels of all kinds have in common ---------===//
#include "graph/lowering/KernelShell.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::graph {

LogicalResult openKernel(KernelFrame &frame, ArrayRef<KernelArgument> first,
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

FailureOr<EmittedKernel> closeKernel(KernelFrame &frame) {
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

FailureOr<Box> programBox(KernelFrame &frame, ArrayRef<int64_t> tile,
                          ArrayRef<AffineExpr> extents,
                          ArrayRef<unsigned> walked) {
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

} // namespace tilewright::graph
