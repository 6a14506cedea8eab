//===- KernelEmitter.cpp - The frame, values and memory of a kernel -------===//
#include "graph/lowering/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

KernelEmitter::KernelEmitter(OpBuilder &builder, SymbolicShapes &shapes,
                             const Group &group, const TileLimits &limits)
    : builder(builder), loc(group.last->getLoc()), shapes(shapes), group(group),
      limits(limits) {}

//===----------------------------------------------------------------------===//
// Frame
//===----------------------------------------------------------------------===//

LogicalResult KernelEmitter::begin(StringRef name, ValueRange tensors) {
  MLIRContext *context = builder.getContext();
  kernel = tile::KernelOp::create(builder, loc, name, TypeRange(),
                                  AffineMap::getConstantMap(1, context));
  entry = &kernel.getRegion().front();
  builder.setInsertionPoint(entry->getTerminator());
  scopes.emplace_back();
  for (Value tensor : tensors)
    viewOf(tensor);
  for (const KernelArgument &argument : first)
    if (argument.tensor)
      viewOf(argument.tensor);
    else if (failed(sizeValue(argument.scalar)))
      return failure();
  return success();
}

FailureOr<EmittedKernel> KernelEmitter::finish() {
  auto type = builder.getFunctionType(entry->getArgumentTypes(), {});
  kernel.setFunctionType(type);
  int64_t symbols = tile::KernelOp::countGridSymbols(type.getInputs());
  if (gridSizes.empty())
    gridSizes.push_back(builder.getAffineConstantExpr(1));
  kernel.setGrid(AffineMap::get(0, symbols, gridSizes, builder.getContext()));
  return EmittedKernel{kernel, std::move(arguments)};
}

/// The region of the result that one program computes. The innermost tiled
/// dimension is the fastest grid dimension, unless another was chosen; all
/// beyond the second share the third.
Region KernelEmitter::programRegion(ArrayRef<int64_t> tile,
                                    ArrayRef<AffineExpr> extents) {
  Region region;
  for (auto size : tile)
    region.append(constantOffset(0), size, 1);
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
    return builder.getAffineSymbolExpr(dim).ceilDiv(tile[dim]);
  };
  std::reverse(tiled.begin(), tiled.end());
  if (sizes.fastest)
    if (auto *at = llvm::find(tiled, *sizes.fastest); at != tiled.end())
      std::rotate(tiled.begin(), at, at + 1);
  for (auto [i, dim] : llvm::enumerate(tiled)) {
    if (i < 3)
      gridSizes.push_back(count(dim));
    else
      gridSizes[2] = gridSizes[2] * count(dim);
  }
  SmallVector<Type> types(gridSizes.size(), builder.getIndexType());
  auto ids = tile::ProgramIdOp::create(builder, loc, types);
  Value rest;
  for (auto [i, dim] : llvm::enumerate(tiled)) {
    Value id = i < 2 ? ids.getResult(i) : rest ? rest : ids.getResult(2);
    if (i >= 2 && i + 1 < tiled.size()) {
      Value tiles = tile::CountOp::create(builder, loc, entry->getArgument(0),
                                          dim, tile[dim]);
      rest = arith::DivUIOp::create(builder, loc, id, tiles);
      id = arith::RemUIOp::create(builder, loc, id, tiles);
    }
    Offset offset{
        builder.createOrFold<arith::MulIOp>(loc, id, index(tile[dim])), 0, {}};
    if (auto fixed = dyn_cast<AffineConstantExpr>(extents[dim]))
      offset.max =
          (llvm::divideCeil(fixed.getValue(), tile[dim]) - 1) * tile[dim];
    region.offset[dim] = offset;
  }
  return region;
}

FailureOr<EmittedKernel> KernelEmitter::emit(StringRef name,
                                             const CutValues &cut) {
  SmallVector<Value> results = group.results();
  FailureOr<TileSizes> chosen = cutBy(group, limits, cut);
  if (failed(chosen))
    return failure();
  sizes = std::move(*chosen);
  FailureOr<SymbolicShape> extents = shapes.shapeOf(results.front());
  if (failed(extents))
    return failure();
  if (failed(begin(name, results)))
    return failure();
  Region region = programRegion(sizes.tile, *extents);
  SmallVector<Value> tiles, offsets;
  for (Value result : results) {
    FailureOr<Value> tile = emitTile(result, region);
    if (failed(tile))
      return failure();
    tiles.push_back(*tile);
  }
  for (const Offset &offset : region.offset)
    offsets.push_back(offset.value);
  for (auto [tile, result] : llvm::zip(tiles, results))
    tile::StoreOp::create(builder, loc, tile, viewOf(result), offsets,
                          ArrayRef<int64_t>());
  return finish();
}

FailureOr<EmittedKernel> KernelEmitter::emitConcat(StringRef name,
                                                   unsigned input) {
  auto concat = cast<tensor::ConcatOp>(group.last);
  Value source = concat.getInputs()[input];
  AffineExpr start = builder.getAffineConstantExpr(0);
  for (Value before : concat.getInputs().take_front(input)) {
    FailureOr<SymbolicShape> shape = shapes.shapeOf(before);
    if (failed(shape))
      return failure();
    start = start + (*shape)[concat.getDim()];
  }
  FailureOr<SymbolicShape> extents = shapes.shapeOf(source);
  if (failed(extents))
    return failure();
  // The copy is tiled by its source: the view of the result comes second.
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
  if (failed(begin(name, source)))
    return failure();
  Value view = viewOf(group.result());
  Region region = programRegion(tile, *extents);
  Value copied = emitLoad(source, region, {});
  FailureOr<Value> shift = sizeValue(start);
  if (failed(shift))
    return failure();
  SmallVector<Value> offsets;
  for (auto [d, offset] : llvm::enumerate(region.offset))
    offsets.push_back(
        d == concat.getDim()
            ? builder.createOrFold<arith::AddIOp>(loc, offset.value, *shift)
            : offset.value);
  tile::StoreOp::create(builder, loc, copied, view, offsets,
                        ArrayRef<int64_t>());
  return finish();
}

//===----------------------------------------------------------------------===//
// Arguments and index arithmetic
//===----------------------------------------------------------------------===//

Value KernelEmitter::viewOf(Value tensor) {
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (argument.tensor == tensor)
      return entry->getArgument(i);
  auto type = cast<RankedTensorType>(tensor.getType());
  auto view = tile::ViewType::get(type.getShape(), type.getElementType());
  arguments.push_back({tensor, {}});
  return entry->addArgument(view, tensor.getLoc());
}

FailureOr<Value> KernelEmitter::sizeValue(AffineExpr size) {
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return index(constant.getValue());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (!argument.tensor) {
      if (argument.scalar == size)
        return Value(entry->getArgument(i));
      continue;
    }
    FailureOr<SymbolicShape> shape = shapes.shapeOf(argument.tensor);
    if (failed(shape))
      return failure();
    for (auto [d, extent] : llvm::enumerate(*shape))
      if (extent == size)
        return tile::DimOp::create(builder, loc, entry->getArgument(i), d)
            .getResult();
  }
  arguments.push_back({Value(), size});
  return Value(entry->addArgument(builder.getIndexType(), loc));
}

Value KernelEmitter::index(int64_t constant) {
  Value &known = indexConstants[constant];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    known = arith::ConstantIndexOp::create(builder, loc, constant);
  }
  return known;
}

Offset KernelEmitter::constantOffset(int64_t value) {
  return {index(value), value, value};
}

Offset KernelEmitter::addOffsets(const Offset &a, const Offset &b) {
  Offset sum;
  if (a.min && b.min)
    sum.min = *a.min + *b.min;
  if (a.max && b.max)
    sum.max = *a.max + *b.max;
  if (sum.min && sum.max && *sum.min == *sum.max)
    return constantOffset(*sum.min);
  if (a.min == 0 && a.max == 0)
    return b;
  if (b.min == 0 && b.max == 0)
    return a;
  sum.value = builder.createOrFold<arith::AddIOp>(loc, a.value, b.value);
  return sum;
}

Offset KernelEmitter::scaleOffset(const Offset &a, int64_t factor) {
  if (factor == 1)
    return a;
  Offset product{{}, a.min, a.max};
  for (auto *bound : {&product.min, &product.max})
    if (*bound)
      **bound *= factor;
  if (product.min && product.max && *product.min == *product.max)
    return constantOffset(*product.min);
  product.value =
      builder.createOrFold<arith::MulIOp>(loc, a.value, index(factor));
  return product;
}

FailureOr<Offset> KernelEmitter::foldedOffset(OpFoldResult value) {
  FailureOr<AffineExpr> expr = shapes.exprOf(value);
  if (failed(expr))
    return failure();
  if (auto constant = dyn_cast<AffineConstantExpr>(*expr))
    return constantOffset(constant.getValue());
  FailureOr<Value> size = sizeValue(*expr);
  if (failed(size))
    return failure();
  return Offset{*size, {}, {}};
}

/// True when no element of the region can lie outside the tensor.
bool KernelEmitter::isInside(Value tensor, const Region &region) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  for (unsigned d = 0; d < region.rank(); ++d) {
    const Offset &offset = region.offset[d];
    if (type.isDynamicDim(d) || !offset.min || !offset.max || *offset.min < 0 ||
        *offset.max + (region.size[d] - 1) * region.step[d] >=
            type.getDimSize(d))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static bool sameRegion(const Region &a, const Region &b) {
  if (a.size != b.size || a.step != b.step)
    return false;
  for (auto [x, y] : llvm::zip(a.offset, b.offset))
    if (x.value != y.value)
      return false;
  return true;
}

FailureOr<Value> KernelEmitter::emitTile(Value value, const Region &region) {
  for (auto &scope : scopes)
    for (CachedTile &cached : scope)
      if (cached.value == value && sameRegion(cached.region, region))
        return cached.tile;
  FailureOr<Value> tile = computeTile(value, region);
  if (succeeded(tile))
    scopes.back().push_back({value, region, *tile});
  return tile;
}

/// The one value of a tensor that kernels write down (isWrittenDown()).
FailureOr<Value> KernelEmitter::emitContent(Value written,
                                            ArrayRef<int64_t> shape) {
  TypedAttr constant;
  if (isSplatConstant(written, &constant))
    return splat(constant, shape);
  auto fill = written.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return written.getDefiningOp()->emitError(
        "a tensor without content is read");
  if (matchPattern(fill.getInputs()[0], m_Constant(&constant)))
    return splat(constant, shape);
  return fill.emitError("expected a constant fill value");
}

FailureOr<Value> KernelEmitter::computeTile(Value value, const Region &region) {
  Operation *op = value.getDefiningOp();
  if (op && isWrittenDown(op))
    return emitContent(value, region.size);
  if (!op || !group.ops.contains(op))
    return emitLoad(value, region, {});
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return emitPad(pad, region);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return emitSlice(slice, region);
  auto generic = cast<linalg::GenericOp>(op);
  if (generic.getNumReductionLoops() == 0 && generic->getNumResults() == 1)
    return emitElementwise(generic, region);
  FailureOr<Tiles> tiles = emitReduction(generic, region);
  if (failed(tiles))
    return failure();
  // The others come with it.
  for (auto [result, tile] : llvm::zip(generic.getResults(), *tiles))
    scopes.back().push_back({result, region, tile});
  return (*tiles)[cast<OpResult>(value).getResultNumber()];
}

/// Loads a region of a tensor that lies in memory; elements outside are `pad`
/// (zero when none is given).
Value KernelEmitter::emitLoad(Value tensor, const Region &region,
                              TypedAttr pad) {
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  auto type = RankedTensorType::get(region.size, element);
  if (!pad)
    pad = builder.getZeroAttr(element);
  if (isInside(tensor, region))
    pad = {};
  SmallVector<Value> offsets;
  for (const Offset &offset : region.offset)
    offsets.push_back(offset.value);
  bool hasSteps = llvm::any_of(region.step, [](int64_t s) { return s != 1; });
  return tile::LoadOp::create(
      builder, loc, type, viewOf(tensor), offsets,
      hasSteps ? ArrayRef<int64_t>(region.step) : ArrayRef<int64_t>(), pad);
}

FailureOr<Value> KernelEmitter::emitPad(tensor::PadOp op,
                                        const Region &region) {
  TypedAttr pad;
  Value padding = op.getConstantPaddingValue();
  if (!padding || !matchPattern(padding, m_Constant(&pad)))
    return op.emitError("expected a constant padding value");
  Region inner = region;
  for (auto [d, low] : llvm::enumerate(op.getMixedLowPad())) {
    FailureOr<Offset> shift = foldedOffset(low);
    if (failed(shift))
      return failure();
    if (shift->min == 0 && shift->max == 0)
      continue;
    Offset &offset = inner.offset[d];
    Offset shifted;
    if (shift->min && shift->max && offset.min)
      shifted.min = *offset.min - *shift->max;
    if (shift->min && shift->max && offset.max)
      shifted.max = *offset.max - *shift->min;
    shifted.value = shifted.min && shifted.min == shifted.max
                        ? index(*shifted.min)
                        : builder.createOrFold<arith::SubIOp>(loc, offset.value,
                                                              shift->value);
    offset = shifted;
  }
  Value source = op.getSource();
  Operation *producer = source.getDefiningOp();
  bool inMemory =
      !isSplatConstant(source) && (!producer || !group.ops.contains(producer));
  if (inMemory)
    return emitLoad(source, inner, pad);

  FailureOr<Value> tile = emitTile(source, inner);
  FailureOr<SymbolicShape> extents = shapes.shapeOf(source);
  if (failed(tile) || failed(extents))
    return failure();
  Value outside = splat(pad, region.size);
  for (unsigned d = 0; d < inner.rank(); ++d) {
    auto fixed = dyn_cast<AffineConstantExpr>((*extents)[d]);
    const Offset &offset = inner.offset[d];
    if (fixed && offset.min && offset.max && *offset.min >= 0 &&
        *offset.max + (inner.size[d] - 1) * inner.step[d] < fixed.getValue())
      continue;
    FailureOr<Value> extent = sizeValue((*extents)[d]);
    if (failed(extent))
      return failure();
    Value position = indexTile(inner, d);
    // One unsigned comparison covers both ends.
    Value inside =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, position,
                              broadcastScalar(*extent, region.size));
    tile = arith::SelectOp::create(builder, loc, inside, *tile, outside)
               .getResult();
  }
  return tile;
}

FailureOr<Value> KernelEmitter::emitSlice(tensor::ExtractSliceOp op,
                                          const Region &region) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<OpFoldResult> starts = op.getMixedOffsets();
  SmallVector<OpFoldResult> strides = op.getMixedStrides();
  Region inner;
  unsigned outer = 0;
  for (unsigned d = 0; d < starts.size(); ++d) {
    FailureOr<Offset> start = foldedOffset(starts[d]);
    std::optional<int64_t> stride = getConstantIntValue(strides[d]);
    if (failed(start))
      return failure();
    if (!stride || *stride < 1)
      return op.emitError("expected constant strides of at least 1");
    if (dropped.test(d)) {
      inner.append(*start, 1, 1);
      continue;
    }
    inner.append(addOffsets(*start, scaleOffset(region.offset[outer], *stride)),
                 region.size[outer], region.step[outer] * *stride);
    ++outer;
  }
  FailureOr<Value> tile = emitTile(op.getSource(), inner);
  if (failed(tile))
    return failure();
  return reshape(*tile, region.size);
}

} // namespace tilewright::graph
