#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright::tile {

#define GEN_PASS_DEF_VERIFYTILEFORM
#include "tileir/transforms/Passes.h.inc"

namespace {
struct VerifyTileForm : impl::VerifyTileFormBase<VerifyTileForm> {
  using VerifyTileFormBase::VerifyTileFormBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    WalkResult walked = kernel.walk([](Operation *op) {
      if (!isa<CallOp, TunableOp>(op))
        return WalkResult::advance();
      op->emitError("expected calls to be inlined and tunables to be bound, "
                    "found ")
          << op->getName();
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    if (!kernel->hasAttr(TileDialect::kScheduleAttr)) {
      kernel.emitError(
          "expected a tile.schedule: assign-schedules runs before");
      signalPassFailure();
    }
  }
};
} // namespace

} // namespace tilewright::tile
