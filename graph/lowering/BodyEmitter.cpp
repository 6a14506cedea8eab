//===- BodyEmitter.cpp - Elementwise bodies of graph ops on tiles ---------===//
#include "graph/lowering/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

//===----------------------------------------------------------------------===//
// Small tile builders
//===----------------------------------------------------------------------===//

Value KernelEmitter::splat(TypedAttr value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, value.getType());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, Attribute(value)));
}

Value KernelEmitter::broadcastScalar(Value scalar, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, scalar.getType());
  return tile::SplatOp::create(builder, loc, type, scalar);
}

Value KernelEmitter::reshape(Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return tile::ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), tile);
}

Value KernelEmitter::broadcast(Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return tile::BroadcastOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), tile);
}

/// The subscripts of one loop of `loops`, as an index tile of their shape.
Value KernelEmitter::indexTile(const Region &loops, unsigned loop) {
  int64_t count = loops.size[loop];
  Value offset = broadcastScalar(loops.offset[loop].value, loops.size);
  if (count == 1)
    return offset;
  Type indexType = builder.getIndexType();
  Value line = tile::IotaOp::create(builder, loc,
                                    RankedTensorType::get(count, indexType));
  SmallVector<int64_t> lineShape(loops.rank(), 1);
  lineShape[loop] = count;
  line = broadcast(reshape(line, lineShape), loops.size);
  if (loops.step[loop] != 1)
    line = arith::MulIOp::create(
        builder, loc, line,
        splat(builder.getIndexAttr(loops.step[loop]), loops.size));
  return arith::AddIOp::create(builder, loc, line, offset);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The loops of `op` for a region of its result; reduction loops stay empty.
Region KernelEmitter::loopRegion(linalg::GenericOp op, const Region &region) {
  Region loops;
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    loops.append(constantOffset(0), 1, 1);
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [dim, subscript] : llvm::enumerate(out.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(subscript)) {
      loops.offset[loop.getPosition()] = region.offset[dim];
      loops.size[loop.getPosition()] = region.size[dim];
      loops.step[loop.getPosition()] = region.step[dim];
    }
  return loops;
}

/// The value of a subscript at the first point of `loops`.
Offset KernelEmitter::evaluate(AffineExpr subscript, const Region &loops) {
  if (auto constant = dyn_cast<AffineConstantExpr>(subscript))
    return constantOffset(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(subscript))
    return loops.offset[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(subscript);
  if (subscript.getKind() == AffineExprKind::Add)
    return addOffsets(evaluate(binary.getLHS(), loops),
                      evaluate(binary.getRHS(), loops));
  return scaleOffset(evaluate(binary.getLHS(), loops),
                     cast<AffineConstantExpr>(binary.getRHS()).getValue());
}

/// The loops of more than one point that `subscript` depends on.
static SmallVector<unsigned> wideLoops(AffineExpr subscript,
                                       const Region &loops) {
  SmallVector<unsigned> wide;
  for (unsigned loop = 0; loop < loops.rank(); ++loop)
    if (loops.size[loop] > 1 && subscript.isFunctionOfDim(loop))
      wide.push_back(loop);
  return wide;
}

/// The coefficient of `loop` in a linear subscript.
static int64_t coefficient(AffineExpr subscript, unsigned loop,
                           unsigned loopCount) {
  MLIRContext *context = subscript.getContext();
  auto at = [&](int64_t value) {
    SmallVector<AffineExpr> dims(loopCount, getAffineConstantExpr(0, context));
    dims[loop] = getAffineConstantExpr(value, context);
    return cast<AffineConstantExpr>(
               simplifyAffineExpr(subscript.replaceDims(dims), 0, 0))
        .getValue();
  };
  return at(1) - at(0);
}

FailureOr<Value> KernelEmitter::emitOrdered(Value operand, AffineMap map,
                                            const Region &loops,
                                            ArrayRef<unsigned> order) {
  Region region;
  SmallVector<int> loopOfDim;
  llvm::SmallBitVector seen(loops.rank());
  bool isStructured = isAffineAccess(map);
  for (AffineExpr subscript : map.getResults()) {
    SmallVector<unsigned> wide = wideLoops(subscript, loops);
    if (!isStructured || wide.size() > 1 ||
        (wide.size() == 1 && seen.test(wide[0]))) {
      isStructured = false;
      break;
    }
    Offset offset = evaluate(subscript, loops);
    if (wide.empty()) {
      region.append(offset, 1, 1);
      loopOfDim.push_back(-1);
      continue;
    }
    seen.set(wide[0]);
    region.append(offset, loops.size[wide[0]],
                  loops.step[wide[0]] *
                      coefficient(subscript, wide[0], loops.rank()));
    loopOfDim.push_back(wide[0]);
  }
  SmallVector<int64_t> shape;
  for (unsigned loop : order)
    shape.push_back(map.isFunctionOfDim(loop) ? loops.size[loop] : 1);
  if (!isStructured) {
    // A gathered tile covers all loops: those not wanted get one point.
    Region wanted = loops;
    for (unsigned loop = 0; loop < loops.rank(); ++loop)
      if (!llvm::is_contained(order, loop))
        wanted.size[loop] = 1;
    FailureOr<Value> full = emitGather(operand, map, wanted);
    if (failed(full))
      return failure();
    SmallVector<int64_t> ordered;
    for (unsigned loop : order)
      ordered.push_back(loops.size[loop]);
    return reshape(*full, ordered);
  }
  FailureOr<Value> tile = emitTile(operand, region);
  if (failed(tile))
    return failure();
  // Bring the dimensions into the wanted order, those of one point first.
  SmallVector<int64_t> permutation;
  for (auto [dim, loop] : llvm::enumerate(loopOfDim))
    if (loop < 0)
      permutation.push_back(dim);
  for (unsigned loop : order)
    for (auto [dim, dimLoop] : llvm::enumerate(loopOfDim))
      if (dimLoop == static_cast<int>(loop))
        permutation.push_back(dim);
  if (reordersElements(permutation, region.size))
    tile =
        tile::TransposeOp::create(builder, loc, *tile, permutation).getResult();
  return reshape(*tile, shape);
}

FailureOr<Value> KernelEmitter::emitOperand(Value operand, AffineMap map,
                                            const Region &loops) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, loops.rank()));
  FailureOr<Value> tile = emitOrdered(operand, map, loops, order);
  if (failed(tile))
    return failure();
  return broadcast(*tile, loops.size);
}

/// Reads an operand whose subscripts are no structured load.
FailureOr<Value> KernelEmitter::emitGather(Value operand, AffineMap map,
                                           const Region &loops) {
  Operation *producer = operand.getDefiningOp();
  if (producer && group.ops.contains(producer))
    return producer->emitError("this op is read through subscripts that a "
                               "tile load cannot express, and was fused");
  SmallVector<Value> subscripts;
  std::function<Value(AffineExpr)> build = [&](AffineExpr expr) -> Value {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return indexTile(loops, dim.getPosition());
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return splat(builder.getIndexAttr(constant.getValue()), loops.size);
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Value lhs = build(binary.getLHS()), rhs = build(binary.getRHS());
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return arith::AddIOp::create(builder, loc, lhs, rhs);
    case AffineExprKind::Mul:
      return arith::MulIOp::create(builder, loc, lhs, rhs);
    case AffineExprKind::FloorDiv:
      return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
    case AffineExprKind::CeilDiv:
      return arith::CeilDivSIOp::create(builder, loc, lhs, rhs);
    default:
      return arith::RemSIOp::create(builder, loc, lhs, rhs);
    }
  };
  for (AffineExpr subscript : map.getResults())
    subscripts.push_back(build(subscript));
  return gather(operand, subscripts, loops.size);
}

/// Reads tensor[subscripts...] element by element. Elements outside the
/// tensor are not read and give zero.
FailureOr<Value> KernelEmitter::gather(Value tensor, ArrayRef<Value> subscripts,
                                       ArrayRef<int64_t> shape) {
  Operation *producer = tensor.getDefiningOp();
  bool isInMemory = !producer || !isWrittenDown(producer);
  FailureOr<SymbolicShape> extents = shapes.shapeOf(tensor);
  if (failed(extents))
    return failure();
  Value position = splat(builder.getIndexAttr(0), shape);
  Value mask = splat(builder.getBoolAttr(true), shape);
  for (auto [d, subscript] : llvm::enumerate(subscripts)) {
    FailureOr<Value> extent = isInMemory ? FailureOr<Value>(tile::DimOp::create(
                                               builder, loc, viewOf(tensor), d))
                                         : sizeValue((*extents)[d]);
    if (failed(extent))
      return failure();
    Value all = broadcastScalar(*extent, shape);
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, subscript, all);
    mask = arith::AndIOp::create(builder, loc, mask, inside);
    position = arith::MulIOp::create(builder, loc, position, all);
    position = arith::AddIOp::create(builder, loc, position, subscript);
  }
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Value other = splat(builder.getZeroAttr(element), shape);
  if (!isInMemory) {
    FailureOr<Value> content = emitContent(tensor, shape);
    if (failed(content))
      return failure();
    return arith::SelectOp::create(builder, loc, mask, *content, other)
        .getResult();
  }
  auto pointer = tile::PtrType::get(builder.getContext(), element);
  Value base = tile::BaseOp::create(builder, loc, pointer, viewOf(tensor));
  Value bases = broadcastScalar(base, shape);
  Value pointers =
      tile::OffsetOp::create(builder, loc, bases.getType(), bases, position);
  return tile::LoadPtrOp::create(builder, loc, pointers, mask, other)
      .getResult();
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Lets the block arguments of the inputs stand for their tiles.
LogicalResult KernelEmitter::emitInputs(linalg::GenericOp op,
                                        const Region &loops,
                                        IRMapping &mapping) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    FailureOr<Value> tile =
        emitOperand(input->get(), op.getMatchingIndexingMap(input), loops);
    if (failed(tile))
      return failure();
    mapping.map(argument, *tile);
  }
  return success();
}

FailureOr<Value> KernelEmitter::emitElementwise(linalg::GenericOp op,
                                                const Region &region) {
  Region loops = loopRegion(op, region);
  IRMapping mapping;
  if (failed(emitInputs(op, loops, mapping)))
    return failure();
  Value wanted = op.getBody()->getTerminator()->getOperand(0);
  FailureOr<Value> tile = emitBody(wanted, op.getBody(), mapping, loops);
  if (failed(tile))
    return failure();
  // From loop order to the order of the result's dimensions.
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (out.isIdentity())
    return tile;
  if (!out.isPermutation())
    return op.emitError("expected the result of an elementwise op to be "
                        "indexed by a permutation of its loops");
  SmallVector<int64_t> permutation;
  for (AffineExpr subscript : out.getResults())
    permutation.push_back(cast<AffineDimExpr>(subscript).getPosition());
  return tile::TransposeOp::create(builder, loc, *tile, permutation)
      .getResult();
}

/// The tile of a scalar of an op's body, over the points of `loops`.
FailureOr<Value> KernelEmitter::emitBody(Value wanted, Block *body,
                                         IRMapping &mapping,
                                         const Region &loops) {
  if (Value known = mapping.lookupOrNull(wanted))
    return known;
  Operation *op = wanted.getDefiningOp();
  const bool isSize = operandBehind(wanted) != nullptr;
  if (!op && !isSize) {
    InFlightDiagnostic error =
        emitError(loc, "expected a body that reads elements of its operands, "
                       "indices, constants and sizes, found a read of ");
    if (auto argument = cast<BlockArgument>(wanted);
        argument.getOwner() == body)
      error << "operand " << argument.getArgNumber()
            << ", which its loops do not accumulate";
    else
      error << "an argument of another op";
    return failure();
  }
  TypedAttr constant;
  FailureOr<Value> result = failure();
  if (matchPattern(wanted, m_Constant(&constant))) {
    result = splat(constant, loops.size);
  } else if (isSize || op->getBlock() != body) {
    FailureOr<Offset> size = foldedOffset(OpFoldResult(wanted));
    if (failed(size))
      return failure();
    result = broadcastScalar(size->value, loops.size);
  } else {
    SmallVector<Value> operands;
    bool isExtract = isa<tensor::ExtractOp>(op);
    for (Value operand : op->getOperands().drop_front(isExtract ? 1 : 0)) {
      FailureOr<Value> tile = emitBody(operand, body, mapping, loops);
      if (failed(tile))
        return failure();
      operands.push_back(*tile);
    }
    result = emitBodyOp(op, operands, loops);
  }
  if (succeeded(result))
    mapping.map(wanted, *result);
  return result;
}

FailureOr<Value> KernelEmitter::emitBodyOp(Operation *op, ValueRange operands,
                                           const Region &loops) {
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return indexTile(loops, index.getDim());
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return gather(extract.getTensor(), SmallVector<Value>(operands),
                  loops.size);
  StringRef dialect = op->getName().getDialectNamespace();
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      (dialect != "arith" && dialect != "math"))
    return op->emitError("the tile level has no such op on tiles");
  OperationState state(loc, op->getName().getStringRef());
  state.addOperands(operands);
  state.addAttributes(op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addTypes(RankedTensorType::get(loops.size, op->getResult(0).getType()));
  return builder.create(state)->getResult(0);
}

} // namespace tilewright::graph
