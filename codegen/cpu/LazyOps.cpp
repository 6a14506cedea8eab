//===- LazyOps.cpp - Ops that are computed where they are used ------------===//
#include "codegen/cpu/LazyOps.h"

#include "codegen/cpu/CpuOp.h"

using namespace mlir;

namespace tilewright::cpu {

bool isElementwise(Operation *op) {
  const CpuOp *known = lookupOp(op);
  return known && known->compute;
}

bool isLazy(Operation *op) {
  const CpuOp *known = lookupOp(op);
  return known && (known->eval || known->compute) &&
         (!known->isLazy || known->isLazy(op));
}

bool loadsMemory(Operation *op) {
  const CpuOp *known = lookupOp(op);
  return known && known->loadsFrom;
}

bool MemoryReads::isNeededFor(Value tile,
                              llvm::function_ref<bool(Value)> isHeld) {
  Operation *op = tile.getDefiningOp();
  if (!op || isHeld(tile))
    return false;
  if (loadsMemory(op))
    return true;
  if (auto answer = known.find(tile); answer != known.end())
    return answer->second;
  bool isNeeded =
      isLazy(op) && llvm::any_of(op->getOperands(), [&](Value from) {
        return isa<RankedTensorType>(from.getType()) &&
               isNeededFor(from, isHeld);
      });
  return known[tile] = isNeeded;
}

} // namespace tilewright::cpu
