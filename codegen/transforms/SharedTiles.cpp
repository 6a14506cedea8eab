//===- SharedTiles.cpp - Tiles on their way through shared memory ---------===//
#include "codegen/transforms/SharedTiles.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tilewright::gpu {

layout::Result<layout::Layout> wholeMemory(const layout::ConversionPlan &plan) {
  const layout::Layout &cell = plan.shared.memory;
  return layout::Layout::create(layout::Kind::memory, cell.cellBits(),
                                cell.allBits(), cell.map(), plan.frame.repeats);
}

/// Where a tile that `user` reads is stored: once for all turns of a loop that
/// it comes from outside of.
static Operation *placeOfStore(Value tile, Operation *user) {
  while (auto loop = dyn_cast<LoopLikeOpInterface>(user->getParentOp())) {
    if (!loop.isDefinedOutsideOfLoop(tile))
      break;
    user = loop;
  }
  return user;
}

Value storedToShared(Value tile, const layout::Layout &memory,
                     Operation *user) {
  auto type = cast<RankedTensorType>(tile.getType());
  user = placeOfStore(tile, user);
  OpBuilder builder(user);
  auto place = tilegpu::AllocOp::create(
      builder, user->getLoc(),
      tilegpu::SharedType::get(
          user->getContext(), type.getShape(), type.getElementType(),
          tilegpu::LayoutAttr::get(user->getContext(), memory)),
      IntegerAttr());
  tilegpu::StoreSharedOp::create(builder, user->getLoc(), tile, place);
  return place;
}

} // namespace tilewright::gpu
