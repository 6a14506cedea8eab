#include "codegen/layout/Conversion.h"
#include "codegen/transforms/LayoutRelations.h"
#include "codegen/transforms/Passes.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_VERIFYSCHEDULEDFORM
#include "codegen/transforms/Passes.h.inc"

static LogicalResult verifyLayouts(Operation *op) {
  for (Type type : op->getResultTypes())
    if (auto tile = dyn_cast<RankedTensorType>(type);
        tile && !isa_and_nonnull<tilegpu::LayoutAttr>(tile.getEncoding()))
      return op->emitError("expected tiles with layouts, found ") << type;
  return success();
}

static LogicalResult verifyConversion(tilegpu::ConvertLayoutOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  layout::ConversionOptions options;
  options.elementBits = tilegpu::elementBits(from.getElementType());
  options.shape = tilegpu::toDims(from.getShape());
  auto plan = layout::planConversion(tilegpu::layoutOf(from),
                                     tilegpu::layoutOf(op.getType()), options);
  if (!plan.ok() || plan->kind == layout::ConversionKind::shared)
    return op.emitError("expected a conversion within warps");
  return success();
}

static LogicalResult verifyLocation(tilegpu::AllocOp op, int64_t bytes) {
  std::optional<int64_t> offset = op.getOffset();
  if (!offset || *offset < 0 || *offset + op.getType().getBytes() > bytes)
    return op.emitError("expected an offset within the ")
           << bytes << " bytes of shared memory of the kernel";
  return success();
}

namespace {
struct VerifyScheduledForm
    : impl::VerifyScheduledFormBase<VerifyScheduledForm> {
  using VerifyScheduledFormBase::VerifyScheduledFormBase;

  LogicalResult verify(Operation *op, int64_t shared) {
    if (layoutRelation(op).isExpanded)
      return op->emitError("expected it to be expanded, found ")
             << op->getName();
    if (auto conversion = dyn_cast<tilegpu::ConvertLayoutOp>(op))
      return verifyConversion(conversion);
    if (auto alloc = dyn_cast<tilegpu::AllocOp>(op))
      return verifyLocation(alloc, shared);
    return verifyLayouts(op);
  }

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    auto shared = kernel->getAttrOfType<IntegerAttr>(
        tilegpu::TileGpuDialect::kSharedAttr);
    if (!shared) {
      kernel.emitError("expected tilegpu.shared: allocate-shared runs before");
      return signalPassFailure();
    }
    WalkResult walked = kernel.walk([&](Operation *op) {
      return failed(verify(op, shared.getInt())) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::tilegpu
