//===- Combiners.cpp - Steps of reductions and scans ----------------------===//
#include "codegen/transforms/Combiners.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewright::gpu {

void cloneCombiner(Region &from, Region &to) {
  IRMapping mapping;
  from.cloneInto(&to, mapping);
  Operation *end = to.front().getTerminator();
  OpBuilder inside(end);
  tilegpu::YieldOp::create(inside, end->getLoc(), end->getOperands());
  end->erase();
}

FailureOr<SmallVector<Value>> reduceWarps(OpBuilder &builder, Operation *op,
                                          Region &combiner, ValueRange inputs,
                                          int64_t axis) {
  SmallVector<Type> types;
  for (Value input : inputs) {
    layout::Result<RankedTensorType> reduced =
        tilegpu::warpReducedType(cast<RankedTensorType>(input.getType()), axis);
    if (!reduced.ok())
      return op->emitError() << op->getName() << ": " << reduced.reason();
    types.push_back(*reduced);
  }
  auto step =
      tilegpu::ReduceOp::create(builder, op->getLoc(), types, inputs, axis);
  cloneCombiner(combiner, step.getCombiner());
  return SmallVector<Value>(step.getResults());
}

FailureOr<SmallVector<Value>> gatherParts(OpBuilder &builder, Operation *op,
                                          ValueRange parts, int64_t axis) {
  SmallVector<Value> gathered;
  for (Value part : parts) {
    layout::Result<RankedTensorType> type =
        tilegpu::gatheredType(cast<RankedTensorType>(part.getType()), axis);
    if (!type.ok())
      return op->emitError() << op->getName() << ": " << type.reason();
    gathered.push_back(
        tilegpu::ConvertLayoutOp::create(builder, op->getLoc(), *type, part));
  }
  return gathered;
}

} // namespace tilewright::gpu
