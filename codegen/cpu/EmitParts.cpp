//===- EmitParts.cpp - Tiles put together and taken apart -----------------===//
#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Blocks.h"
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Elements.h"
#include "codegen/cpu/LaneAccess.h"
#include "codegen/numeric/Elementwise.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright::cpu {

static SmallVector<int64_t> zeros(size_t count) {
  return SmallVector<int64_t>(count, 0);
}

/// The inputs, one after the other, into parts of one buffer.
static LogicalResult emitConcat(tile::ConcatOp op, Emission &e) {
  auto type = cast<RankedTensorType>(op.getType());
  Buffer result = allocate(type.getShape(), type.getElementType(), e);
  SmallVector<int64_t> offsets = zeros(type.getRank());
  for (Value input : op.getInputs()) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(input.getType()).getShape();
    if (failed(
            materializeInto(input, aliasOf(result, offsets, {}, shape, e), e)))
      return failure();
    offsets[op.getAxis()] += shape[op.getAxis()];
  }
  e.buffers.held[op.getResult()] = result;
  return success();
}

/// Each input as a column of the new last dimension.
static LogicalResult emitJoin(tile::JoinOp op, Emission &e) {
  auto type = cast<RankedTensorType>(op.getType());
  Buffer result = allocate(type.getShape(), type.getElementType(), e);
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    SmallVector<int64_t> offsets = zeros(type.getRank());
    offsets.back() = number;
    Buffer column = aliasOf(result, offsets, {}, type.getShape(), e);
    column.shape.pop_back();
    column.strides.pop_back();
    if (failed(materializeInto(input, column, e)))
      return failure();
  }
  e.buffers.held[op.getResult()] = result;
  return success();
}

static LogicalResult emitSplit(tile::SplitOp op, Emission &e) {
  FailureOr<Buffer> source = bufferOf(op.getSource(), e);
  if (failed(source))
    return failure();
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    SmallVector<int64_t> offsets = zeros(source->shape.size());
    offsets.back() = number;
    Buffer column = aliasOf(*source, offsets, {}, source->shape, e);
    column.shape.pop_back();
    column.strides.pop_back();
    e.buffers.held[result] = column;
  }
  return success();
}

static bool hasUnitSteps(tile::SliceOp op) {
  return llvm::all_of(op.getSteps(), [](int64_t step) { return step == 1; });
}

/// With steps, another reading of the source's buffer; without, index
/// arithmetic.
static LogicalResult emitSlice(tile::SliceOp op, Emission &e) {
  if (hasUnitSteps(op))
    return emitLazy(op, e);
  FailureOr<Buffer> source = bufferOf(op.getSource(), e);
  if (failed(source))
    return failure();
  e.buffers.held[op.getResult()] =
      aliasOf(*source, op.getOffsets(), op.getSteps(),
              cast<RankedTensorType>(op.getType()).getShape(), e);
  return success();
}

static FailureOr<Value> evalSlice(tile::SliceOp op, const Lanes &at,
                                  Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Lanes source = at;
  for (auto [position, offset] : llvm::zip(source.index, op.getOffsets()))
    position = add(b, position, index(b, offset));
  return eval(op.getSource(), source, e);
}

static LogicalResult emitExtract(tile::ExtractOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Lanes at;
  auto type = cast<RankedTensorType>(op.getSource().getType());
  // An index outside produces any value, but reads no other memory.
  for (auto [position, size] : llvm::zip(op.getIndices(), type.getShape()))
    at.index.push_back(arith::MinUIOp::create(b, e.scalars.lookup(position),
                                              index(b, size - 1)));
  FailureOr<Value> value = eval(op.getSource(), at, e);
  if (failed(value))
    return failure();
  e.scalars.map(op.getResult(), *value);
  return success();
}

static LogicalResult emitGather(tile::GatherOp op, Emission &e) {
  FailureOr<Buffer> source = bufferOf(op.getSource(), e);
  if (failed(source))
    return failure();
  e.buffers.gatherSources[op] = *source;
  return emitLazy(op, e);
}

static FailureOr<Value> evalGather(tile::GatherOp op, const Lanes &at,
                                   Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  const Buffer &source = e.buffers.gatherSources[op];
  FailureOr<Value> indices = eval(op.getIndices(), at, e);
  if (failed(indices))
    return failure();
  Value chosen = numeric::frozen(b, b.getLoc(), signedI64(b, *indices));
  auto number = [&](int64_t value) {
    return splat(b, arith::ConstantIntOp::create(b, value, 64), at.width);
  };
  // An index outside produces any value, but reads no other memory.
  unsigned axis = op.getAxis();
  chosen = arith::MinUIOp::create(b, chosen, number(source.shape[axis] - 1));
  Values position(at.index);
  position[axis] = index(b, 0);
  Value first = splat(b, toI64(b, elementOf(b, source, position)), at.width);
  Value element = arith::AddIOp::create(
      b, first, arith::MulIOp::create(b, chosen, number(source.strides[axis])));
  if (at.lane >= 0 && at.lane != static_cast<int>(axis))
    element = arith::AddIOp::create(
        b, element,
        arith::MulIOp::create(b, laneNumbers(b, b.getI64Type(), at.width),
                              number(source.strides[at.lane])));
  Type stored = numeric::storedType(source.element);
  if (at.width == 1)
    return loadLanes(b, address(b, source.pointer, element, source.element), {},
                     true, source.element, 1, {}, {});
  auto pointers = VectorType::get({at.width}, source.pointer.getType());
  Value where = LLVM::GEPOp::create(b, pointers, stored, source.pointer,
                                    ArrayRef<LLVM::GEPArg>{element});
  auto type = VectorType::get({at.width}, stored);
  Value loaded = LLVM::masked_gather::create(
      b, type, where, laneMask(b, at, /*always=*/true),
      arith::ConstantOp::create(b, b.getZeroAttr(type)).getResult(),
      stored.getIntOrFloatBitWidth() / 8);
  return numeric::fromMemory(b, b.getLoc(), loaded, source.element);
}

void addPartOps(CpuOps &ops) {
  ops.add<tile::JoinOp>({.emit = onOp(emitJoin)});
  ops.add<tile::ConcatOp>({.emit = onOp(emitConcat)});
  ops.add<tile::SplitOp>({.emit = onOp(emitSplit)});
  ops.add<tile::SliceOp>({.emit = onOp(emitSlice),
                          .eval = onOp(evalSlice),
                          .isLazy = onOp(hasUnitSteps),
                          .shifts = true});
  ops.add<tile::ExtractOp>({.emit = onOp(emitExtract)});
  ops.add<tile::GatherOp>({.emit = onOp(emitGather), .eval = onOp(evalGather)});
}

} // namespace tilewright::cpu
