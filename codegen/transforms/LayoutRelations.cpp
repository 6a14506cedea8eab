//===- LayoutRelations.cpp - How the layouts of an op's tiles relate ------===//
#include "codegen/transforms/LayoutRelations.h"

#include "codegen/gpu/Line.h"
#include "codegen/gpu/TileGpu.h"
#include "codegen/layout/Families.h"
#include "codegen/layout/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::gpu {

using tilegpu::toDims;
using MaybeLayout = std::optional<layout::Layout>;

static bool isTileValue(Value value) {
  return isa<RankedTensorType>(value.getType());
}

/// The layout alone, where there is one.
static MaybeLayout layoutOf(const StatusOr<layout::Transformed> &made) {
  return made.ok() ? MaybeLayout(made->layout) : std::nullopt;
}

/// The first of these that is known.
static MaybeLayout firstOf(OperandRange values, const LayoutLookup &layouts) {
  for (Value value : values)
    if (isTileValue(value))
      if (MaybeLayout layout = layouts(value))
        return layout;
  return std::nullopt;
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
  if (!argument &&
      (isElementwise(op) ||
       isa<tile::ReduceOp, tile::ScanOp, tile::SplitOp, tile::TopKOp>(op)))
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
    StatusOr<layout::Transformed> collapsed = layout::collapse(layout, dim);
    if (!collapsed.ok())
      return std::nullopt;
    layout = collapsed->layout;
  }
  return layout;
}

static MaybeLayout reshaped(const layout::Layout &layout,
                            const layout::Dims &from, const layout::Dims &to) {
  return layoutOf(layout::reshape(layout, from, to));
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

/// Of the inputs of a concatenation to `layout`: they differ from it in repeats
/// alone. Nothing where an input ends within a cell.
static MaybeLayout beforeConcat(OpOperand &operand, tile::ConcatOp op,
                                const layout::Layout &layout) {
  unsigned axis = op.getAxis();
  if (layout.shape()[axis] != shapeOf(op.getResult())[axis])
    return std::nullopt;
  for (Value input : op.getInputs())
    if (shapeOf(input)[axis] % layout.cell(axis))
      return std::nullopt;
  layout::Dims repeats = layout.repeats();
  repeats[axis] = shapeOf(operand.get())[axis] >> layout.cellBits()[axis];
  StatusOr<layout::Layout> part =
      layout::Layout::create(layout.kind(), layout.cellBits(), layout.allBits(),
                             layout.map(), repeats, fullRepeatOrder(layout));
  return part.ok() ? MaybeLayout(*part) : std::nullopt;
}

/// Of a slice of a tile of `layout`.
static MaybeLayout afterSlice(tile::SliceOp op, const layout::Layout &layout) {
  layout::Dims steps;
  for (int64_t dim = 0; dim < int64_t(layout.rank()); ++dim)
    steps.append(op.getStep(dim));
  return layoutOf(layout::extract(layout, toDims(op.getOffsets()),
                                  shapeOf(op.getResult()), steps));
}

/// Of all tiles of a scan: `known`, one of theirs, if its lines are in order.
static layout::Layout inLines(tile::ScanOp op, const layout::Layout &known) {
  unsigned axis = op.getAxis();
  if (tilegpu::lineAlong(known, axis).ok())
    return known;
  return tilegpu::lineLayout(shapeOf(op.getInputs()[0]), axis,
                             known.bits(layout::Axis::warp));
}

//===--- The relations ----------------------------------------------------===//

MaybeLayout resultLayout(OpResult result, const LayoutLookup &layouts) {
  Operation *op = result.getOwner();
  auto of = [&](unsigned operand) { return layouts(op->getOperand(operand)); };
  if (isElementwise(op))
    return firstOf(op->getOperands(), layouts);
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return layouts(dot.getAcc());
  if (auto dot = dyn_cast<tile::ScaledDotOp>(op))
    return layouts(dot.getAcc());
  if (isa<tile::GatherOp>(op))
    return of(1);
  if (!isa<tile::ReduceOp, tile::ReshapeOp, tile::TransposeOp, tile::ScanOp,
           tile::JoinOp, tile::SplitOp, tile::SliceOp>(op))
    return std::nullopt;
  // The others follow from the first operand's.
  MaybeLayout layout = of(0);
  if (!layout)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, MaybeLayout>(op)
      .Case([&](tile::ReduceOp op) {
        return layoutOf(layout::slice(*layout, op.getAxis()));
      })
      .Case([&](tile::ReshapeOp op) {
        return reshaped(*layout, shapeOf(op.getSource()), shapeOf(result));
      })
      .Case([&](tile::TransposeOp op) {
        return layout::permute(*layout, toDims(op.getPermutation()));
      })
      .Case([&](tile::ScanOp op) { return inLines(op, *layout); })
      .Case([&](tile::JoinOp op) {
        return layoutOf(layout::join(*layout, op.getNumOperands()));
      })
      .Case([&](tile::SplitOp) {
        return layoutOf(layout::split(*layout, result.getResultNumber()));
      })
      .Case([&](tile::SliceOp op) { return afterSlice(op, *layout); });
}

MaybeLayout operandLayout(OpOperand &operand, const LayoutLookup &layouts) {
  Operation *op = operand.getOwner();
  if (Value carried = carriedBy(operand))
    return layouts(carried);
  if (isElementwise(op) || isa<tile::ReduceOp, tile::HistogramOp>(op)) {
    // All like the first result, or the first tile.
    if (isElementwise(op) && op->getNumResults() &&
        isTileValue(op->getResult(0)))
      return layouts(op->getResult(0));
    return firstOf(op->getOperands(), layouts);
  }
  MaybeLayout result =
      op->getNumResults() ? layouts(op->getResult(0)) : std::nullopt;
  if (auto scan = dyn_cast<tile::ScanOp>(op)) {
    MaybeLayout known = result ? result : firstOf(op->getOperands(), layouts);
    return known ? MaybeLayout(inLines(scan, *known)) : std::nullopt;
  }
  if (isa<tile::JoinOp>(op)) {
    // The join of what this gives has other registers at most.
    MaybeLayout part =
        result ? layoutOf(layout::split(*result, 0)) : std::nullopt;
    return part ? part : firstOf(op->getOperands(), layouts);
  }
  if (!result)
    return std::nullopt;
  if (isa<tile::SplitOp>(op)) {
    MaybeLayout own = layouts(operand.get());
    if (own && layoutOf(layout::split(*own, 0)) == result)
      return own;
    return layoutOf(layout::join(*result, op->getNumResults()));
  }
  if (auto concat = dyn_cast<tile::ConcatOp>(op))
    return beforeConcat(operand, concat, *result);
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return &operand == &gather.getIndicesMutable() ? result : std::nullopt;
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
