//===- SharedTiles.cpp - Tiles on their way through shared memory ---------===//
#include "codegen/transforms/SharedTiles.h"

#include "codegen/layout/Families.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tilewright::tilegpu {

StatusOr<layout::Layout> wholeMemory(const layout::ConversionPlan &plan) {
  const layout::Layout &cell = plan.shared.memory;
  if (plan.isByElement)
    return cell;
  return layout::Layout::create(layout::Kind::memory, cell.cellBits(),
                                cell.allBits(), cell.map(), plan.frame.repeats);
}

Value allocateShared(OpBuilder &builder, Location loc, RankedTensorType tile,
                     const layout::Layout &memory) {
  auto type = tilegpu::SharedType::get(
      builder.getContext(), tile.getShape(), tile.getElementType(),
      tilegpu::LayoutAttr::get(builder.getContext(), memory));
  return tilegpu::AllocOp::create(builder, loc, type, IntegerAttr());
}

Value allocateDense(OpBuilder &builder, Location loc, RankedTensorType tile) {
  // Every dense layout accepts a tile's shape.
  return allocateShared(builder, loc, tile,
                        *layout::dense(tilegpu::toDims(tile.getShape())));
}

Value storedDense(OpBuilder &builder, Location loc, Value tile) {
  Value memory =
      allocateDense(builder, loc, cast<RankedTensorType>(tile.getType()));
  tilegpu::StoreSharedOp::create(builder, loc, tile, memory);
  return memory;
}

/// Where to store a tile that `user` reads: before all enclosing loops that it
/// is defined outside of.
static Operation *placeOfStore(Value tile, Operation *user) {
  while (auto loop = dyn_cast<LoopLikeOpInterface>(user->getParentOp())) {
    if (!loop.isDefinedOutsideOfLoop(tile))
      break;
    user = loop;
  }
  return user;
}

Operation *keepsFragments(Value tile, const layout::Layout &fragments,
                          Operation *user) {
  // Of 32 bits, beside the accumulators.
  constexpr int64_t mostRegisters = 32;
  const int64_t bits = elementBits(getElementTypeOrSelf(tile.getType()));
  Operation *place = placeOfStore(tile, user);
  return place != user && fragments.items() * bits <= 32 * mostRegisters
             ? place
             : nullptr;
}

Value storedToShared(Value tile, const layout::Layout &memory,
                     Operation *user) {
  auto type = cast<RankedTensorType>(tile.getType());
  user = placeOfStore(tile, user);
  OpBuilder builder(user);
  Value location = allocateShared(builder, user->getLoc(), type, memory);
  tilegpu::StoreSharedOp::create(builder, user->getLoc(), tile, location);
  return location;
}

} // namespace tilewright::tilegpu
