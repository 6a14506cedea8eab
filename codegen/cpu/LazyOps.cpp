//===- LazyOps.cpp - Ops that are computed where they are used ------------===//
#include "codegen/cpu/LazyOps.h"

#include "codegen/numeric/Elementwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileir/ir/Tile.h"

using namespace mlir;

namespace tilewright::cpu {

bool isElementwise(Operation *op) {
  return isa<tile::OffsetOp, tile::PtrCastOp, tile::PtrToIntOp,
             tile::IntToPtrOp, tile::AssumeOp>(op) ||
         numeric::isElementwise(op);
}

static bool hasUnitSteps(tile::SliceOp op) {
  return llvm::all_of(op.getSteps(), [](int64_t step) { return step == 1; });
}

bool isLazy(Operation *op) {
  if (auto load = dyn_cast<tile::LoadPtrOp>(op))
    return load.getOrder() == tile::MemoryOrder::weak;
  if (auto slice = dyn_cast<tile::SliceOp>(op))
    return hasUnitSteps(slice);
  return isa<arith::ConstantOp, tile::SplatOp, tile::IotaOp, tile::BroadcastOp,
             tile::ReshapeOp, tile::TransposeOp, tile::LoadOp, tile::GatherOp>(
             op) ||
         isElementwise(op);
}

bool MemoryReads::isNeededFor(Value tile,
                              llvm::function_ref<bool(Value)> isHeld) {
  Operation *op = tile.getDefiningOp();
  if (!op || isHeld(tile))
    return false;
  if (isa<tile::LoadOp, tile::LoadPtrOp>(op))
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
