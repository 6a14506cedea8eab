//===- AssignLayouts.cpp - Gives each tile a layout -----------------------===//
#include "codegen/transforms/LayoutAssignment.h"
#include "codegen/transforms/LayoutProposals.h"
#include "codegen/transforms/Passes.h"
#include "codegen/transforms/Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "codegen/transforms/Passes.h.inc"

namespace {
/// The layouts of one kernel's tiles, before they are written into types.
class Assignment {
public:
  Assignment(tile::KernelOp kernel, const schedule::GpuSchedule &schedule)
      : kernel(kernel), proposals(kernel, schedule), classes(kernel),
        prices(classes, schedule.vectorBits) {}

  /// Chooses a layout for every tile.
  LogicalResult choose();
  /// What was chosen, before it is applied.
  std::string explain() { return assignment->explain(); }
  /// Writes them into the types and meets the demands of each op. Returns the
  /// number of conversions.
  unsigned apply();

private:
  void takeLayouts();
  void writeTypes();
  Value madeAgain(Value tile, const layout::Layout &layout);
  Value converted(OpOperand &operand, const layout::Layout &layout);
  std::optional<layout::Layout> demandOf(OpOperand &operand);
  unsigned meetDemands(Operation *op);
  unsigned settleResults(Operation *op);

  tile::KernelOp kernel;
  LayoutProposals proposals;
  LayoutClasses classes;
  LayoutPrices prices;
  std::optional<LayoutAssignment> assignment;
  DenseMap<Value, layout::Layout> layouts;
};

struct AssignLayouts : impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;
  void runOnOperation() override {
    FailureOr<schedule::GpuSchedule> schedule = scheduleOf(getOperation());
    if (failed(schedule))
      return signalPassFailure();
    Assignment assignment(getOperation(), *schedule);
    if (failed(assignment.choose()))
      return signalPassFailure();
    const std::string explanation = explain ? assignment.explain() : "";
    numConversions += assignment.apply();
    OpBuilder builder(&getContext());
    if (explain)
      getOperation()->setAttr(tilegpu::TileGpuDialect::kLayoutsAttr,
                              builder.getStringAttr(explanation));
    getOperation()->setAttr(tilegpu::TileGpuDialect::kWarpsAttr,
                            builder.getI64IntegerAttr(schedule->warps));
  }
};
} // namespace

//===--- Choosing ---------------------------------------------------------===//

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

LogicalResult Assignment::choose() {
  if (failed(checkConstants(kernel)) || failed(proposals.propose(classes)))
    return failure();
  assignment.emplace(classes, prices);
  takeLayouts();
  return success();
}

//===--- Applying ---------------------------------------------------------===//

/// Those of classes; what is made again has that of its first use.
void Assignment::takeLayouts() {
  SmallVector<Value> free;
  auto take = [&](Value tile) {
    if (!tileType(tile))
      return;
    if (std::optional<unsigned> index = classes.classOf(tile))
      layouts.insert({tile, classes[assignment->layoutOf(*index)]});
    else
      free.push_back(tile);
  };
  kernel.getBody()->walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        take(argument);
    for (Value result : op->getResults())
      take(result);
  });
  for (Value tile : free) {
    for (OpOperand &use : tile.getUses())
      if (std::optional<layout::Layout> layout = demandOf(use)) {
        layouts.insert({tile, *layout});
        break;
      }
    if (!layouts.contains(tile))
      layouts.insert({tile, proposals.rowMajor(tile)});
  }
}

void Assignment::writeTypes() {
  for (auto &[value, layout] : layouts) {
    RankedTensorType type = tilegpu::withLayout(tileType(value), layout);
    value.setType(type);
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(
          cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  }
}

/// The tile with another layout, made beside the first one.
Value Assignment::madeAgain(Value tile, const layout::Layout &layout) {
  if (tile.getType() == tilegpu::withLayout(tileType(tile), layout))
    return tile;
  Operation *op = tile.getDefiningOp();
  const RankedTensorType type = tilegpu::withLayout(tileType(tile), layout);
  IRMapping operands;
  if (!layoutRelation(op).isFree && isMadeOfOperands(op))
    for (OpOperand &operand : op->getOpOperands())
      if (tileType(operand.get())) {
        auto wanted = operandLayoutFor(operand, layout);
        operands.map(operand.get(),
                     madeAgain(beforeConversions(operand.get()), *wanted));
      }
  OpBuilder builder(op);
  Operation *again = builder.clone(*op, operands);
  again->getResult(0).setType(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(again))
    constant.setValueAttr(
        cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  return again->getResult(0);
}

Value Assignment::converted(OpOperand &operand, const layout::Layout &layout) {
  Value tile = operand.get();
  RankedTensorType type = tilegpu::withLayout(tileType(tile), layout);
  Operation *user = operand.getOwner();
  Operation *before = hoistedBefore(tile, user);
  OpBuilder builder(before ? before : user);
  Operation *op = tile.getDefiningOp();
  if (op &&
      (layoutRelation(op).isFree ||
       prices.isMadeAgain(tile, classes.idOf(tilegpu::layoutOf(tile.getType())),
                          classes.idOf(layout))))
    return madeAgain(tile, layout);
  return tilegpu::ConvertLayoutOp::create(builder, user->getLoc(), type, tile);
}

/// The layout that was chosen for a use; nothing where any will do.
std::optional<layout::Layout> Assignment::demandOf(OpOperand &operand) {
  std::optional<unsigned> index = classes.consumerOf(operand);
  if (!index)
    return std::nullopt;
  auto id = classes.demanded(*index, assignment->candidateOf(*index), operand);
  return id ? std::optional(classes[*id]) : std::nullopt;
}

/// Converts operands where the op demands another layout. Returns the number
/// of conversions.
unsigned Assignment::meetDemands(Operation *op) {
  unsigned conversions = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tileType(operand.get()))
      continue;
    std::optional<layout::Layout> demanded = demandOf(operand);
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

/// Where another layout than the chosen one follows from the operands', sets
/// that and converts the result. Returns the number of conversions.
unsigned Assignment::settleResults(Operation *op) {
  unsigned conversions = 0;
  if (!layoutRelation(op).isSettledByOperands)
    return conversions;
  for (OpResult result : op->getResults()) {
    std::optional<layout::Layout> settled = resultLayout(result, typedLayout);
    if (!settled || *settled == tilegpu::layoutOf(result.getType()))
      continue;
    setResultLayout(result, *settled);
    ++conversions;
  }
  return conversions;
}

unsigned Assignment::apply() {
  writeTypes();
  SmallVector<Operation *> ops;
  kernel.getBody()->walk([&](Operation *op) { ops.push_back(op); });
  unsigned conversions = 0;
  for (Operation *op : ops)
    conversions += meetDemands(op) + settleResults(op);
  return conversions;
}

} // namespace tilewright::tilegpu
