//===- PointerAccess.cpp - Accesses through pointers, one by one ----------===//
#include "codegen/cpu/PointerAccess.h"

#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/Elements.h"
#include "codegen/cpu/Loops.h"
#include "codegen/numeric/ElementTypes.h"

using namespace mlir;

namespace tilewright::cpu {

LLVM::AtomicOrdering orderingOf(tile::MemoryOrder order) {
  switch (order) {
  case tile::MemoryOrder::weak:
    return LLVM::AtomicOrdering::not_atomic;
  case tile::MemoryOrder::relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case tile::MemoryOrder::acquire:
    return LLVM::AtomicOrdering::acquire;
  case tile::MemoryOrder::release:
    return LLVM::AtomicOrdering::release;
  case tile::MemoryOrder::acq_rel:
    return LLVM::AtomicOrdering::acq_rel;
  case tile::MemoryOrder::seq_cst:
    return LLVM::AtomicOrdering::seq_cst;
  }
  llvm_unreachable("all orders are listed");
}

LogicalResult forEachPointer(Value pointers, Value mask, ValueRange operands,
                             Value result, Emission &e, Access access) {
  ImplicitLocOpBuilder &b = e.b;
  Type pointerType = LLVM::LLVMPointerType::get(b.getContext());
  Type type =
      result ? numeric::registerType(getElementTypeOrSelf(result.getType()))
             : Type();
  auto run = [&](Value pointer, Value when, ValueRange values) {
    Value zero =
        type
            ? arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)))
                  .getResult()
            : Value();
    return guarded(b, when, type, zero, [&] {
      return access(LLVM::IntToPtrOp::create(b, pointerType, pointer), values);
    });
  };
  auto tile = dyn_cast<RankedTensorType>(pointers.getType());
  if (!tile) {
    Values values;
    for (Value operand : operands)
      values.push_back(e.scalars.lookup(operand));
    Value value = run(e.scalars.lookup(pointers),
                      mask ? e.scalars.lookup(mask) : Value(), values);
    if (result)
      e.scalars.map(result, value);
    return success();
  }
  // What is read of memory for the operands is read before the accesses.
  SmallVector<Value> inputs(operands);
  inputs.push_back(pointers);
  if (mask)
    inputs.push_back(mask);
  SmallVector<std::pair<Value, Buffer>> held;
  for (Value input : inputs) {
    if (!readsMemory(input, e))
      continue;
    FailureOr<Buffer> buffer = bufferOf(input, e);
    if (failed(buffer))
      return failure();
    held.push_back({input, *buffer});
  }
  std::optional<Buffer> target;
  if (result)
    target =
        allocate(tile.getShape(), getElementTypeOrSelf(result.getType()), e);
  LogicalResult done =
      forEachElement(tile.getShape(), e, [&](const Lanes &at) -> LogicalResult {
        Values values;
        for (Value input : inputs) {
          auto *known = llvm::find_if(
              held, [&](auto &entry) { return entry.first == input; });
          FailureOr<Value> value = known != held.end()
                                       ? readBuffer(b, known->second, at)
                                       : eval(input, at, e);
          if (failed(value))
            return failure();
          values.push_back(*value);
        }
        Value when = mask ? values.pop_back_val() : Value();
        Value pointer = values.pop_back_val();
        Value value = run(pointer, when, values);
        if (target)
          writeBuffer(b, *target, at, value);
        return success();
      });
  if (target)
    e.buffers.held[result] = *target;
  return done;
}

} // namespace tilewright::cpu
