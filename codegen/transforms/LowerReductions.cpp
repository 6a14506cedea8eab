//===- LowerReductions.cpp - Reductions as steps within warps -------------===//
#include "codegen/layout/Transforms.h"
#include "codegen/transforms/Combiners.h"
#include "codegen/transforms/Passes.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_LOWERREDUCTIONS
#include "codegen/transforms/Passes.h.inc"

namespace {
struct LowerReductions : impl::LowerReductionsBase<LowerReductions> {
  void runOnOperation() override;
};
} // namespace

static LogicalResult expand(tile::ReduceOp op) {
  OpBuilder builder(op);
  int64_t axis = op.getAxis();
  FailureOr<SmallVector<Value>> sums =
      reduceWarps(builder, op, op.getCombiner(), op.getInputs(), axis);
  if (failed(sums))
    return failure();
  // Also where the tile ends within the part of the first warp: others wait for
  // the result.
  auto parts = cast<RankedTensorType>(sums->front().getType());
  if (tilegpu::layoutOf(parts).shape()[axis] > 1) {
    FailureOr<SmallVector<Value>> gathered =
        gatherParts(builder, op, *sums, axis, tilegpu::gatherWarpsInLanes);
    if (failed(gathered))
      return failure();
    sums = reduceWarps(builder, op, op.getCombiner(), *gathered, axis);
    if (failed(sums))
      return failure();
  }
  for (auto [result, reduced] : llvm::zip(op.getResults(), *sums)) {
    // Without the dimension; the layout is what the operand's slice is.
    auto type = cast<RankedTensorType>(result.getType());
    auto from = cast<RankedTensorType>(reduced.getType());
    StatusOr<layout::Transformed> dropped = layout::reshape(
        tilegpu::layoutOf(from), tilegpu::toDims(from.getShape()),
        tilegpu::toDims(type.getShape()));
    if (!dropped.ok())
      return op.emitError() << "tile.reduce: " << dropped.status().message();
    Value reshaped = tile::ReshapeOp::create(
        builder, op.getLoc(), tilegpu::withLayout(type, dropped->layout),
        reduced);
    result.replaceAllUsesWith(
        tilegpu::ConvertLayoutOp::create(builder, op.getLoc(), type, reshaped));
  }
  op.erase();
  return success();
}

void LowerReductions::runOnOperation() {
  SmallVector<tile::ReduceOp> reductions;
  getOperation().walk([&](tile::ReduceOp op) { reductions.push_back(op); });
  for (tile::ReduceOp op : reductions)
    if (failed(expand(op)))
      return signalPassFailure();
}

} // namespace tilewright::tilegpu
