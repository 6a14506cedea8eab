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

static LogicalResult expand(ConvertLayoutOp op) {
  FailureOr<SharedType> memory = memoryOf(op);
  if (failed(memory))
    return failure();
  if (!*memory)
    return success();
  OpBuilder builder(op);
  Value location =
      storedToShared(op.getSource(), memory->getLayout().getLayout(), op);
  Value loaded =
      LoadSharedOp::create(builder, op.getLoc(), op.getType(), location);
  op.replaceAllUsesWith(loaded);
  op.erase();
  return success();
}

void LowerConversions::runOnOperation() {
  SmallVector<ConvertLayoutOp> conversions;
  getOperation().walk([&](ConvertLayoutOp op) { conversions.push_back(op); });
  for (ConvertLayoutOp op : conversions)
    if (failed(expand(op)))
      return signalPassFailure();
}

} // namespace tilewright::tilegpu
