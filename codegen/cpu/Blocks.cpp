//===- Blocks.cpp - Ops of a block ----------------------------------------===//
#include "codegen/cpu/Blocks.h"

#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Elements.h"
#include "codegen/llvm/ControlContext.h"

using namespace mlir;

namespace tilewright::cpu {

/// An op that works on scalars only: the same op, on the mapped values.
static LogicalResult emitScalarOp(Operation *op, Emission &e) {
  if (op->getName().getDialectNamespace() == "affine" &&
      op->getNumRegions() == 0) {
    e.b.clone(*op, e.scalars);
    return success();
  }
  if (!isElementwise(op))
    return op->emitError("this op is not lowered for the cpu target");
  Values operands;
  for (Value operand : op->getOperands())
    operands.push_back(e.scalars.lookup(operand));
  for (OpResult result : op->getResults())
    e.scalars.map(result, createElementwise(e.b, result, operands, 1));
  return success();
}

LogicalResult emitLazy(Operation *op, Emission &e) {
  bool hasTile =
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  if (!hasTile)
    return emitScalarOp(op, e);
  if (!isLazy(op))
    return op->emitError("this op is not lowered for the cpu target");
  for (Value result : op->getResults())
    if (e.buffers.chosen.contains(result) && failed(bufferOf(result, e)))
      return failure();
  return success();
}

static LogicalResult emitOp(Operation *op, Emission &e) {
  const CpuOp *known = lookupOp(op);
  return known && known->emit ? known->emit(op, e) : emitLazy(op, e);
}

LogicalResult emitBlock(Block &block, Emission &e) {
  for (Operation &op : block.without_terminator()) {
    e.b.setLoc(op.getLoc());
    if (failed(lowerControlled(&op, [&] { return emitOp(&op, e); })))
      return failure();
  }
  return success();
}

} // namespace tilewright::cpu
