//===- Combiners.cpp - Steps of reductions and scans ----------------------===//
#include "codegen/transforms/Combiners.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewright::tilegpu {

void cloneCombiner(Region &from, Region &to, bool reversed) {
  Block &source = from.front();
  OpBuilder builder(from.getContext());
  SmallVector<Location> locations(source.getNumArguments(), from.getLoc());
  Block *block =
      builder.createBlock(&to, {}, source.getArgumentTypes(), locations);
  IRMapping mapping;
  unsigned count = source.getNumArguments(), first = reversed ? count / 2 : 0;
  for (unsigned i = 0; i < count; ++i)
    mapping.map(source.getArgument(i), block->getArgument((first + i) % count));
  for (Operation &op : source.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value result : source.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(result));
  tilegpu::YieldOp::create(builder, source.getTerminator()->getLoc(), results);
}

FailureOr<SmallVector<Value>> reduceWarps(OpBuilder &builder, Operation *op,
                                          Region &combiner, ValueRange inputs,
                                          int64_t axis, bool reversed) {
  SmallVector<Type> types;
  for (Value input : inputs) {
    StatusOr<RankedTensorType> reduced =
        tilegpu::warpReducedType(cast<RankedTensorType>(input.getType()), axis);
    if (!reduced.ok())
      return op->emitError()
             << op->getName() << ": " << reduced.status().message();
    types.push_back(*reduced);
  }
  auto step =
      tilegpu::ReduceOp::create(builder, op->getLoc(), types, inputs, axis);
  cloneCombiner(combiner, step.getCombiner(), reversed);
  return SmallVector<Value>(step.getResults());
}

FailureOr<SmallVector<Value>> gatherParts(OpBuilder &builder, Operation *op,
                                          ValueRange parts, int64_t axis,
                                          Gathering gathering) {
  SmallVector<Value> gathered;
  for (Value part : parts) {
    auto type = cast<RankedTensorType>(part.getType());
    StatusOr<layout::Layout> layout =
        gathering(tilegpu::layoutOf(type), unsigned(axis));
    if (!layout.ok())
      return op->emitError()
             << op->getName() << ": " << layout.status().message();
    gathered.push_back(tilegpu::ConvertLayoutOp::create(
        builder, op->getLoc(), tilegpu::withLayout(type, *layout), part));
  }
  return gathered;
}

} // namespace tilewright::tilegpu
