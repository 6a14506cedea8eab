//===- LowerScans.cpp - Scans as steps within warps -----------------------===//
#include "codegen/tilegpu/Fiber.h"
#include "codegen/transforms/Combiners.h"
#include "codegen/transforms/Passes.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_LOWERSCANS
#include "codegen/transforms/Passes.h.inc"

namespace {
struct LowerScans : impl::LowerScansBase<LowerScans> {
  void runOnOperation() override;
};
} // namespace

static LogicalResult expand(tile::ScanOp op) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  StatusOr<tilegpu::Fiber> fiber = tilegpu::fiberAlong(
      tilegpu::layoutOf(type), op.getAxis(), tilegpu::Rounds::any);
  if (!fiber.ok())
    return op.emitError() << "tile.scan: " << fiber.status().message();
  SmallVector<Value> totals;
  if (fiber->warpMask) {
    FailureOr<SmallVector<Value>> parts =
        reduceWarps(builder, op, op.getCombiner(), op.getInputs(), op.getAxis(),
                    op.getReverse());
    if (failed(parts))
      return failure();
    FailureOr<SmallVector<Value>> gathered =
        gatherParts(builder, op, *parts, op.getAxis(), tilegpu::gatherWarps);
    if (failed(gathered))
      return failure();
    totals = std::move(*gathered);
  }
  auto scan = tilegpu::ScanOp::create(builder, op.getLoc(), op.getResultTypes(),
                                      op.getInputs(), totals, op.getAxis(),
                                      op.getReverse());
  cloneCombiner(op.getCombiner(), scan.getCombiner());
  op.replaceAllUsesWith(scan.getResults());
  op.erase();
  return success();
}

void LowerScans::runOnOperation() {
  SmallVector<tile::ScanOp> scans;
  getOperation().walk([&](tile::ScanOp op) { scans.push_back(op); });
  for (tile::ScanOp op : scans)
    if (failed(expand(op)))
      return signalPassFailure();
}

} // namespace tilewright::tilegpu
