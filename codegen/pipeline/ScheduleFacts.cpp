//===- ScheduleFacts.cpp - What a scheduled op will do, and why -----------===//
#include "codegen/pipeline/ScheduleFacts.h"

#include "codegen/transforms/ElementOrder.h"

using namespace mlir;

namespace tilewright {

ViewAccess viewAccess(tile::ViewAccessOpInterface op) {
  RankedTensorType type = op.getTile().getType();
  tilegpu::ElementOrder memory = tilegpu::elementOrder(op);
  unsigned bits = tilegpu::elementBits(type.getElementType());
  layout::VectorAccess access = layout::vectorAccess(
      tilegpu::layoutOf(type), memory.order, bits,
      unsigned(bits / 8 * memory.contiguous), ViewAccess::widest);
  ViewAccess result;
  result.bits = access.elements * bits;
  result.count = access.registers.size() / access.elements;
  if (result.bits == ViewAccess::widest)
    return result;
  if (int64_t(access.elements) == memory.contiguous) {
    result.limit = memory.limit;
    result.remedy = memory.remedy;
  } else {
    result.limit = "no more neighbours in its layout";
    result.remedy = "a larger tile, or fewer warps";
  }
  return result;
}

StatusOr<layout::ConversionPlan> conversionPlan(tilegpu::ConvertLayoutOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  layout::ConversionOptions options;
  options.elementBits = tilegpu::elementBits(from.getElementType());
  options.shape = tilegpu::toDims(from.getShape());
  return layout::planConversion(tilegpu::layoutOf(from),
                                tilegpu::layoutOf(op.getType()), options);
}

template <typename Op>
static StatusOr<layout::SharedAccess> inShared(Op op, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return layout::sharedAccess(tilegpu::layoutOf(type),
                              op.getMemory().getType().getLayout().getLayout(),
                              tilegpu::elementBits(type.getElementType()));
}

StatusOr<layout::SharedAccess> sharedAccess(tilegpu::StoreSharedOp op,
                                            Value tile) {
  return inShared(op, tile);
}
StatusOr<layout::SharedAccess> sharedAccess(tilegpu::LoadSharedOp op,
                                            Value tile) {
  return inShared(op, tile);
}

std::string reasonOf(Operation *op) {
  auto reason =
      op->getAttrOfType<StringAttr>(tilegpu::TileGpuDialect::kReasonAttr);
  return reason ? reason.str() : "";
}

} // namespace tilewright
