//===- AssignLayouts.cpp - Gives each tile a layout -----------------------===//
#include "codegen/layout/Families.h"
#include "codegen/transforms/LayoutRelations.h"
#include "codegen/transforms/MemoryOrder.h"
#include "codegen/transforms/Passes.h"
#include "codegen/transforms/Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <deque>

using namespace mlir;

namespace tilewright::gpu {

#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "codegen/transforms/Passes.h.inc"

/// Which repeats may be dealt to warps: all, where each op works on such
/// layouts; those along one dimension, where the others only reduce; none,
/// where some op would convert them. Warps that are no power of two share
/// tiles only so.
static layout::Dealing dealingOf(tile::KernelOp kernel, unsigned warps) {
  auto worst = DealtLayouts::any;
  kernel.walk(
      [&](Operation *op) { worst = std::max(worst, dealtLayouts(op)); });
  switch (worst) {
  case DealtLayouts::any:
    return layout::Dealing::any;
  case DealtLayouts::separable:
    return layout::Dealing::separable;
  case DealtLayouts::converted:
    return llvm::isPowerOf2_32(warps) ? layout::Dealing::none
                                      : layout::Dealing::separable;
  case DealtLayouts::none:
    return layout::Dealing::none;
  }
  llvm_unreachable("unknown kind of relation");
}

/// Issue slots of an op for each element, about.
static int64_t slotsOf(Operation *op) {
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return 12;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
          arith::RemSIOp, arith::RemUIOp>(op))
    return 10;
  return 1;
}

namespace {
/// The layouts of one kernel's tiles, before they are written into types.
class Assignment {
public:
  Assignment(tile::KernelOp kernel, unsigned warps, unsigned access)
      : kernel(kernel), warps(warps), access(access),
        dealing(dealingOf(kernel, warps)) {
    kernel.walk([&](tile::TransposeOp) { isTransposing = true; });
  }

  /// Chooses a layout for every tile.
  LogicalResult choose();
  /// Writes them into the types and meets the demands of each op. Returns the
  /// number of conversions.
  FailureOr<unsigned> apply();

private:
  struct Anchor {
    Value tile;
    MemoryOrder memory;
  };
  SmallVector<Anchor> anchors();
  int64_t slotsOfRegister(RankedTensorType tile);
  LogicalResult assignAccumulators();
  FailureOr<layout::Layout> coalesced(Value tile, const MemoryOrder &memory,
                                      layout::Dealing dealing);
  LogicalResult assignCoalesced(Value tile, const MemoryOrder &memory);
  void assign(Value tile, const layout::Layout &layout);
  void propagate();
  void propagateFrom(Value tile);

  void writeTypes();
  Value converted(OpOperand &operand, const layout::Layout &layout);
  unsigned meetDemands(Operation *op);
  FailureOr<unsigned> settleResult(OpResult result);
  FailureOr<unsigned> settleStore(tile::ViewAccessOpInterface op);
  FailureOr<unsigned> settleOwners(Operation *op);

  std::optional<layout::Layout> lookUp(Value value) const {
    auto found = layouts.find(value);
    return found == layouts.end() ? std::nullopt : std::optional(found->second);
  }
  LayoutLookup lookup() const {
    return [this](Value value) { return lookUp(value); };
  }

  tile::KernelOp kernel;
  unsigned warps, access;
  layout::Dealing dealing;
  bool isTransposing = false;
  DenseMap<Value, layout::Layout> layouts;
  std::deque<Value> changed;
};

struct AssignLayouts : impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;
  void runOnOperation() override {
    FailureOr<schedule::GpuSchedule> schedule = scheduleOf(getOperation());
    if (failed(schedule))
      return signalPassFailure();
    Assignment assignment(getOperation(), schedule->warps,
                          schedule->vectorBits);
    if (failed(assignment.choose()))
      return signalPassFailure();
    FailureOr<unsigned> conversions = assignment.apply();
    if (failed(conversions))
      return signalPassFailure();
    numConversions += *conversions;
    OpBuilder builder(&getContext());
    getOperation()->setAttr(tilegpu::TileGpuDialect::kWarpsAttr,
                            builder.getI64IntegerAttr(schedule->warps));
  }
};
} // namespace

static RankedTensorType tileType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

static MemoryOrder rowMajorOrderOf(Value tile) {
  MemoryOrder memory;
  memory.order = layout::rowMajorOrder(tileType(tile).getRank());
  return memory;
}

//===--- Choosing ---------------------------------------------------------===//

/// Tiles that are loaded, stored or updated, the largest first.
SmallVector<Assignment::Anchor> Assignment::anchors() {
  SmallVector<Anchor> result;
  kernel.walk([&](tile::ViewAccessOpInterface access) {
    result.push_back({access.getTile(), memoryOrder(access)});
  });
  SmallVector<std::pair<int64_t, unsigned>> keys;
  for (auto [i, anchor] : llvm::enumerate(result))
    keys.push_back({-tileType(anchor.tile).getNumElements(), i});
  llvm::sort(keys);
  SmallVector<Anchor> sorted;
  for (auto [size, i] : keys)
    sorted.push_back(result[i]);
  return sorted;
}

void Assignment::assign(Value tile, const layout::Layout &layout) {
  for (Value same : sameTile(tile))
    if (layouts.try_emplace(same, layout).second)
      changed.push_back(same);
}

/// What is done for each element of a tile: the ops on tiles of its size, and
/// its load and store.
int64_t Assignment::slotsOfRegister(RankedTensorType tile) {
  constexpr int64_t moves = 3;
  int64_t slots = moves;
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (RankedTensorType made = tileType(result);
          made && made.getNumElements() == tile.getNumElements() &&
          !layoutRelation(op).isRenaming)
        slots += slotsOf(op);
  });
  return slots;
}

FailureOr<layout::Layout> Assignment::coalesced(Value tile,
                                                const MemoryOrder &memory,
                                                layout::Dealing dealing) {
  RankedTensorType type = tileType(tile);
  unsigned bits = tilegpu::elementBits(type.getElementType());
  layout::CoalescedParameters parameters;
  parameters.shape = tilegpu::toDims(type.getShape());
  parameters.elementBits = bits;
  parameters.warps = warps;
  parameters.order = memory.order;
  parameters.dealing = dealing;
  parameters.slotsOfRegister = slotsOfRegister(type);
  parameters.hasBlocks = isTransposing;
  parameters.vectorBits =
      std::min<int64_t>(access, bits * std::max<int64_t>(memory.contiguous, 1));
  StatusOr<layout::Layout> layout = layout::coalesced(parameters);
  if (!layout.ok())
    return emitError(tile.getLoc())
           << "no layout for " << type << ": " << layout.status().message();
  return *layout;
}

LogicalResult Assignment::assignCoalesced(Value tile,
                                          const MemoryOrder &memory) {
  FailureOr<layout::Layout> layout = coalesced(tile, memory, dealing);
  if (failed(layout))
    return failure();
  assign(tile, *layout);
  return success();
}

void Assignment::propagateFrom(Value tile) {
  LayoutLookup layouts = lookup();
  // To the operands of its defining op.
  if (Operation *op = tile.getDefiningOp()) {
    for (OpOperand &operand : op->getOpOperands())
      if (tileType(operand.get()) && !lookUp(operand.get()))
        if (auto layout = operandLayout(operand, layouts))
          assign(operand.get(), *layout);
  }
  // To what is made of it, and to the other operands there.
  for (Operation *user : tile.getUsers()) {
    for (OpResult result : user->getResults())
      if (tileType(result) && !lookUp(result))
        if (auto layout = resultLayout(result, layouts))
          assign(result, *layout);
    for (OpOperand &operand : user->getOpOperands())
      if (tileType(operand.get()) && !lookUp(operand.get()))
        if (auto layout = operandLayout(operand, layouts))
          assign(operand.get(), *layout);
  }
}

void Assignment::propagate() {
  while (!changed.empty()) {
    Value tile = changed.front();
    changed.pop_front();
    propagateFrom(tile);
  }
}

/// Tiles of elements that are written out, not of a resource.
static LogicalResult checkConstants(tile::KernelOp kernel) {
  WalkResult walked = kernel.walk([](arith::ConstantOp op) {
    if (!isa<RankedTensorType>(op.getType()) ||
        isa<DenseElementsAttr>(op.getValue()))
      return WalkResult::advance();
    op->emitError() << op->getName()
                    << ": expected dense<...>, found another kind of constant, "
                       "not supported on a GPU";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// The results of dots, those with the most products first.
LogicalResult Assignment::assignAccumulators() {
  SmallVector<tile::ContractionOpInterface> dots;
  SmallVector<std::pair<int64_t, unsigned>> keys;
  kernel.walk([&](tile::ContractionOpInterface op) {
    int64_t products = tileType(op->getResult(0)).getNumElements() *
                       tileType(op.getLhs()).getShape().back();
    keys.push_back({-products, dots.size()});
    dots.push_back(op);
  });
  llvm::sort(keys);
  for (auto [products, i] : keys) {
    tile::ContractionOpInterface op = dots[i];
    Value result = op->getResult(0);
    if (lookUp(result))
      continue;
    StatusOr<layout::Layout> accumulators = layout::accumulator(
        tilegpu::toDims(tileType(result).getShape()), warps);
    if (!accumulators.ok())
      return op.emitError()
             << op->getName() << ": " << accumulators.status().message();
    assign(result, *accumulators);
    propagate();
  }
  return success();
}

LogicalResult Assignment::choose() {
  if (failed(checkConstants(kernel)) || failed(assignAccumulators()))
    return failure();
  for (const Anchor &anchor : anchors()) {
    if (lookUp(anchor.tile))
      continue;
    if (failed(assignCoalesced(anchor.tile, anchor.memory)))
      return failure();
    propagate();
  }
  // Values without a layout so far.
  WalkResult walked = kernel.walk([&](Operation *op) {
    SmallVector<Value> values(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(values, block.getArguments());
    for (Value value : values) {
      if (!tileType(value) || lookUp(value))
        continue;
      if (failed(assignCoalesced(value, rowMajorOrderOf(value))))
        return WalkResult::interrupt();
      propagate();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

//===--- Applying ---------------------------------------------------------===//

void Assignment::writeTypes() {
  for (auto &[value, layout] : layouts) {
    RankedTensorType type = tilegpu::withLayout(tileType(value), layout);
    value.setType(type);
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(
          cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  }
}

Value Assignment::converted(OpOperand &operand, const layout::Layout &layout) {
  Value tile = operand.get();
  RankedTensorType type = tilegpu::withLayout(tileType(tile), layout);
  Operation *user = operand.getOwner();
  OpBuilder builder(user);
  Operation *op = tile.getDefiningOp();
  // Made again rather than converted.
  if (op && layoutRelation(op).isFree) {
    builder.setInsertionPoint(op);
    Operation *again = builder.clone(*op);
    again->getResult(0).setType(type);
    if (auto constant = dyn_cast<arith::ConstantOp>(again))
      constant.setValueAttr(
          cast<DenseElementsAttr>(constant.getValue()).reshape(type));
    return again->getResult(0);
  }
  return tilegpu::ConvertLayoutOp::create(builder, user->getLoc(), type, tile);
}

/// What the types say.
static std::optional<layout::Layout> typedLayout(Value value) {
  if (!tilegpu::hasLayout(value.getType()))
    return std::nullopt;
  return tilegpu::layoutOf(value.getType());
}

/// Converts operands where the op demands another layout. Returns the number
/// of conversions.
unsigned Assignment::meetDemands(Operation *op) {
  unsigned conversions = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tileType(operand.get()))
      continue;
    std::optional<layout::Layout> demanded =
        operandLayout(operand, typedLayout);
    if (!demanded || *demanded == tilegpu::layoutOf(operand.get().getType()))
      continue;
    Value value = converted(operand, *demanded);
    conversions += isa<tilegpu::ConvertLayoutOp>(value.getDefiningOp());
    operand.set(value);
  }
  return conversions;
}

/// Sets a result's layout, and converts it to the one that it had.
static void setResultLayout(OpResult result, const layout::Layout &layout) {
  Operation *op = result.getOwner();
  RankedTensorType chosen = tileType(result);
  result.setType(tilegpu::withLayout(chosen, layout));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto convert =
      tilegpu::ConvertLayoutOp::create(builder, op->getLoc(), chosen, result);
  result.replaceAllUsesExcept(convert.getResult(), convert);
}

/// Where the operands alone determine a result's layout, sets it and converts
/// the result to the chosen layout. Returns the number of conversions.
FailureOr<unsigned> Assignment::settleResult(OpResult result) {
  Operation *op = result.getOwner();
  unsigned conversions = 0;
  std::optional<layout::Layout> settled = resultLayout(result, typedLayout);
  // Through shared memory, later.
  if (!settled && layoutRelation(op).isAnyPossible)
    return conversions;
  OpOperand &source = op->getOpOperand(0);
  const bool isDealt =
      !tilegpu::layoutOf(source.get().getType()).repeats().isLocal();
  // Not dealt to warps, and at last all in each thread.
  for (bool isReplicated : {false, true}) {
    if (settled || (!isReplicated && !isDealt))
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!tileType(operand.get()) || (isReplicated && &operand != &source))
        continue;
      FailureOr<layout::Layout> own =
          isReplicated
              ? replicated(tilegpu::toDims(tileType(operand.get()).getShape()),
                           warps)
              : coalesced(operand.get(), rowMajorOrderOf(operand.get()),
                          layout::Dealing::none);
      if (failed(own))
        return failure();
      operand.set(converted(operand, *own));
      ++conversions;
    }
    settled = resultLayout(result, typedLayout);
  }
  if (!settled)
    return op->emitError() << "no layout of " << result.getType()
                           << " follows from that of its operand";
  if (*settled == tilegpu::layoutOf(result.getType()))
    return conversions;
  setResultLayout(result, *settled);
  return conversions + 1;
}

/// A store or update that would scatter gets a separate layout: the conversion
/// through shared memory costs less. Returns the number of conversions.
FailureOr<unsigned> Assignment::settleStore(tile::ViewAccessOpInterface op) {
  OpOperand &value = *op.getWrittenTile();
  RankedTensorType type = tileType(value.get());
  MemoryOrder memory = memoryOrder(op);
  FailureOr<layout::Layout> own = coalesced(value.get(), memory, dealing);
  if (failed(own))
    return failure();
  int64_t bytes = tilegpu::elementBits(type.getElementType()) / 8;
  if (sectorsPerRegister(tilegpu::layoutOf(type), memory, bytes) <=
      2 * sectorsPerRegister(*own, memory, bytes))
    return 0;
  Value stored = converted(value, *own);
  value.set(stored);
  return isa<tilegpu::ConvertLayoutOp>(stored.getDefiningOp());
}

/// Whether an op does something once for each element: in the thread that owns
/// it.
static bool needsOwners(Operation *op) {
  auto order = dyn_cast<tile::MemoryOrderOpInterface>(op);
  return isa<tile::HistogramOp>(op) ||
         (order && order.getOrder() != tile::MemoryOrder::weak) ||
         (op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
          !isMemoryEffectFree(op) && !hasSingleEffect<MemoryEffects::Read>(op));
}

/// Where threads own an element in some rounds of dealt repeats only, the op
/// gets another layout. Returns the number of conversions.
FailureOr<unsigned> Assignment::settleOwners(Operation *op) {
  unsigned conversions = 0;
  if (!needsOwners(op))
    return conversions;
  auto isMixed = [](Value tile) {
    return tileType(tile) &&
           !tilegpu::layoutOf(tile.getType()).repeats().ownersArePart();
  };
  if (llvm::none_of(op->getOperands(), isMixed) &&
      llvm::none_of(op->getResults(), isMixed))
    return conversions;
  auto ownOf = [&](Value tile) {
    return coalesced(tile, rowMajorOrderOf(tile), layout::Dealing::none);
  };
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tileType(operand.get()))
      continue;
    FailureOr<layout::Layout> own = ownOf(operand.get());
    if (failed(own))
      return failure();
    operand.set(converted(operand, *own));
    ++conversions;
  }
  for (OpResult result : op->getResults()) {
    if (!tileType(result))
      continue;
    FailureOr<layout::Layout> own = ownOf(result);
    if (failed(own))
      return failure();
    setResultLayout(result, *own);
    ++conversions;
  }
  return conversions;
}

FailureOr<unsigned> Assignment::apply() {
  writeTypes();
  SmallVector<Operation *> ops;
  kernel.getBody()->walk([&](Operation *op) { ops.push_back(op); });
  unsigned conversions = 0;
  for (Operation *op : ops) {
    conversions += meetDemands(op);
    auto access = dyn_cast<tile::ViewAccessOpInterface>(op);
    if (access && access.getWrittenTile()) {
      FailureOr<unsigned> stored = settleStore(access);
      if (failed(stored))
        return failure();
      conversions += *stored;
    }
    FailureOr<unsigned> owned = settleOwners(op);
    if (failed(owned))
      return failure();
    conversions += *owned;
    if (!layoutRelation(op).isSettledByOperands)
      continue;
    for (OpResult result : op->getResults()) {
      FailureOr<unsigned> more = settleResult(result);
      if (failed(more))
        return failure();
      conversions += *more;
    }
  }
  return conversions;
}

} // namespace tilewright::gpu
