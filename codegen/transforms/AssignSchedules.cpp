#include "codegen/tilegpu/TileGpu.h"
#include "codegen/transforms/Instructions.h"
#include "codegen/transforms/LayoutRelations.h"
#include "codegen/transforms/Passes.h"
#include "codegen/transforms/Schedules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/codegen/CpuSchedule.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_ASSIGNSCHEDULES
#include "codegen/transforms/Passes.h.inc"

/// What a loop has accumulated is reduced once: that does not count.
static void addFibers(schedule::KernelWork &work,
                      tile::CombiningOpInterface op) {
  if (isa_and_nonnull<scf::ForOp>(op.getInputs()[0].getDefiningOp()))
    return;
  auto tile = cast<RankedTensorType>(op.getInputs()[0].getType());
  if (tile.getNumElements() <= work.fibers * work.fiberElements)
    return;
  work.fiberElements = tile.getDimSize(op.getAxis());
  work.fibers = tile.getNumElements() / work.fiberElements;
}

static bool isExtension(Operation *op) {
  return isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op);
}

/// Adds an operand of matrix instructions, and what it is a renaming of: tiles
/// that copies bring to shared memory.
static void addOperand(Value tile, llvm::DenseSet<Value> &operands) {
  Operation *op = tile.getDefiningOp();
  if (!operands.insert(tile).second || !op ||
      !(isExtension(op) || layoutRelation(op).isRenaming))
    return;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      addOperand(operand, operands);
}

schedule::KernelWork workOf(tile::KernelOp kernel) {
  // A thread copies so many elements of an operand where it works on one of
  // another tile: they need no registers.
  constexpr int64_t operandsAsOne = 4;
  schedule::KernelWork work;
  llvm::DenseSet<Value> operands;
  kernel.walk([&](tile::ContractionOpInterface op) {
    if (!chooseInstruction(op).instruction)
      return;
    work.matrixDot = std::max(
        work.matrixDot,
        cast<RankedTensorType>(op.getAcc().getType()).getNumElements());
    addOperand(op.getLhs(), operands);
    addOperand(op.getRhs(), operands);
  });
  int64_t bytes = 0;
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      auto tile = dyn_cast<RankedTensorType>(result.getType());
      const bool isOperand = operands.contains(result);
      // Extended operands are multiplied as they were before.
      if (!tile || (isOperand && isExtension(op)) || isOpTriviallyDead(op))
        continue;
      // Indices and pointers are made of a few for a row, or of offsets that
      // are constants.
      if (isa<IndexType, tile::PtrType>(tile.getElementType()) ||
          tile.getNumElements() == work.matrixDot)
        continue;
      int64_t width = tilegpu::elementBits(tile.getElementType()) / 8;
      const int64_t elements =
          tile.getNumElements() / (isOperand ? operandsAsOne : 1);
      if (elements * width > bytes) {
        work.largestTile = elements;
        work.elementBytes = width;
        bytes = elements * width;
      }
      if (auto combining = dyn_cast<tile::CombiningOpInterface>(op))
        addFibers(work, combining);
      if (isa<tile::ContractionOpInterface>(op))
        work.largestDot = std::max(work.largestDot, tile.getNumElements());
    }
  });
  return work;
}

FailureOr<schedule::GpuSchedule> scheduleOf(Operation *kernel) {
  auto chosen = kernel->getAttrOfType<tile::ScheduleAttr>(
      tile::TileDialect::kScheduleAttr);
  StatusOr<schedule::GpuSchedule> schedule =
      schedule::GpuSchedule::parse(chosen ? chosen.getText() : "");
  if (!schedule.ok())
    return kernel->emitError(schedule.status().message());
  return *std::move(schedule);
}

/// The schedule's text, complete for a GPU; tunables are bound before.
template <typename Schedule>
static StatusOr<std::string> normalize(std::string_view text) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Schedule schedule, Schedule::parse(text));
  schedule.tunables.clear();
  return schedule.text();
}

namespace {
struct AssignSchedules : impl::AssignSchedulesBase<AssignSchedules> {
  using AssignSchedulesBase::AssignSchedulesBase;

  void assign(StringRef text) {
    getOperation()->setAttr(tile::TileDialect::kScheduleAttr,
                            tile::ScheduleAttr::fromText(&getContext(), text));
  }

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    auto target = kernel->getParentOp()->getAttrOfType<tile::TargetAttr>(
        tile::TileDialect::kTargetAttr);
    const bool isCpu = target && target.getName() == "cpu";
    auto own = kernel->getAttrOfType<tile::ScheduleAttr>(
        tile::TileDialect::kScheduleAttr);
    if (schedule.empty() && !own && !isCpu) {
      schedule::ExplainedSchedule chosen =
          schedule::defaultSchedule(workOf(kernel));
      if (explain)
        kernel->setAttr(tilegpu::TileGpuDialect::kReasonAttr,
                        StringAttr::get(&getContext(), chosen.reason));
      return assign(chosen.schedule.text());
    }
    const bool isOwn = schedule.empty() && own;
    const std::string given = isOwn ? own.getText() : std::string(schedule);
    StatusOr<std::string> text = isCpu
                                     ? normalize<schedule::CpuSchedule>(given)
                                     : normalize<schedule::GpuSchedule>(given);
    if (text.ok())
      return assign(*text);
    if (isOwn)
      return;
    kernel->emitError(text.status().message());
    signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::tilegpu
