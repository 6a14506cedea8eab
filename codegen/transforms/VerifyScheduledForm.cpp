#include "codegen/layout/Conversion.h"
#include "codegen/layout/Text.h"
#include "codegen/transforms/LayoutRelations.h"
#include "codegen/transforms/Passes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_VERIFYSCHEDULEDFORM
#include "codegen/transforms/Passes.h.inc"

/// The operands and results that are tiles.
static SmallVector<Value> tilesOf(Operation *op) {
  SmallVector<Value> tiles(op->getOperands());
  llvm::append_range(tiles, op->getResults());
  llvm::erase_if(tiles, [](Value value) {
    return !isa<RankedTensorType>(value.getType());
  });
  return tiles;
}

static LogicalResult verifyLayouts(Operation *op) {
  for (Value tile : tilesOf(op))
    if (!tilegpu::hasLayout(tile.getType()))
      return op->emitError("expected tiles with layouts, found ")
             << tile.getType();
  return success();
}

/// What `tile` is to `op`.
static std::string nameOf(Value tile, Operation *op) {
  if (tile.getDefiningOp() == op)
    return llvm::formatv("result {0}", cast<OpResult>(tile).getResultNumber());
  auto operand = llvm::find(op->getOperands(), tile);
  return llvm::formatv("operand {0}", operand - op->operand_begin());
}

static InFlightDiagnostic wrongLayout(Operation *op, Value tile,
                                      const Twine &expected) {
  InFlightDiagnostic error = op->emitError();
  error << op->getName() << ": expected " << nameOf(tile, op) << " with "
        << expected << ", found " << layout::print(*typedLayout(tile));
  if (tile.getDefiningOp() != op)
    error.attachNote(tile.getLoc()) << "the operand is defined here";
  return error;
}

/// The op takes the layouts of its tiles, and each follows from the others.
static LogicalResult verifyRelation(Operation *op) {
  if (std::optional<UnmetLayout> unmet = unmetLayout(op))
    return wrongLayout(op, unmet->tile,
                       unmet->expected
                           ? layout::print(*unmet->expected)
                           : "a layout that follows from the op's other tiles");
  for (Value tile : tilesOf(op))
    if (!takesLayout(op, *typedLayout(tile)))
      return wrongLayout(op, tile, "a layout that the op takes");
  return success();
}

/// Beside `other` no tile has dealt repeats.
static LogicalResult verifyLocal(Operation *op, Operation *other) {
  for (Value tile : tilesOf(op))
    if (!typedLayout(tile)->repeats().isLocal()) {
      InFlightDiagnostic error =
          wrongLayout(op, tile, "repeats that are not dealt to warps");
      error.attachNote(other->getLoc())
          << "no tile of a kernel with " << other->getName() << " has them";
      return error;
    }
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
    return failure(failed(verifyLayouts(op)) || failed(verifyRelation(op)));
  }

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    auto shared = kernel->getAttrOfType<IntegerAttr>(
        tilegpu::TileGpuDialect::kSharedAttr);
    if (!shared) {
      kernel.emitError("expected tilegpu.shared: allocate-shared runs before");
      return signalPassFailure();
    }
    Operation *undealt = nullptr;
    kernel.walk([&](Operation *op) {
      if (dealtLayouts(op) == DealtLayouts::none)
        undealt = op;
    });
    WalkResult walked = kernel.walk([&](Operation *op) {
      const bool isRight = succeeded(verify(op, shared.getInt())) &&
                           (!undealt || succeeded(verifyLocal(op, undealt)));
      return isRight ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::tilegpu
