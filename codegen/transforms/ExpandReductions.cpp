//===- ExpandReductions.cpp - Reductions as steps within warps ------------===//
#include "codegen/gpu/WarpReduction.h"
#include "codegen/layout/Transforms.h"
#include "codegen/transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewright::gpu {

#define GEN_PASS_DEF_EXPANDREDUCTIONS
#include "codegen/transforms/Passes.h.inc"

namespace {
struct ExpandReductions : impl::ExpandReductionsBase<ExpandReductions> {
  void runOnOperation() override;
};
} // namespace

/// One step of `op` on `inputs`, along a dimension that stays.
static FailureOr<tilegpu::ReduceOp>
reduceWarps(OpBuilder &builder, tile::ReduceOp op, ValueRange inputs) {
  SmallVector<Type> types;
  for (Value input : inputs) {
    auto type = cast<RankedTensorType>(input.getType());
    layout::Result<tilegpu::WarpReduction> reduced = tilegpu::warpReduction(
        tilegpu::layoutOf(type), op.getAxis(), type.getDimSize(op.getAxis()));
    if (!reduced.ok())
      return op.emitError() << "tile.reduce: " << reduced.reason();
    SmallVector<int64_t> shape(type.getShape());
    shape[op.getAxis()] = reduced->parts;
    types.push_back(tilegpu::withLayout(
        RankedTensorType::get(shape, type.getElementType()), reduced->layout));
  }
  auto step = tilegpu::ReduceOp::create(builder, op.getLoc(), types, inputs,
                                        op.getAxis());
  IRMapping mapping;
  op.getCombiner().cloneInto(&step.getCombiner(), mapping);
  Operation *end = step.getCombiner().front().getTerminator();
  OpBuilder inside(end);
  tilegpu::YieldOp::create(inside, end->getLoc(), end->getOperands());
  end->erase();
  return step;
}

/// Gives each warp what the others hold of the dimension.
static FailureOr<SmallVector<Value>>
gather(OpBuilder &builder, tile::ReduceOp op, ValueRange parts) {
  SmallVector<Value> gathered;
  for (Value part : parts) {
    auto type = cast<RankedTensorType>(part.getType());
    layout::Result<layout::Layout> layout =
        tilegpu::gatherWarps(tilegpu::layoutOf(type), op.getAxis());
    if (!layout.ok())
      return op.emitError() << "tile.reduce: " << layout.reason();
    gathered.push_back(tilegpu::ConvertLayoutOp::create(
        builder, op.getLoc(), tilegpu::withLayout(type, *layout), part));
  }
  return gathered;
}

static LogicalResult expand(tile::ReduceOp op) {
  OpBuilder builder(op);
  FailureOr<tilegpu::ReduceOp> step = reduceWarps(builder, op, op.getInputs());
  if (failed(step))
    return failure();
  auto first = cast<RankedTensorType>(step->getResult(0).getType());
  if (first.getDimSize(op.getAxis()) > 1) {
    FailureOr<SmallVector<Value>> gathered =
        gather(builder, op, step->getResults());
    if (failed(gathered))
      return failure();
    step = reduceWarps(builder, op, *gathered);
    if (failed(step))
      return failure();
  }
  for (auto [result, reduced] :
       llvm::zip(op.getResults(), step->getResults())) {
    // Without the dimension; the layout is what the operand's slice is.
    auto type = cast<RankedTensorType>(result.getType());
    auto from = cast<RankedTensorType>(reduced.getType());
    layout::Result<layout::Transformed> dropped = layout::reshape(
        tilegpu::layoutOf(from), tilegpu::toDims(from.getShape()),
        tilegpu::toDims(type.getShape()));
    if (!dropped.ok())
      return op.emitError() << "tile.reduce: " << dropped.reason();
    Value reshaped = tile::ReshapeOp::create(
        builder, op.getLoc(), tilegpu::withLayout(type, dropped->layout),
        reduced);
    result.replaceAllUsesWith(
        tilegpu::ConvertLayoutOp::create(builder, op.getLoc(), type, reshaped));
  }
  op.erase();
  return success();
}

void ExpandReductions::runOnOperation() {
  SmallVector<tile::ReduceOp> reductions;
  getOperation().walk([&](tile::ReduceOp op) { reductions.push_back(op); });
  for (tile::ReduceOp op : reductions)
    if (failed(expand(op)))
      return signalPassFailure();
}

} // namespace tilewright::gpu
