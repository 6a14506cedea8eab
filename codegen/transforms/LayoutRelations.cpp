//===- LayoutRelations.cpp - How the layouts of an op's tiles relate ------===//
#include "codegen/transforms/LayoutRelations.h"

#include "codegen/layout/Access.h"
#include "codegen/layout/Families.h"
#include "codegen/layout/Transforms.h"
#include "codegen/tilegpu/Fiber.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tileir/ir/OpTable.h"

using namespace mlir;

namespace tilewright::tilegpu {

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
  if (!argument && layoutRelation(op).hasEqualResults)
    return SmallVector<Value>(op->getResults());
  return {value};
}

Value carriedBy(OpOperand &operand) {
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
                                   const layout::Layout &result) {
  layout::Layout layout = result;
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

static MaybeLayout afterReshape(tile::ReshapeOp op,
                                const layout::Layout &layout) {
  return reshaped(layout, shapeOf(op.getSource()), shapeOf(op.getResult()));
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

static MaybeLayout afterTranspose(tile::TransposeOp op,
                                  const layout::Layout &layout) {
  return layout::permute(layout, toDims(op.getPermutation()));
}

static MaybeLayout beforeTranspose(tile::TransposeOp op,
                                   const layout::Layout &layout) {
  return layout::permute(layout, inverse(op.getPermutation()));
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
  if (!layout.repeats().isLocal())
    return std::nullopt;
  layout::Dims repeats = layout.repeats().counts();
  repeats[axis] = shapeOf(operand.get())[axis] >> layout.cellBits()[axis];
  return layout.withRepeats(
      layout.repeats().ofPart().withCounts(repeats).copiedTo(
          layout.repeats().parts()));
}

/// Of a slice of a tile of `layout`.
static MaybeLayout afterSlice(tile::SliceOp op, const layout::Layout &layout) {
  layout::Dims steps;
  for (int64_t dim = 0; dim < int64_t(layout.rank()); ++dim)
    steps.append(op.getStep(dim));
  return layoutOf(layout::extract(layout, toDims(op.getOffsets()),
                                  shapeOf(op.getResult()), steps));
}

static MaybeLayout afterReduce(tile::ReduceOp op,
                               const layout::Layout &layout) {
  return layoutOf(layout::slice(layout, op.getAxis()));
}

static MaybeLayout afterJoin(tile::JoinOp op, const layout::Layout &layout) {
  return layoutOf(layout::join(layout, op.getNumOperands()));
}

/// Of all tiles of a scan: `known`, one of theirs, if its fibers are in order.
static MaybeLayout inFibers(tile::ScanOp op, const layout::Layout &known) {
  unsigned axis = op.getAxis();
  if (tilegpu::fiberAlong(known, axis, tilegpu::Rounds::any).ok())
    return known;
  return tilegpu::fiberLayout(shapeOf(op.getInputs()[0]), axis,
                              known.size(layout::HardwareDim::warp));
}

//===--- Relations of ops -------------------------------------------------===//

static MaybeLayout firstOperand(OpResult result, const LayoutLookup &layouts) {
  return layouts(result.getOwner()->getOperand(0));
}

/// All tiles have the layout of the first result or, without results, of the
/// first tile.
static MaybeLayout allAlike(OpResult result, const LayoutLookup &layouts) {
  return firstOf(result.getOwner()->getOperands(), layouts);
}

static MaybeLayout allAlike(OpOperand &operand, const MaybeLayout &result,
                            const LayoutLookup &layouts) {
  Operation *op = operand.getOwner();
  return op->getNumResults() && isTileValue(op->getResult(0))
             ? result
             : firstOf(op->getOperands(), layouts);
}

static MaybeLayout operandsAlike(OpOperand &operand, const MaybeLayout &,
                                 const LayoutLookup &layouts) {
  return firstOf(operand.getOwner()->getOperands(), layouts);
}

/// One operand has the result's layout, and the others any.
template <typename Op, OpOperand &(Op::*mutableOperand)()>
static LayoutRelation like() {
  LayoutRelation relation;
  relation.resultLayout = [](OpResult result, const LayoutLookup &layouts) {
    return layouts((cast<Op>(result.getOwner()).*mutableOperand)().get());
  };
  relation.operandLayout = [](OpOperand &operand, const MaybeLayout &result,
                              const LayoutLookup &) {
    OpOperand &alike = (cast<Op>(operand.getOwner()).*mutableOperand)();
    return &operand == &alike ? result : std::nullopt;
  };
  return relation;
}

/// `of(op, layout)` of the first operand's layout, where that is known.
template <typename Op, MaybeLayout (*of)(Op, const layout::Layout &)>
static MaybeLayout fromFirst(OpResult result, const LayoutLookup &layouts) {
  MaybeLayout layout = firstOperand(result, layouts);
  return layout ? of(cast<Op>(result.getOwner()), *layout) : std::nullopt;
}

/// `of(op, layout)` of the first result's layout, where that is known.
template <typename Op, MaybeLayout (*of)(Op, const layout::Layout &)>
static MaybeLayout fromResult(OpOperand &operand, const MaybeLayout &result,
                              const LayoutLookup &) {
  return result ? of(cast<Op>(operand.getOwner()), *result) : std::nullopt;
}

static LayoutRelation elementwise() {
  LayoutRelation relation;
  relation.resultLayout = allAlike;
  relation.operandLayout = allAlike;
  relation.hasEqualResults = true;
  relation.isRepeatable = true;
  return relation;
}

/// All tiles of a scan have one layout, in fibers.
static MaybeLayout scanOperand(OpOperand &operand, const MaybeLayout &result,
                               const LayoutLookup &layouts) {
  auto op = cast<tile::ScanOp>(operand.getOwner());
  MaybeLayout known = result ? result : firstOf(op->getOperands(), layouts);
  return known ? inFibers(op, *known) : std::nullopt;
}

/// The operands of a reduction have one layout, whose repeats are separable.
static MaybeLayout reduceOperand(OpOperand &operand, const MaybeLayout &result,
                                 const LayoutLookup &layouts) {
  MaybeLayout known = operandsAlike(operand, result, layouts);
  if (!known || known->repeats().isSeparable())
    return known;
  layout::CoalescedParameters parameters;
  parameters.shape = shapeOf(operand.get());
  parameters.warps = known->size(layout::HardwareDim::warp);
  parameters.dealing = layout::Dealing::separable;
  return *layout::coalesced(parameters);
}

/// Of a reduction or a scan, whose results depend on the operands alone.
static LayoutRelation
combining(decltype(LayoutRelation::resultLayout) resultLayout,
          decltype(LayoutRelation::operandLayout) operandLayout) {
  LayoutRelation relation;
  relation.resultLayout = resultLayout;
  relation.operandLayout = operandLayout;
  relation.hasEqualResults = true;
  relation.isSettledByOperands = true;
  relation.isExpanded = true;
  return relation;
}

static LayoutRelation join() {
  LayoutRelation relation;
  relation.resultLayout = fromFirst<tile::JoinOp, afterJoin>;
  relation.operandLayout = [](OpOperand &operand, const MaybeLayout &result,
                              const LayoutLookup &layouts) {
    // The join of this layout differs in its registers at most.
    MaybeLayout part =
        result ? layoutOf(layout::split(*result, 0)) : std::nullopt;
    return part ? part : firstOf(operand.getOwner()->getOperands(), layouts);
  };
  relation.isSettledByOperands = true;
  return relation;
}

static LayoutRelation split() {
  LayoutRelation relation;
  relation.resultLayout = [](OpResult result, const LayoutLookup &layouts) {
    MaybeLayout layout = firstOperand(result, layouts);
    return layout ? layoutOf(layout::split(*layout, result.getResultNumber()))
                  : std::nullopt;
  };
  relation.operandLayout = [](OpOperand &operand, const MaybeLayout &result,
                              const LayoutLookup &layouts) {
    if (!result)
      return MaybeLayout();
    MaybeLayout own = layouts(operand.get());
    if (own && layoutOf(layout::split(*own, 0)) == result)
      return own;
    unsigned parts = operand.getOwner()->getNumResults();
    return layoutOf(layout::join(*result, parts));
  };
  relation.hasEqualResults = true;
  relation.isSettledByOperands = true;
  return relation;
}

static LayoutRelation concat() {
  LayoutRelation relation;
  relation.operandLayout = [](OpOperand &operand, const MaybeLayout &result,
                              const LayoutLookup &) {
    auto op = cast<tile::ConcatOp>(operand.getOwner());
    return result ? beforeConcat(operand, op, *result) : std::nullopt;
  };
  relation.movesElements = true;
  return relation;
}

static LayoutRelation reshape() {
  LayoutRelation relation;
  relation.resultLayout = fromFirst<tile::ReshapeOp, afterReshape>;
  relation.operandLayout = fromResult<tile::ReshapeOp, beforeReshape>;
  relation.isSettledByOperands = true;
  relation.movesElements = true;
  return relation;
}

static LayoutRelation converting(LayoutRelation relation) {
  relation.dealt = DealtLayouts::converted;
  return relation;
}

static LayoutRelation renaming(LayoutRelation relation) {
  relation.isRenaming = true;
  return relation;
}

static LayoutRelation expanded(LayoutRelation relation) {
  relation.isExpanded = true;
  return relation;
}

namespace {
struct Relations : tile::OpTable<LayoutRelation> {
  Relations();
  const LayoutRelation none, sameForAll = elementwise();
};
} // namespace

Relations::Relations() {
  add<tile::ConvertOp, tile::PhiloxOp, tile::InlinePtxOp, tile::LoadPtrOp,
      tile::StorePtrOp, tile::AtomicRmwOp, tile::AtomicCasOp, tile::OffsetOp,
      tile::PtrCastOp, tile::PtrToIntOp, tile::IntToPtrOp, tile::AssumeOp>(
      elementwise());
  LayoutRelation free;
  free.isFree = true;
  add<tile::IotaOp>(free);
  add<arith::ConstantOp, tile::SplatOp>(renaming(free));

  LayoutRelation broadcast, slice, transpose;
  broadcast.operandLayout = fromResult<tile::BroadcastOp, beforeBroadcast>;
  broadcast.needsOperandLayout = broadcast.isRepeatable = true;
  add<tile::BroadcastOp>(renaming(broadcast));
  slice.resultLayout = fromFirst<tile::SliceOp, afterSlice>;
  slice.movesElements = true;
  add<tile::SliceOp>(converting(renaming(slice)));
  transpose.resultLayout = fromFirst<tile::TransposeOp, afterTranspose>;
  transpose.operandLayout = fromResult<tile::TransposeOp, beforeTranspose>;
  add<tile::TransposeOp>(renaming(transpose));
  add<tile::ReshapeOp>(renaming(reshape()));
  add<tile::JoinOp>(renaming(join()));
  add<tile::SplitOp>(renaming(split()));
  add<tile::ConcatOp>(converting(renaming(concat())));
  add<tile::ExtractOp>(renaming({}));

  LayoutRelation reduce =
      combining(fromFirst<tile::ReduceOp, afterReduce>, reduceOperand);
  reduce.dealt = DealtLayouts::separable;
  add<tile::ReduceOp>(reduce);
  LayoutRelation scan =
      converting(combining(fromFirst<tile::ScanOp, inFibers>, scanOperand));
  scan.scansFibers = true;
  add<tile::ScanOp>(scan);
  LayoutRelation dot =
      expanded(like<tile::DotOp, &tile::DotOp::getAccMutable>());
  LayoutRelation scaled =
      expanded(like<tile::ScaledDotOp, &tile::ScaledDotOp::getAccMutable>());
  LayoutRelation lowered;
  dot.dealt = scaled.dealt = lowered.dealt = DealtLayouts::none;
  add<tile::DotOp>(dot);
  add<tile::ScaledDotOp>(scaled);
  add<tilegpu::DotOp, tilegpu::MmaOp>(lowered);
  add<tile::GatherOp>(
      expanded(like<tile::GatherOp, &tile::GatherOp::getIndicesMutable>()));
  add<tile::SortOp>(converting(expanded(elementwise())));
  LayoutRelation selection, histogram;
  selection.hasEqualResults = true;
  add<tile::TopKOp>(converting(expanded(selection)));
  histogram.operandLayout = operandsAlike;
  histogram.hasOwnOperands = true;
  add<tile::HistogramOp>(expanded(histogram));
}

static const Relations &relations() {
  static const Relations table;
  return table;
}

const LayoutRelation &layoutRelation(Operation *op) {
  const Relations &table = relations();
  if (const LayoutRelation *known = table.find(op))
    return *known;
  return op->hasTrait<OpTrait::Elementwise>() ? table.sameForAll : table.none;
}

bool hasLayoutRelation(OperationName op) {
  return relations().find(op) != nullptr;
}

/// A shape's extents but for those of 1.
static SmallVector<int64_t> withoutUnits(Value tile) {
  SmallVector<int64_t> extents(
      cast<RankedTensorType>(tile.getType()).getShape());
  llvm::erase(extents, 1);
  return extents;
}

DealtLayouts dealtLayouts(Operation *op) {
  auto reshape = dyn_cast<tile::ReshapeOp>(op);
  if (reshape &&
      withoutUnits(reshape.getSource()) != withoutUnits(reshape.getResult()))
    return DealtLayouts::converted;
  return layoutRelation(op).dealt;
}

MaybeLayout resultLayout(OpResult result, const LayoutLookup &layouts) {
  const LayoutRelation &relation = layoutRelation(result.getOwner());
  return relation.resultLayout ? relation.resultLayout(result, layouts)
                               : std::nullopt;
}

MaybeLayout operandLayout(OpOperand &operand, const LayoutLookup &layouts) {
  Operation *op = operand.getOwner();
  if (Value carried = carriedBy(operand))
    return layouts(carried);
  const LayoutRelation &relation = layoutRelation(op);
  if (!relation.operandLayout)
    return std::nullopt;
  MaybeLayout result =
      op->getNumResults() ? layouts(op->getResult(0)) : std::nullopt;
  return relation.operandLayout(operand, result, layouts);
}

MaybeLayout operandLayoutFor(OpOperand &operand,
                             const layout::Layout &results) {
  return operandLayout(operand, [&](Value value) {
    return value.getDefiningOp() == operand.getOwner() ? MaybeLayout(results)
                                                       : std::nullopt;
  });
}

bool needsOwners(Operation *op) {
  // Copies are equal: shared memory is the same, however many are stored.
  if (isa<tilegpu::StoreSharedOp, tilegpu::StoreElementOp>(op))
    return false;
  auto order = dyn_cast<tile::MemoryOrderOpInterface>(op);
  return isa<tile::HistogramOp>(op) ||
         (order && order.getOrder() != tile::MemoryOrder::weak) ||
         (op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
          !isMemoryEffectFree(op) && !hasSingleEffect<MemoryEffects::Read>(op));
}

bool takesLayout(Operation *op, const layout::Layout &layout) {
  if (needsOwners(op) && !layout.repeats().ownersArePart())
    return false;
  return !isa<tile::ViewAccessOpInterface>(op) ||
         layout::hasSeparableCell(layout);
}

MaybeLayout typedLayout(Value tile) {
  if (!tilegpu::hasLayout(tile.getType()))
    return std::nullopt;
  return tilegpu::layoutOf(tile.getType());
}

/// Of the operands: where they decide the results, among themselves.
static std::optional<UnmetLayout> unmetOperand(Operation *op,
                                               bool decidesResults) {
  const LayoutRelation &relation = layoutRelation(op);
  const LayoutLookup lookup = [&](Value value) {
    return decidesResults && value.getDefiningOp() == op ? std::nullopt
                                                         : typedLayout(value);
  };
  const bool needsOne = !decidesResults &&
                        (relation.needsOperandLayout || relation.movesElements);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTileValue(operand.get()))
      continue;
    MaybeLayout expected = operandLayout(operand, lookup);
    if (expected ? expected != typedLayout(operand.get()) : needsOne)
      return UnmetLayout{operand.get(), expected};
  }
  return std::nullopt;
}

std::optional<UnmetLayout> unmetLayout(Operation *op) {
  const LayoutRelation &relation = layoutRelation(op);
  const bool decidesResults =
      relation.resultLayout &&
      (relation.isSettledByOperands || !relation.operandLayout);
  if (std::optional<UnmetLayout> unmet = unmetOperand(op, decidesResults))
    return unmet;
  for (OpResult result : op->getResults()) {
    if (!isTileValue(result))
      continue;
    const MaybeLayout found = typedLayout(result);
    if (decidesResults)
      if (MaybeLayout expected = resultLayout(result, typedLayout);
          expected != found)
        return UnmetLayout{result, expected};
    for (Value same : sameTile(result))
      if (isTileValue(same) && typedLayout(same) != found)
        return UnmetLayout{result, typedLayout(same)};
  }
  return std::nullopt;
}

layout::Layout replicated(const layout::Dims &shape, unsigned warps) {
  const unsigned warpBits = unsigned(std::countr_zero(warps));
  const layout::Step copies[] = {
      {layout::HardwareDim::lane, layout::Step::copies, 5},
      {layout::HardwareDim::warp, layout::Step::copies, warpBits}};
  return *layout::distribute(shape, copies, layout::rowMajorOrder(shape.rank()),
                             {int64_t(warps >> warpBits), false});
}

} // namespace tilewright::tilegpu
