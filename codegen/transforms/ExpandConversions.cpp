//===- ExpandConversions.cpp - Tiles between warps by shared memory -------===//
#include "codegen/layout/Conversion.h"
#include "codegen/target/GpuTarget.h"
#include "codegen/transforms/Passes.h"

using namespace mlir;

namespace tilewright::gpu {

#define GEN_PASS_DEF_EXPANDCONVERSIONS
#include "codegen/transforms/Passes.h.inc"

namespace {
struct ExpandConversions : impl::ExpandConversionsBase<ExpandConversions> {
  void runOnOperation() override;
};
} // namespace

/// The plan's memory for one repeat of its frame, for all of them.
static layout::Result<layout::Layout>
wholeMemory(const layout::ConversionPlan &plan) {
  const layout::Layout &cell = plan.shared.memory;
  return layout::Layout::create(layout::Kind::memory, cell.cellBits(),
                                cell.allBits(), cell.map(), plan.frame.repeats);
}

static LogicalResult expand(tilegpu::ConvertLayoutOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  layout::ConversionOptions options;
  options.elementBits = tilegpu::elementBits(from.getElementType());
  options.shape = tilegpu::toDims(from.getShape());
  layout::Result<layout::ConversionPlan> plan = layout::planConversion(
      tilegpu::layoutOf(from), tilegpu::layoutOf(to), options);
  if (!plan.ok())
    return op.emitError() << "layout conversion: " << plan.reason();
  if (plan->kind != layout::ConversionKind::shared)
    return success();
  layout::Result<layout::Layout> memory = wholeMemory(*plan);
  if (!memory.ok())
    return op.emitError() << "layout conversion: " << memory.reason();
  OpBuilder builder(op);
  auto type = tilegpu::SharedType::get(
      op.getContext(), from.getShape(), from.getElementType(),
      tilegpu::LayoutAttr::get(op.getContext(), *memory));
  Value place =
      tilegpu::AllocOp::create(builder, op.getLoc(), type, IntegerAttr());
  tilegpu::StoreSharedOp::create(builder, op.getLoc(), op.getSource(), place);
  Value loaded = tilegpu::LoadSharedOp::create(builder, op.getLoc(), to, place);
  op.replaceAllUsesWith(loaded);
  op.erase();
  return success();
}

void ExpandConversions::runOnOperation() {
  SmallVector<tilegpu::ConvertLayoutOp> conversions;
  getOperation().walk(
      [&](tilegpu::ConvertLayoutOp op) { conversions.push_back(op); });
  for (tilegpu::ConvertLayoutOp op : conversions)
    if (failed(expand(op)))
      return signalPassFailure();
}

} // namespace tilewright::gpu
