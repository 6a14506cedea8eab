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

static SharedType sharedType(RankedTensorType tile,
                             const layout::Layout &memory) {
  return SharedType::get(tile.getContext(), tile.getShape(),
                         tile.getElementType(),
                         LayoutAttr::get(tile.getContext(), memory));
}

FailureOr<SharedType> memoryOf(ConvertLayoutOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType()),
       to = cast<RankedTensorType>(op.getType());
  layout::ConversionOptions options;
  options.elementBits = elementBits(from.getElementType());
  options.shape = toDims(from.getShape());
  StatusOr<layout::ConversionPlan> plan =
      layout::planConversion(layoutOf(from), layoutOf(to), options);
  if (!plan.ok())
    return op.emitError() << "layout conversion: " << plan.status().message();
  if (plan->kind != layout::ConversionKind::shared)
    return SharedType();
  StatusOr<layout::Layout> memory = wholeMemory(*plan);
  if (!memory.ok())
    return op.emitError() << "layout conversion: " << memory.status().message();
  return sharedType(from, *memory);
}

Value allocateShared(OpBuilder &builder, Location loc, RankedTensorType tile,
                     const layout::Layout &memory) {
  return AllocOp::create(builder, loc, sharedType(tile, memory), IntegerAttr());
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

/// Where the tile comes from that `tile` only reorders, as a reshape does.
static Value reordered(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  while (Operation *op = tile.getDefiningOp()) {
    if (!isPure(op) || op->getNumOperands() != 1 || op->getNumRegions() != 0)
      break;
    auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
    if (!from || from.getElementType() != type.getElementType() ||
        from.getNumElements() != type.getNumElements())
      break;
    tile = op->getOperand(0);
  }
  return tile;
}

/// Where to store a tile that `user` reads: before all enclosing loops that do
/// not change it.
static Operation *placeOfStore(Value tile, Operation *user) {
  Value source = reordered(tile);
  while (auto loop = dyn_cast<LoopLikeOpInterface>(user->getParentOp())) {
    if (!loop.isDefinedOutsideOfLoop(source))
      break;
    user = loop;
  }
  return user;
}

/// Moves the ops that reorder a tile out of the loop `place`.
static void moveBefore(Value tile, Operation *place) {
  Operation *op = tile.getDefiningOp();
  if (!op || !place->isProperAncestor(op))
    return;
  moveBefore(op->getOperand(0), place);
  op->moveBefore(place);
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
  moveBefore(tile, user);
  OpBuilder builder(user);
  Value location = allocateShared(builder, user->getLoc(), type, memory);
  tilegpu::StoreSharedOp::create(builder, user->getLoc(), tile, location);
  return location;
}

} // namespace tilewright::tilegpu
