//===- LayoutRelations.cpp - How the layouts of an op's tiles relate ------===//
#include "codegen/transforms/LayoutRelations.h"

#include "codegen/gpu/TileGpu.h"
#include "codegen/layout/Families.h"
#include "codegen/layout/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::gpu {

using tilegpu::toDims;
using MaybeLayout = std::optional<layout::Layout>;

static bool isTileValue(Value value) {
  return isa<RankedTensorType>(value.getType());
}

static layout::Dims shapeOf(Value tile) {
  return toDims(cast<RankedTensorType>(tile.getType()).getShape());
}

bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<tile::ConvertOp, tile::PhiloxOp, tile::InlinePtxOp,
             tile::LoadPtrOp, tile::StorePtrOp, tile::AtomicRmwOp,
             tile::AtomicCasOp, tile::OffsetOp, tile::PtrCastOp,
             tile::PtrToIntOp, tile::IntToPtrOp, tile::AssumeOp, tile::SortOp>(
             op);
}

//===--- Control flow -----------------------------------------------------===//

SmallVector<Value> sameTile(Value value) {
  Operation *op = value.getDefiningOp();
  auto argument = dyn_cast<BlockArgument>(value);
  unsigned index = argument ? argument.getArgNumber()
                            : cast<OpResult>(value).getResultNumber();
  if (argument)
    op = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned carried = argument ? index - loop.getNumInductionVars() : index;
    return {loop.getRegionIterArg(carried), loop.getResult(carried)};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (argument && argument.getOwner() == loop.getBeforeBody())
      return {value};
    return {loop.getAfterArguments()[index], loop.getResult(index)};
  }
  if (!argument && (isElementwise(op) || isa<tile::ReduceOp>(op)))
    return SmallVector<Value>(op->getResults());
  return {value};
}

/// The carried value that a yielded (or initial) operand becomes; null where
/// `operand` is none.
static Value carriedBy(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned index = operand.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned controls = loop.getNumControlOperands();
    return index < controls ? Value() : loop.getRegionIterArg(index - controls);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return loop.getBeforeArguments()[index];
  if (auto condition = dyn_cast<scf::ConditionOp>(op))
    return index == 0 ? Value() : op->getParentOp()->getResult(index - 1);
  if (isa<scf::YieldOp>(op)) {
    if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
      return loop.getBeforeArguments()[index];
    return op->getParentOp()->getResult(index);
  }
  return {};
}

//===--- Shapes -----------------------------------------------------------===//

/// Of a tile that is broadcast to `layout`.
static MaybeLayout beforeBroadcast(tile::BroadcastOp op,
                                   layout::Layout layout) {
  layout::Dims from = shapeOf(op.getSource()), to = shapeOf(op.getResult());
  for (unsigned dim = 0; dim < from.rank(); ++dim) {
    if (from[dim] == to[dim])
      continue;
    layout::Result<layout::Transformed> collapsed =
        layout::collapse(layout, dim);
    if (!collapsed.ok())
      return std::nullopt;
    layout = collapsed->layout;
  }
  return layout;
}

static MaybeLayout reshaped(const layout::Layout &layout,
                            const layout::Dims &from, const layout::Dims &to) {
  layout::Result<layout::Transformed> result =
      layout::reshape(layout, from, to);
  if (!result.ok())
    return std::nullopt;
  return result->layout;
}

/// The operand's layout whose reshape is `layout`.
static MaybeLayout beforeReshape(tile::ReshapeOp op,
                                 const layout::Layout &layout) {
  layout::Dims from = shapeOf(op.getSource()), to = shapeOf(op.getResult());
  MaybeLayout before = reshaped(layout, to, from);
  if (!before || reshaped(*before, from, to) != layout)
    return std::nullopt;
  return before;
}

static layout::Dims inverse(ArrayRef<int64_t> permutation) {
  layout::Dims result(unsigned(permutation.size()), 0);
  for (auto [at, dim] : llvm::enumerate(permutation))
    result[dim] = int64_t(at);
  return result;
}

//===--- The relations ----------------------------------------------------===//

MaybeLayout resultLayout(OpResult result, const LayoutLookup &layouts) {
  Operation *op = result.getOwner();
  auto of = [&](unsigned operand) { return layouts(op->getOperand(operand)); };
  if (isElementwise(op)) {
    for (Value operand : op->getOperands())
      if (isTileValue(operand))
        if (MaybeLayout layout = layouts(operand))
          return layout;
    return std::nullopt;
  }
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return layouts(dot.getAcc());
  if (auto dot = dyn_cast<tile::ScaledDotOp>(op))
    return layouts(dot.getAcc());
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    MaybeLayout layout = of(0);
    if (!layout)
      return std::nullopt;
    layout::Result<layout::Transformed> sliced =
        layout::slice(*layout, reduce.getAxis());
    return sliced.ok() ? MaybeLayout(sliced->layout) : std::nullopt;
  }
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    MaybeLayout layout = of(0);
    return layout ? reshaped(*layout, shapeOf(reshape.getSource()),
                             shapeOf(result))
                  : std::nullopt;
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    MaybeLayout layout = of(0);
    return layout ? MaybeLayout(layout::permute(
                        *layout, toDims(transpose.getPermutation())))
                  : std::nullopt;
  }
  return std::nullopt;
}

MaybeLayout operandLayout(OpOperand &operand, const LayoutLookup &layouts) {
  Operation *op = operand.getOwner();
  if (Value carried = carriedBy(operand))
    return layouts(carried);
  if (isElementwise(op) ||
      isa<tile::ReduceOp, tile::ScanOp, tile::JoinOp>(op)) {
    // All like the first result, or the first tile.
    if (isElementwise(op) && op->getNumResults() &&
        isTileValue(op->getResult(0)))
      return layouts(op->getResult(0));
    for (Value other : op->getOperands())
      if (isTileValue(other))
        return layouts(other);
    return std::nullopt;
  }
  MaybeLayout result =
      op->getNumResults() ? layouts(op->getResult(0)) : std::nullopt;
  if (!result)
    return std::nullopt;
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return &operand == &dot.getAccMutable() ? result : std::nullopt;
  if (auto dot = dyn_cast<tile::ScaledDotOp>(op))
    return &operand == &dot.getAccMutable() ? result : std::nullopt;
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return beforeBroadcast(broadcast, *result);
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op))
    return beforeReshape(reshape, *result);
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    return layout::permute(*result, inverse(transpose.getPermutation()));
  return std::nullopt;
}

layout::Layout heldByAll(const layout::Dims &shape, unsigned warps) {
  const layout::Step copies[] = {
      {layout::Axis::lane, layout::Step::copies, 5},
      {layout::Axis::warp, layout::Step::copies, layout::log2Floor(warps)}};
  return layout::distribute(shape, copies, layout::rowMajorOrder(shape.rank()));
}

} // namespace tilewright::gpu
