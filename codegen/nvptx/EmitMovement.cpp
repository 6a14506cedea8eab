//===- EmitMovement.cpp - Registers that change places --------------------===//
//
// Joins, splits, slices and concatenations in whose layouts each thread has its
// elements already, and exchanges within fibers.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/Transforms.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Shuffles.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/Fiber.h"
#include "codegen/tilegpu/TileGpu.h"

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::layoutOf;
using tilegpu::toDims;

/// Puts `result` together from the registers of the op's operands.
static LogicalResult emitRearranged(Emission &e, Operation *op, Value result,
                                    const StatusOr<layout::Transformed> &made) {
  ImplicitLocOpBuilder &b = e.b;
  if (!made.ok())
    return reject(op, made.status().message());
  if (made->layout != layoutOf(result.getType()))
    return reject(op, "the layouts of source and result do not agree");
  // Where the registers of each operand begin, one after the other.
  SmallVector<int32_t> first;
  Value all = e.get(op->getOperand(0));
  for (Value operand : op->getOperands()) {
    bool isFirst = first.empty();
    first.push_back(
        isFirst ? 0
                : int32_t(cast<VectorType>(all.getType()).getNumElements()));
    if (!isFirst)
      all = joined(b, all, e.get(operand));
  }
  std::vector<int32_t> from = made->source;
  for (auto [reg, operand] : llvm::enumerate(made->operand))
    if (from[reg] >= 0)
      from[reg] += first[operand];
  e.set(result, pick(b, all, from));
  return success();
}

static LogicalResult emitJoin(tile::JoinOp op, Emission &e) {
  return emitRearranged(e, op, op.getResult(),
                        layout::join(layoutOf(op.getInputs()[0].getType()),
                                     int64_t(op.getInputs().size())));
}

static LogicalResult emitSplit(tile::SplitOp op, Emission &e) {
  const layout::Layout &layout = layoutOf(op.getSource().getType());
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (failed(
            emitRearranged(e, op, result, layout::split(layout, int64_t(i)))))
      return failure();
  return success();
}

static LogicalResult emitSlice(tile::SliceOp op, Emission &e) {
  auto type = cast<RankedTensorType>(op.getType());
  layout::Dims steps;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    steps.append(op.getStep(dim));
  return emitRearranged(e, op, op.getResult(),
                        layout::extract(layoutOf(op.getSource().getType()),
                                        toDims(op.getOffsets()),
                                        toDims(type.getShape()), steps));
}

static LogicalResult emitConcat(tile::ConcatOp op, Emission &e) {
  std::vector<layout::Layout> parts;
  for (Value input : op.getInputs())
    parts.push_back(layoutOf(input.getType()));
  return emitRearranged(e, op, op.getResult(),
                        layout::concat(parts, op.getAxis()));
}

/// The part of the mask within a thread permutes registers, the rest lanes.
static LogicalResult emitExchange(tilegpu::ExchangeOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  const layout::Layout &layout = layoutOf(op.getType());
  StatusOr<tilegpu::Fiber> fiber = tilegpu::fiberAlong(layout, op.getAxis());
  if (!fiber.ok())
    return reject(op, fiber.status().message());
  int64_t own = op.getMask() & (fiber->perThread() - 1);
  std::vector<int32_t> from;
  for (int64_t reg = 0; reg < layout.items(); ++reg) {
    layout::Dims at = layout.apply(layout::inRegister(reg, 0));
    at[op.getAxis()] ^= own;
    from.push_back(int32_t(layout.invert(at)[layout::HardwareDim::reg]));
  }
  Value moved = pick(b, e.get(op.getSource()), from);
  // The mask's other bits, at the indices of the lanes' bits.
  unsigned lanes = 0;
  int64_t rest = op.getMask() / fiber->perThread();
  for (unsigned left = fiber->laneMask; left; left &= left - 1, rest >>= 1)
    if (rest & 1)
      lanes |= left & -left;
  e.set(op, lanes ? shuffleXor(b, moved, lanes) : moved);
  return success();
}

void addMovementOps(GpuOps &ops) {
  add(ops, emitJoin);
  add(ops, emitSplit);
  add(ops, emitSlice);
  add(ops, emitConcat);
  add(ops, emitExchange);
}

} // namespace tilewright::nvptx
