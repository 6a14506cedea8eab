//===- EmitDot.cpp - Contractions -----------------------------------------===//
//
// acc[M, N] += lhs[M, K] * rhs[K, N], one matrix of a batch after the other.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/ByteProduct.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/DotOperand.h"
#include "codegen/cpu/Elements.h"
#include "codegen/cpu/LaneAccess.h"
#include "codegen/cpu/Loops.h"
#include "codegen/cpu/ObservedEnds.h"
#include "codegen/cpu/Product.h"
#include "codegen/numeric/FloatBits.h"

using namespace mlir;

namespace tilewright::cpu {

/// Where the product is accumulated: in place where the old value has no other
/// reader, and in f32 where the accumulator is narrower.
static FailureOr<Buffer> accumulatorOf(tile::DotOp op, Emission &e) {
  auto type = cast<RankedTensorType>(op.getAcc().getType());
  Type element = type.getElementType();
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return packAs(op.getAcc(), e.b.getF32Type(), e);
  const Buffer *owned = e.buffers.find(op.getAcc());
  if (owned && op.getAcc().hasOneUse() &&
      !e.buffers.shared.contains(owned->root) &&
      op.getAcc().getParentBlock() == op->getBlock())
    return *owned;
  Buffer acc = allocate(type.getShape(), element, e);
  if (failed(materializeInto(op.getAcc(), acc, e)))
    return failure();
  return acc;
}

/// acc += lhs * rhs, for one pair of matrices or each of a batch.
static LogicalResult emitMatrices(const DotOperand &lhs, const DotOperand &rhs,
                                  const RegisterBlock &registers,
                                  const Buffer &acc, const ProductEnds &ends,
                                  int64_t depth, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto multiply = [&](Value batch) -> LogicalResult {
    FailureOr<MatrixSource> left =
        matrixOf(lhs, batch, acc.element, registers, ends, e);
    FailureOr<MatrixSource> right =
        matrixOf(rhs, batch, acc.element, registers, ends, e);
    if (failed(left) || failed(right))
      return failure();
    Value accBase = acc.pointer;
    if (batch)
      accBase = address(b, accBase, mul(b, batch, index(b, acc.strides[0])),
                        acc.element);
    return emitProduct(*left, *right, registers, acc, accBase, ends, depth, e);
  };
  if (acc.shape.size() == 2)
    return multiply({});
  return forEachBlock(acc.shape[0], 1, e,
                      [&](Value batch, int64_t) { return multiply(batch); });
}

/// Allocates a buffer for `result` and stores the elements of a wider one,
/// rounded.
static LogicalResult roundInto(Value result, const Buffer &wide, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<RankedTensorType>(result.getType());
  auto element = cast<FloatType>(type.getElementType());
  Buffer narrow = allocate(type.getShape(), element, e);
  e.buffers.held[result] = narrow;
  return forEachVector(type.getShape(), wide.element, e, [&](const Lanes &at) {
    writeBuffer(b, narrow, at,
                numeric::FloatBits(b, b.getLoc())
                    .round(readBuffer(b, wide, at), element));
    return success();
  });
}

/// The block of a product of bytes, unless the schedule says which.
static RegisterBlock blockOfBytes(const RegisterBlock &chosen, int64_t rows,
                                  int64_t columns, Emission &e) {
  std::optional<RegisterBlock> block = byteBlock(rows, columns, e.target);
  if (!block || e.schedule.rows != 0 || e.schedule.vectors != 0)
    return chosen;
  block->unroll = chosen.unroll;
  block->columnsOutside = chosen.columnsOutside;
  return *block;
}

static LogicalResult emitDot(tile::DotOp op, Emission &e) {
  auto type = cast<RankedTensorType>(op.getType());
  unsigned rank = type.getRank();
  int64_t depth =
      cast<RankedTensorType>(op.getLhs().getType()).getShape().back();
  FailureOr<Buffer> acc = accumulatorOf(op, e);
  if (failed(acc))
    return failure();
  const int64_t rows = type.getDimSize(rank - 2),
                columns = type.getDimSize(rank - 1);
  FailureOr<RegisterBlock> registers =
      registerBlock(op, rows, columns, acc->element, e);
  if (failed(registers))
    return failure();
  const bool isOfBytes = canMultiplyBytes(getElementTypeOrSelf(op.getLhs()),
                                          getElementTypeOrSelf(op.getRhs()),
                                          acc->element, e.target);
  // Panels of the left side have no rows.
  FailureOr<DotOperand> lhs =
      operandOf(op.getLhs(), false, op.getLhsUnsigned(), *acc,
                isOfBytes ? RegisterBlock{.rows = 1} : *registers, e);
  if (isOfBytes && succeeded(lhs) && lhs->matrix &&
      hasContiguousRows(*lhs->matrix))
    registers = blockOfBytes(*registers, rows, columns, e);
  FailureOr<DotOperand> rhs =
      operandOf(op.getRhs(), true, op.getRhsUnsigned(), *acc, *registers, e);
  Values ends = observedEnds(op, e);
  if (failed(lhs) || failed(rhs) ||
      failed(emitMatrices(*lhs, *rhs, *registers, *acc,
                          {ends[rank - 2], ends[rank - 1]}, depth, e)))
    return failure();
  if (acc->element == type.getElementType()) {
    e.buffers.held[op.getResult()] = *acc;
    return success();
  }
  return roundInto(op.getResult(), *acc, e);
}

/// An operand times the scale of its block along `dim`, exactly, in f64.
static FailureOr<Buffer> scaled(Value tile, Value scale, int64_t block,
                                unsigned dim, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<RankedTensorType>(tile.getType());
  Type from = type.getElementType(), f64 = b.getF64Type();
  Type scaleType = getElementTypeOrSelf(scale.getType());
  Buffer result = allocate(type.getShape(), f64, e);
  FailureOr<Buffer> scales = bufferOf(scale, e);
  if (failed(scales))
    return failure();
  LogicalResult done =
      forEachElement(type.getShape(), e, [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value = eval(tile, at, e);
        if (failed(value))
          return failure();
        Lanes where = at;
        where.index[dim] =
            arith::DivUIOp::create(b, at.index[dim], index(b, block));
        Value factor =
            numeric::FloatBits(b, b.getLoc())
                .toFloat(readBuffer(b, *scales, where), scaleType, f64);
        writeBuffer(
            b, result, at,
            arith::MulFOp::create(
                b, numeric::FloatBits(b, b.getLoc()).toFloat(*value, from, f64),
                factor));
        return success();
      });
  if (failed(done))
    return failure();
  return result;
}

static LogicalResult emitScaledDot(tile::ScaledDotOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<RankedTensorType>(op.getType());
  unsigned rank = type.getRank();
  FailureOr<Buffer> acc = packAs(op.getAcc(), b.getF64Type(), e);
  FailureOr<Buffer> lhs =
      scaled(op.getLhs(), op.getLhsScale(), op.getBlockSize(), rank - 1, e);
  FailureOr<Buffer> rhs =
      scaled(op.getRhs(), op.getRhsScale(), op.getBlockSize(), rank - 2, e);
  if (failed(acc) || failed(lhs) || failed(rhs))
    return failure();
  FailureOr<RegisterBlock> registers =
      registerBlock(op, type.getDimSize(rank - 2), type.getDimSize(rank - 1),
                    acc->element, e);
  if (failed(registers) ||
      failed(emitMatrices({{}, false, false, matrixIn(b, *lhs)},
                          {{}, true, false, matrixIn(b, *rhs)}, *registers,
                          *acc, {}, lhs->shape.back(), e)))
    return failure();
  return roundInto(op.getResult(), *acc, e);
}

/// The right side is read from memory or panels, whatever computes it.
static bool isRightSide(OpOperand &operand) {
  return cast<tile::DotOp>(operand.getOwner()).getRhs() == operand.get();
}

/// The rows are those of the left side and of the accumulators, the columns
/// those of the right side and of the accumulators.
static std::optional<unsigned> rowsOrColumns(OpOperand &operand, unsigned dim) {
  auto op = cast<tile::DotOp>(operand.getOwner());
  auto type = cast<RankedTensorType>(operand.get().getType());
  const bool isKept =
      (dim + 2 == type.getRank() && &operand != &op.getRhsMutable()) ||
      (dim + 1 == type.getRank() && &operand != &op.getLhsMutable());
  return isKept ? std::optional(dim) : std::nullopt;
}

void addDotOps(CpuOps &ops) {
  ops.add<tile::DotOp>({.emit = onOp(emitDot),
                        .resultDim = rowsOrColumns,
                        .buffersOperand = isRightSide});
  ops.add<tile::ScaledDotOp>({.emit = onOp(emitScaledDot)});
}

} // namespace tilewright::cpu
