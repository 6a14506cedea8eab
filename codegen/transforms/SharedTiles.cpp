//===- SharedTiles.cpp - Tiles on their way through shared memory ---------===//
#include "codegen/transforms/SharedTiles.h"

using namespace mlir;

namespace tilewright::gpu {

layout::Result<layout::Layout> wholeMemory(const layout::ConversionPlan &plan) {
  const layout::Layout &cell = plan.shared.memory;
  return layout::Layout::create(layout::Kind::memory, cell.cellBits(),
                                cell.allBits(), cell.map(), plan.frame.repeats);
}

Value storedToShared(Value tile, const layout::Layout &memory,
                     Operation *user) {
  auto type = cast<RankedTensorType>(tile.getType());
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
