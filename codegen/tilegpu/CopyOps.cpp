//===- CopyOps.cpp - Rings in shared memory, asynchronous copies ----------===//
#include "codegen/tilegpu/TileGpu.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

#include "codegen/tilegpu/TileGpuInterfaces.cpp.inc"

//===--- Memory with an identity ------------------------------------------===//

TypedValue<SharedType> AllocOp::getRoot() { return getResult(); }
Value AllocOp::getSlotNumber() { return {}; }

TypedValue<SharedType> SlotOp::getRoot() {
  return identityOf(getRing()).getRoot();
}
Value SlotOp::getSlotNumber() { return getNumber(); }

LogicalResult SlotOp::verify() {
  // slot_c1
  if (!getRing().getDefiningOp<AllocOp>())
    return emitOpError() << "expected the ring of a tilegpu.alloc (slot_c1)";
  return success();
}

LogicalResult SlotOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(cast<SharedType>(operands.front().getType()).getSlotType());
  return success();
}

LogicalResult AdvanceOp::verify() {
  // advance_c1
  if (getSlots() < 1 || getBy() < 0 || getBy() >= getSlots())
    return emitOpError() << "by " << getBy() << " of " << getSlots()
                         << " slots; expected 0 to less than their number "
                            "(advance_c1)";
  return success();
}

OpFoldResult AdvanceOp::fold(FoldAdaptor adaptor) {
  if (getBy() == 0)
    return getNumber();
  if (auto number = dyn_cast_or_null<IntegerAttr>(adaptor.getNumber()))
    return IntegerAttr::get(getType(),
                            (number.getInt() + getBy()) % getSlots());
  return {};
}

//===--- Copies -----------------------------------------------------------===//

tile::ViewAccessOpInterface CopyOp::getRead() {
  return cast<tile::ViewAccessOpInterface>(getSource().front().front());
}

TypedValue<RankedTensorType> CopyOp::getTile() {
  return cast<TypedValue<RankedTensorType>>(
      getSource().front().getTerminator()->getOperand(0));
}

/// Whether `op` may do no more than to give elements other indices, as a
/// transpose does; emission sees more.
static bool isRenaming(Operation *op) {
  return op->getNumResults() == 1 && isMemoryEffectFree(op) &&
         !OpTrait::hasElementwiseMappableTraits(op);
}

LogicalResult CopyOp::verify() {
  Block &body = getSource().front();
  // copy_c1
  auto read = dyn_cast<tile::ViewAccessOpInterface>(body.front());
  Value copied = read && !read.getWrittenTile() ? read.getTile() : Value();
  for (Operation &op : llvm::drop_begin(body)) {
    const bool continues =
        copied && op.getNumOperands() == 1 && op.getOperand(0) == copied;
    if (continues && isRenaming(&op))
      copied = op.getResult(0);
    else if (!continues || !isa<YieldOp>(op))
      copied = {};
  }
  if (!copied)
    return emitOpError() << "expected a region that reads a tile of a view, "
                            "gives its elements other indices, and yields it "
                            "(copy_c1)";
  // copy_c2
  auto tile = cast<RankedTensorType>(copied.getType());
  SharedType memory = getMemory().getType();
  if (!hasLayout(tile) || tile.getShape() != memory.getShape() ||
      tile.getElementType() != memory.getElementType())
    return emitOpError() << "the tile is " << tile << ", the memory "
                         << toDims(memory.getShape()).text() << " "
                         << memory.getElementType() << " (copy_c2)";
  return success();
}
