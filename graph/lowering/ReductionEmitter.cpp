//===- ReductionEmitter.cpp - Loops that accumulate tiles -----------------===//
#include "graph/lowering/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

/// The number of points of one loop, from an operand that it indexes plainly.
FailureOr<AffineExpr> KernelEmitter::loopSize(linalg::GenericOp op,
                                              unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, subscript] : llvm::enumerate(map.getResults())) {
      auto plain = dyn_cast<AffineDimExpr>(subscript);
      if (!plain || plain.getPosition() != loop)
        continue;
      FailureOr<SymbolicShape> shape = shapes.shapeOf(operand.get());
      if (failed(shape))
        return failure();
      return (*shape)[dim];
    }
  }
  return op.emitError("no operand tells the length of loop ") << loop;
}

/// Runs `step` for each point of the remaining loops, tile by tile, carrying
/// the accumulators. `loops` holds the current tile of each loop.
FailureOr<KernelEmitter::Tiles> KernelEmitter::emitLoops(
    linalg::GenericOp op, Region &loops, ArrayRef<unsigned> remaining,
    const Tiles &carried,
    llvm::function_ref<FailureOr<Tiles>(const Region &, const Tiles &)> step) {
  if (remaining.empty())
    return step(loops, carried);
  unsigned loop = remaining.front();
  int64_t tile = loops.size[loop];
  FailureOr<AffineExpr> extent = loopSize(op, loop);
  if (failed(extent))
    return failure();
  auto fixed = dyn_cast<AffineConstantExpr>(*extent);
  if (fixed && fixed.getValue() == 0)
    return carried;
  if (fixed && fixed.getValue() <= tile) {
    loops.offset[loop] = constantOffset(0);
    return emitLoops(op, loops, remaining.drop_front(), carried, step);
  }
  if (isWindowReduction(op))
    return emitWindow(op, loops, remaining, fixed.getValue(), carried, step);
  FailureOr<Value> end = sizeValue(*extent);
  if (failed(end))
    return failure();
  auto forOp =
      scf::ForOp::create(builder, loc, index(0), *end, index(tile), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  scopes.emplace_back();
  Offset offset{forOp.getInductionVar(), 0, {}};
  if (fixed)
    offset.max = (llvm::divideCeil(fixed.getValue(), tile) - 1) * tile;
  loops.offset[loop] = offset;
  Tiles inner(forOp.getRegionIterArgs());
  FailureOr<Tiles> next =
      emitLoops(op, loops, remaining.drop_front(), inner, step);
  scopes.pop_back();
  if (failed(next))
    return failure();
  scf::YieldOp::create(builder, loc, *next);
  return Tiles(forOp.getResults());
}

static SmallVector<unsigned> reductionLoops(linalg::GenericOp op) {
  SmallVector<unsigned> loops;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      loops.push_back(loop);
  return loops;
}

/// The value that leaves an accumulator as it is.
static TypedAttr neutralElement(Operation *combiner, OpBuilder &builder) {
  Type type = combiner->getResult(0).getType();
  if (isa<arith::AddFOp>(combiner))
    return builder.getFloatAttr(type, 0.0);
  if (isa<arith::MulFOp>(combiner))
    return builder.getFloatAttr(type, 1.0);
  // These two return the other side of a NaN, and NaN for two.
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner))
    return builder.getFloatAttr(
        type, APFloat::getNaN(cast<FloatType>(type).getFloatSemantics()));
  if (auto floats = dyn_cast<FloatType>(type)) {
    bool isMax = isa<arith::MaximumFOp>(combiner);
    return builder.getFloatAttr(
        type, APFloat::getInf(floats.getFloatSemantics(), isMax));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value(width, 0); // addition, or, xor, unsigned maximum
  if (isa<arith::MulIOp>(combiner))
    value = APInt(width, 1);
  else if (isa<arith::AndIOp, arith::MinUIOp>(combiner))
    value = APInt::getAllOnes(width);
  else if (isa<arith::MaxSIOp>(combiner))
    value = APInt::getSignedMinValue(width);
  else if (isa<arith::MinSIOp>(combiner))
    value = APInt::getSignedMaxValue(width);
  return builder.getIntegerAttr(type, value);
}

/// combiner(a, b) on whole tiles.
static Value combine(OpBuilder &builder, Location loc, Operation *combiner,
                     Value a, Value b) {
  OperationState state(loc, combiner->getName());
  state.addOperands({a, b});
  state.propertiesAttr = combiner->getPropertiesAsAttribute();
  state.addTypes(a.getType());
  return builder.create(state)->getResult(0);
}

/// The points of the first of the remaining loops, one after the other. What
/// loops inside it accumulate they do from nothing, so that not all points
/// wait for each other.
FailureOr<KernelEmitter::Tiles> KernelEmitter::emitWindow(
    linalg::GenericOp op, Region &loops, ArrayRef<unsigned> remaining,
    int64_t points, const Tiles &carried,
    llvm::function_ref<FailureOr<Tiles>(const Region &, const Tiles &)> step) {
  std::optional<Accumulation> accumulation = matchAccumulation(op);
  bool hasParts = accumulation && remaining.size() > 1;
  Tiles whole = carried;
  for (int64_t at = 0; at < points; ++at) {
    loops.offset[remaining.front()] = constantOffset(at);
    bool isPart = hasParts && at > 0;
    Tiles from = whole;
    if (isPart)
      from = {splat(neutralElement(accumulation->combiner, builder),
                    cast<RankedTensorType>(whole[0].getType()).getShape())};
    FailureOr<Tiles> next =
        emitLoops(op, loops, remaining.drop_front(), from, step);
    if (failed(next))
      return failure();
    whole = isPart ? Tiles{combine(builder, loc, accumulation->combiner,
                                   whole[0], (*next)[0])}
                   : *std::move(next);
  }
  return whole;
}

FailureOr<KernelEmitter::Tiles>
KernelEmitter::emitReduction(linalg::GenericOp op, const Region &region) {
  std::optional<Accumulation> accumulation = matchAccumulation(op);
  Region loops = loopRegion(op, region);
  SmallVector<unsigned> reductions = reductionLoops(op);
  for (unsigned loop : reductions)
    loops.size[loop] = sizes.steps[op][loop];

  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return op.emitError("expected the result of a reduction to be indexed "
                          "by its parallel loops");
  }
  if (isMatrixProduct(op)) {
    FailureOr<Value> tile = emitContraction(op, region);
    if (failed(tile))
      return failure();
    return Tiles{*tile};
  }
  // Accumulators have the shape of the parallel loops, in loop order.
  SmallVector<int64_t> shape = loops.size;
  for (unsigned loop : reductions)
    shape[loop] = 1;
  Region parallel = loops;
  parallel.size = shape;
  Tiles initial;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    // The body does not read it, and what no iteration writes is anything.
    if (init.get().getDefiningOp<tensor::EmptyOp>()) {
      Type element = getElementTypeOrSelf(init.get());
      initial.push_back(splat(builder.getZeroAttr(element), shape));
      continue;
    }
    FailureOr<Value> tile =
        emitOperand(init.get(), op.getMatchingIndexingMap(&init), parallel);
    if (failed(tile))
      return failure();
    initial.push_back(*tile);
  }
  auto step = [&](const Region &current,
                  const Tiles &carried) -> FailureOr<Tiles> {
    if (!accumulation)
      return stepSequential(op, current, carried);
    FailureOr<Value> next =
        stepAccumulate(op, *accumulation, current, carried[0]);
    if (failed(next))
      return failure();
    return Tiles{*next};
  };
  FailureOr<Tiles> result = emitLoops(op, loops, reductions, initial, step);
  if (failed(result))
    return failure();
  for (auto [i, tile] : llvm::enumerate(*result)) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(i));
    SmallVector<int64_t> permutation, last;
    for (AffineExpr subscript : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(subscript))
        permutation.push_back(dim.getPosition());
    for (unsigned loop : reductions)
      last.push_back(loop);
    llvm::append_range(permutation, last);
    if (reordersElements(permutation, shape))
      tile = tile::TransposeOp::create(builder, loc, tile, permutation);
    tile = reshape(tile, region.size);
  }
  return result;
}

/// One point of the reduction loops: the body on whole accumulator tiles.
FailureOr<KernelEmitter::Tiles>
KernelEmitter::stepSequential(linalg::GenericOp op, const Region &loops,
                              const Tiles &carried) {
  IRMapping mapping;
  if (failed(emitInputs(op, loops, mapping)))
    return failure();
  for (auto [i, tile] : llvm::enumerate(carried))
    mapping.map(op.getMatchingBlockArgument(op.getDpsInitOperand(i)), tile);
  Tiles next;
  for (Value yielded : op.getBody()->getTerminator()->getOperands()) {
    FailureOr<Value> tile = emitBody(yielded, op.getBody(), mapping, loops);
    if (failed(tile))
      return failure();
    next.push_back(*tile);
  }
  return next;
}

/// Replaces the points beyond the end of reduction loops by `neutral`. The
/// tile has one dimension for each loop in `order`.
FailureOr<Value> KernelEmitter::maskOverrun(linalg::GenericOp op,
                                            const Region &loops,
                                            ArrayRef<unsigned> order,
                                            Value tile, TypedAttr neutral) {
  Region ordered;
  for (auto [dim, loop] : llvm::enumerate(order))
    ordered.append(loops.offset[loop],
                   cast<RankedTensorType>(tile.getType()).getDimSize(dim), 1);
  for (auto [dim, loop] : llvm::enumerate(order)) {
    if (op.getIteratorTypesArray()[loop] != utils::IteratorType::reduction)
      continue;
    FailureOr<AffineExpr> extent = loopSize(op, loop);
    if (failed(extent))
      return failure();
    auto fixed = dyn_cast<AffineConstantExpr>(*extent);
    if (fixed && fixed.getValue() % loops.size[loop] == 0)
      continue;
    FailureOr<Value> end = sizeValue(*extent);
    if (failed(end))
      return failure();
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, indexTile(ordered, dim),
        broadcastScalar(*end, ordered.size));
    tile = arith::SelectOp::create(builder, loc, inside, tile,
                                   splat(neutral, ordered.size));
  }
  return tile;
}

/// One point of a contraction without matrices: each product is added without
/// being rounded, as those of matrices are.
FailureOr<Value> KernelEmitter::stepMultiplyAdd(linalg::GenericOp op,
                                                Operation *product,
                                                const Region &loops,
                                                Value carried) {
  IRMapping mapping;
  if (failed(emitInputs(op, loops, mapping)))
    return failure();
  auto shape = cast<RankedTensorType>(carried.getType()).getShape();
  Value factors[2];
  for (int side : {0, 1}) {
    FailureOr<Value> factor =
        emitBody(product->getOperand(side), op.getBody(), mapping, loops);
    if (failed(factor))
      return failure();
    factors[side] = reshape(*factor, shape);
  }
  return Value(
      math::FmaOp::create(builder, loc, factors[0], factors[1], carried));
}

FailureOr<Value> KernelEmitter::stepAccumulate(linalg::GenericOp op,
                                               const Accumulation &accumulation,
                                               const Region &loops,
                                               Value carried) {
  if (Operation *product = accumulation.element.getDefiningOp();
      isContraction(op) && isa<arith::MulFOp>(product) && isWindowReduction(op))
    return stepMultiplyAdd(op, product, loops, carried);
  IRMapping mapping;
  if (failed(emitInputs(op, loops, mapping)))
    return failure();
  FailureOr<Value> tile =
      emitBody(accumulation.element, op.getBody(), mapping, loops);
  if (failed(tile))
    return failure();
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, loops.rank()));
  tile = maskOverrun(op, loops, order, *tile,
                     neutralElement(accumulation.combiner, builder));
  if (failed(tile))
    return failure();
  auto combineSides = [&](OpBuilder &b, Location at,
                          ValueRange sides) -> SmallVector<Value> {
    return {combine(b, at, accumulation.combiner, sides[0], sides[1])};
  };
  SmallVector<unsigned> reduced(reductionLoops(op));
  for (unsigned loop : llvm::reverse(reduced))
    if (loops.size[loop] > 1)
      tile = tile::ReduceOp::create(builder, loc, ValueRange(*tile), loop,
                                    combineSides)
                 .getResult(0);
    else
      continue;
  // Reduced dimensions are gone from the tile and are 1 in the accumulator.
  Value partial =
      reshape(*tile, cast<RankedTensorType>(carried.getType()).getShape());
  return combine(builder, loc, accumulation.combiner, carried, partial);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Can a load of this operand's overrun only give zeros?
static bool readsZeroBeyondEnd(Value operand, const Group &group) {
  Operation *op = operand.getDefiningOp();
  if (!op || !group.ops.contains(op))
    return !isSplatConstant(operand);
  auto pad = dyn_cast<tensor::PadOp>(op);
  return pad && readsZeroBeyondEnd(pad.getSource(), group) &&
         pad.getConstantPaddingValue() &&
         matchPattern(pad.getConstantPaddingValue(), m_AnyZeroFloat());
}

FailureOr<Value> KernelEmitter::emitContraction(linalg::GenericOp op,
                                                const Region &region) {
  Region loops = loopRegion(op, region);
  SmallVector<unsigned> reductions = reductionLoops(op);
  for (unsigned loop : reductions)
    loops.size[loop] = sizes.steps[op][loop];
  AffineMap maps[2] = {op.getIndexingMapsArray()[0],
                       op.getIndexingMapsArray()[1]};
  // Which loops are rows (lhs), columns (rhs), depth, or in both sides.
  SmallVector<unsigned> side[2], depth, both;
  for (unsigned loop = 0; loop < loops.rank(); ++loop) {
    if (loops.size[loop] == 1)
      continue;
    bool inLhs = maps[0].isFunctionOfDim(loop);
    bool inRhs = maps[1].isFunctionOfDim(loop);
    if (op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction)
      depth.push_back(loop);
    else if (inLhs && inRhs)
      both.push_back(loop);
    else
      side[inLhs ? 0 : 1].push_back(loop);
  }
  // The side with the innermost loop of the result gives the columns.
  unsigned rhs = side[0].empty()                   ? 1
                 : side[1].empty()                 ? 0
                 : side[1].back() > side[0].back() ? 1
                                                   : 0;
  unsigned lhs = 1 - rhs;
  std::optional<Accumulation> accumulation = matchAccumulation(op);
  Type type = accumulation->element.getType();
  Value init = op.getDpsInits()[0];

  auto count = [&](ArrayRef<unsigned> list) {
    int64_t points = 1;
    for (unsigned loop : list)
      points *= loops.size[loop];
    return points;
  };
  // One dimension for each side, in the order in which dot wants them.
  SmallVector<unsigned> lhsOrder(both), rhsOrder(both), outOrder(both);
  llvm::append_range(lhsOrder, side[lhs]);
  llvm::append_range(lhsOrder, depth);
  llvm::append_range(rhsOrder, depth);
  llvm::append_range(rhsOrder, side[rhs]);
  llvm::append_range(outOrder, side[lhs]);
  llvm::append_range(outOrder, side[rhs]);
  int64_t batch = count(both), rows = count(side[lhs]),
          columns = count(side[rhs]), deep = count(depth);
  auto shaped = [&](int64_t a, int64_t b) {
    return both.empty() ? SmallVector<int64_t>{a, b}
                        : SmallVector<int64_t>{batch, a, b};
  };

  Region parallel = loops;
  for (unsigned loop : reductions)
    parallel.size[loop] = 1;
  FailureOr<Value> initial =
      emitOrdered(init, op.getMatchingIndexingMap(op.getDpsInitOperand(0)),
                  parallel, outOrder);
  if (failed(initial))
    return failure();
  SmallVector<int64_t> outShape;
  for (unsigned loop : outOrder)
    outShape.push_back(loops.size[loop]);
  initial = reshape(broadcast(*initial, outShape), shaped(rows, columns));

  auto operandTile = [&](unsigned which, ArrayRef<unsigned> order,
                         const Region &current) -> FailureOr<Value> {
    OpOperand *input = op.getDpsInputOperand(which);
    FailureOr<Value> tile =
        emitOrdered(input->get(), maps[which], current, order);
    if (failed(tile))
      return failure();
    if (!readsZeroBeyondEnd(input->get(), group)) {
      Type element = cast<RankedTensorType>(tile->getType()).getElementType();
      tile = maskOverrun(op, current, order, *tile,
                         cast<TypedAttr>(builder.getZeroAttr(element)));
      if (failed(tile))
        return failure();
    }
    // The body may widen its inputs before it multiplies.
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (argument.getType() == type)
      return tile;
    Operation *cast = *argument.user_begin();
    Region shape;
    for (int64_t size :
         mlir::cast<RankedTensorType>(tile->getType()).getShape())
      shape.append(constantOffset(0), size, 1);
    return emitBodyOp(cast, ValueRange(*tile), shape);
  };
  auto step = [&](const Region &current,
                  const Tiles &carried) -> FailureOr<Tiles> {
    FailureOr<Value> a = operandTile(lhs, lhsOrder, current);
    FailureOr<Value> b = operandTile(rhs, rhsOrder, current);
    if (failed(a) || failed(b))
      return failure();
    return Tiles{
        tile::DotOp::create(builder, loc, reshape(*a, shaped(rows, deep)),
                            reshape(*b, shaped(deep, columns)), carried[0])};
  };
  FailureOr<Tiles> result =
      emitLoops(op, loops, reductions, Tiles{*initial}, step);
  if (failed(result))
    return failure();
  // Back to the order of the result's dimensions.
  Value tile = reshape((*result)[0], outShape);
  SmallVector<int64_t> permutation;
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr subscript : out.getResults())
    for (auto [dim, loop] : llvm::enumerate(outOrder))
      if (subscript == builder.getAffineDimExpr(loop))
        permutation.push_back(dim);
  if (!llvm::is_sorted(permutation))
    tile = tile::TransposeOp::create(builder, loc, tile, permutation);
  return reshape(tile, region.size);
}

} // namespace tilewright::graph
