//===- LowerConversions.cpp - Tiles between warps by shared memory --------===//
#include "codegen/transforms/Passes.h"
#include "codegen/transforms/SharedTiles.h"
#include "tilewright/codegen/GpuTarget.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_LOWERCONVERSIONS
#include "codegen/transforms/Passes.h.inc"

namespace {
struct LowerConversions : impl::LowerConversionsBase<LowerConversions> {
  void runOnOperation() override;
};
} // namespace

static LogicalResult expand(tilegpu::ConvertLayoutOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  layout::ConversionOptions options;
  options.elementBits = tilegpu::elementBits(from.getElementType());
  options.shape = tilegpu::toDims(from.getShape());
  StatusOr<layout::ConversionPlan> plan = layout::planConversion(
      tilegpu::layoutOf(from), tilegpu::layoutOf(to), options);
  if (!plan.ok())
    return op.emitError() << "layout conversion: " << plan.status().message();
  if (plan->kind != layout::ConversionKind::shared)
    return success();
  StatusOr<layout::Layout> memory = wholeMemory(*plan);
  if (!memory.ok())
    return op.emitError() << "layout conversion: " << memory.status().message();
  OpBuilder builder(op);
  Value location = storedToShared(op.getSource(), *memory, op);
  Value loaded =
      tilegpu::LoadSharedOp::create(builder, op.getLoc(), to, location);
  op.replaceAllUsesWith(loaded);
  op.erase();
  return success();
}

void LowerConversions::runOnOperation() {
  SmallVector<tilegpu::ConvertLayoutOp> conversions;
  getOperation().walk(
      [&](tilegpu::ConvertLayoutOp op) { conversions.push_back(op); });
  for (tilegpu::ConvertLayoutOp op : conversions)
    if (failed(expand(op)))
      return signalPassFailure();
}

} // namespace tilewright::tilegpu
