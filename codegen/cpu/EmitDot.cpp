//===- EmitDot.cpp - Contractions -----------------------------------------===//
//
// acc[M, N] += lhs[M, K] * rhs[K, N], one matrix of a batch after the other.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/TileEmitter.h"

using namespace mlir;

namespace tilewright::cpu {

/// Where the product is added up: in place where the old value has no other
/// reader, and in f32 where the accumulator is narrower.
FailureOr<Buffer> TileEmitter::accumulatorOf(tile::DotOp op) {
  auto type = cast<RankedTensorType>(op.getAcc().getType());
  Type element = type.getElementType();
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return packAs(op.getAcc(), b.getF32Type());
  auto owned = buffers.find(op.getAcc());
  if (owned != buffers.end() && op.getAcc().hasOneUse() &&
      !sharedBuffers.contains(owned->second.root) &&
      op.getAcc().getParentBlock() == op->getBlock())
    return owned->second;
  Buffer acc = allocate(type.getShape(), element);
  if (failed(materializeInto(op.getAcc(), acc)))
    return failure();
  return acc;
}

/// acc += lhs * rhs, for one pair of matrices or each of a batch.
LogicalResult TileEmitter::emitMatrices(const DotOperand &lhs,
                                        const DotOperand &rhs,
                                        const RegisterBlock &registers,
                                        const Buffer &acc, int64_t depth) {
  auto multiply = [&](Value batch) -> LogicalResult {
    FailureOr<MatrixSource> left = matrixOf(lhs, batch, acc.element, registers);
    FailureOr<MatrixSource> right =
        matrixOf(rhs, batch, acc.element, registers);
    if (failed(left) || failed(right))
      return failure();
    Value accBase = acc.pointer;
    if (batch)
      accBase =
          address(accBase, mul(batch, index(acc.strides[0])), acc.element);
    return emitProduct(*left, *right, registers, acc, accBase, depth);
  };
  if (acc.shape.size() == 2)
    return multiply({});
  return forEachBlock(acc.shape[0], 1,
                      [&](Value batch, int64_t) { return multiply(batch); });
}

LogicalResult TileEmitter::emitDot(tile::DotOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  unsigned rank = type.getRank();
  int64_t depth =
      cast<RankedTensorType>(op.getLhs().getType()).getShape().back();
  FailureOr<Buffer> acc = accumulatorOf(op);
  if (failed(acc))
    return failure();
  FailureOr<RegisterBlock> registers = registerBlock(
      op, type.getDimSize(rank - 2), type.getDimSize(rank - 1), acc->element);
  if (failed(registers))
    return failure();
  FailureOr<DotOperand> lhs =
      operandOf(op.getLhs(), false, op.getLhsUnsigned(), *acc, *registers);
  FailureOr<DotOperand> rhs =
      operandOf(op.getRhs(), true, op.getRhsUnsigned(), *acc, *registers);
  if (failed(lhs) || failed(rhs) ||
      failed(emitMatrices(*lhs, *rhs, *registers, *acc, depth)))
    return failure();
  if (acc->element == type.getElementType()) {
    buffers[op.getResult()] = *acc;
    return success();
  }
  return roundInto(op.getResult(), *acc);
}

/// Gives `result` a buffer with the elements of a wider one, rounded.
LogicalResult TileEmitter::roundInto(Value result, const Buffer &wide) {
  auto type = cast<RankedTensorType>(result.getType());
  auto element = cast<FloatType>(type.getElementType());
  Buffer narrow = allocate(type.getShape(), element);
  buffers[result] = narrow;
  return forEachVector(type.getShape(), wide.element, [&](const Lanes &at) {
    writeBuffer(
        narrow, at,
        numeric::FloatBits(b, loc).round(readBuffer(wide, at), element));
    return success();
  });
}

/// An operand times the scale of its block along `dim`, exactly, in f64.
FailureOr<Buffer> TileEmitter::scaled(Value tile, Value scale, int64_t block,
                                      unsigned dim) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type from = type.getElementType(), f64 = b.getF64Type();
  Type scaleType = getElementTypeOrSelf(scale.getType());
  Buffer result = allocate(type.getShape(), f64);
  FailureOr<Buffer> scales = bufferOf(scale);
  if (failed(scales))
    return failure();
  LogicalResult done =
      forEachElement(type.getShape(), [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value = eval(tile, at);
        if (failed(value))
          return failure();
        Lanes where = at;
        where.index[dim] =
            arith::DivUIOp::create(b, loc, at.index[dim], index(block));
        Value factor = numeric::FloatBits(b, loc).toFloat(
            readBuffer(*scales, where), scaleType, f64);
        writeBuffer(result, at,
                    arith::MulFOp::create(
                        b, loc,
                        numeric::FloatBits(b, loc).toFloat(*value, from, f64),
                        factor));
        return success();
      });
  if (failed(done))
    return failure();
  return result;
}

LogicalResult TileEmitter::emitScaledDot(tile::ScaledDotOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  unsigned rank = type.getRank();
  FailureOr<Buffer> acc = packAs(op.getAcc(), b.getF64Type());
  FailureOr<Buffer> lhs =
      scaled(op.getLhs(), op.getLhsScale(), op.getBlockSize(), rank - 1);
  FailureOr<Buffer> rhs =
      scaled(op.getRhs(), op.getRhsScale(), op.getBlockSize(), rank - 2);
  if (failed(acc) || failed(lhs) || failed(rhs))
    return failure();
  FailureOr<RegisterBlock> registers = registerBlock(
      op, type.getDimSize(rank - 2), type.getDimSize(rank - 1), acc->element);
  if (failed(registers) ||
      failed(emitMatrices({{}, false, false, matrixIn(*lhs)},
                          {{}, true, false, matrixIn(*rhs)}, *registers, *acc,
                          lhs->shape.back())))
    return failure();
  return roundInto(op.getResult(), *acc);
}

} // namespace tilewright::cpu
