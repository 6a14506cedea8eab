//===- EmitShape.cpp - Tiles put together and taken apart -----------------===//
#include "codegen/cpu/TileEmitter.h"

using namespace mlir;

namespace tilewright::cpu {

static SmallVector<int64_t> zeros(size_t count) {
  return SmallVector<int64_t>(count, 0);
}

/// The inputs, one after the other, into parts of one buffer.
LogicalResult TileEmitter::emitConcat(tile::ConcatOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Buffer result = allocate(type.getShape(), type.getElementType());
  SmallVector<int64_t> offsets = zeros(type.getRank());
  for (Value input : op.getInputs()) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(input.getType()).getShape();
    if (failed(materializeInto(input, aliasOf(result, offsets, {}, shape))))
      return failure();
    offsets[op.getAxis()] += shape[op.getAxis()];
  }
  buffers[op.getResult()] = result;
  return success();
}

/// Each input as a column of the new last dimension.
LogicalResult TileEmitter::emitJoin(tile::JoinOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Buffer result = allocate(type.getShape(), type.getElementType());
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    SmallVector<int64_t> offsets = zeros(type.getRank());
    offsets.back() = number;
    Buffer column = aliasOf(result, offsets, {}, type.getShape());
    column.shape.pop_back();
    column.strides.pop_back();
    if (failed(materializeInto(input, column)))
      return failure();
  }
  buffers[op.getResult()] = result;
  return success();
}

LogicalResult TileEmitter::emitSplit(tile::SplitOp op) {
  FailureOr<Buffer> source = bufferOf(op.getSource());
  if (failed(source))
    return failure();
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    SmallVector<int64_t> offsets = zeros(source->shape.size());
    offsets.back() = number;
    Buffer column = aliasOf(*source, offsets, {}, source->shape);
    column.shape.pop_back();
    column.strides.pop_back();
    buffers[result] = column;
  }
  return success();
}

/// With steps, another reading of the source's buffer; without, index
/// arithmetic.
LogicalResult TileEmitter::emitSlice(tile::SliceOp op) {
  if (isLazy(op))
    return emitLazy(op);
  FailureOr<Buffer> source = bufferOf(op.getSource());
  if (failed(source))
    return failure();
  buffers[op.getResult()] =
      aliasOf(*source, op.getOffsets(), op.getSteps(),
              cast<RankedTensorType>(op.getType()).getShape());
  return success();
}

FailureOr<Value> TileEmitter::evalSlice(tile::SliceOp op, const Lanes &at) {
  Lanes source = at;
  for (auto [position, offset] : llvm::zip(source.index, op.getOffsets()))
    position = add(position, index(offset));
  return eval(op.getSource(), source);
}

LogicalResult TileEmitter::emitExtract(tile::ExtractOp op) {
  Lanes at;
  auto type = cast<RankedTensorType>(op.getSource().getType());
  // An index outside gives any value, but reads no other memory.
  for (auto [position, size] : llvm::zip(op.getIndices(), type.getShape()))
    at.index.push_back(arith::MinUIOp::create(b, loc, scalars.lookup(position),
                                              index(size - 1)));
  FailureOr<Value> value = eval(op.getSource(), at);
  if (failed(value))
    return failure();
  scalars.map(op.getResult(), *value);
  return success();
}

LogicalResult TileEmitter::emitGather(tile::GatherOp op) {
  FailureOr<Buffer> source = bufferOf(op.getSource());
  if (failed(source))
    return failure();
  gatherSources[op] = *source;
  return emitLazy(op);
}

FailureOr<Value> TileEmitter::evalGather(tile::GatherOp op, const Lanes &at) {
  const Buffer &source = gatherSources[op];
  FailureOr<Value> indices = eval(op.getIndices(), at);
  if (failed(indices))
    return failure();
  Value chosen = numeric::frozen(b, loc, signedI64(*indices));
  auto number = [&](int64_t value) {
    return splat(arith::ConstantIntOp::create(b, loc, value, 64), at.width);
  };
  // An index outside gives any value, but reads no other memory.
  unsigned axis = op.getAxis();
  chosen =
      arith::MinUIOp::create(b, loc, chosen, number(source.shape[axis] - 1));
  Values position(at.index);
  position[axis] = index(0);
  Value first = splat(toI64(elementOf(source, position)), at.width);
  Value element = arith::AddIOp::create(
      b, loc, first,
      arith::MulIOp::create(b, loc, chosen, number(source.strides[axis])));
  if (at.lane >= 0 && at.lane != static_cast<int>(axis))
    element = arith::AddIOp::create(
        b, loc, element,
        arith::MulIOp::create(b, loc, laneNumbers(b.getI64Type(), at.width),
                              number(source.strides[at.lane])));
  Type stored = numeric::storedType(source.element);
  if (at.width == 1)
    return loadLanes(address(source.pointer, element, source.element), {}, true,
                     source.element, 1, {}, {});
  auto pointers = VectorType::get({at.width}, source.pointer.getType());
  Value where = LLVM::GEPOp::create(b, loc, pointers, stored, source.pointer,
                                    ArrayRef<LLVM::GEPArg>{element});
  auto type = VectorType::get({at.width}, stored);
  Value loaded = LLVM::masked_gather::create(
      b, loc, type, where, laneMask(at, /*always=*/true),
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type)).getResult(),
      stored.getIntOrFloatBitWidth() / 8);
  return numeric::fromMemory(b, loc, loaded, source.element);
}

} // namespace tilewright::cpu
