#include "codegen/gpu/TileGpu.h"
#include "codegen/transforms/Passes.h"
#include "codegen/transforms/Schedules.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/codegen/CpuSchedule.h"

using namespace mlir;

namespace tilewright::gpu {

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

schedule::KernelWork workOf(tile::KernelOp kernel) {
  schedule::KernelWork work;
  int64_t bytes = 0;
  kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<RankedTensorType>(type);
      if (!tile)
        continue;
      // Indices and pointers are made of a few for a row, or of offsets that
      // are constants.
      if (isa<IndexType, tile::PtrType>(tile.getElementType()))
        continue;
      int64_t width = tilegpu::elementBits(tile.getElementType()) / 8;
      if (tile.getNumElements() * width > bytes) {
        work.largestTile = tile.getNumElements();
        work.elementBytes = width;
        bytes = work.largestTile * width;
      }
      if (auto combining = dyn_cast<tile::CombiningOpInterface>(op))
        addFibers(work, combining);
      if (isa<tile::ContractionOpInterface>(op))
        work.largestDot = std::max(work.largestDot, tile.getNumElements());
    }
  });
  return work;
}

template <typename Schedule>
static FailureOr<Schedule> parse(Operation *kernel, StringRef text) {
  StatusOr<Schedule> schedule = Schedule::parse(text);
  if (!schedule.ok())
    return kernel->emitError(schedule.status().message());
  return *std::move(schedule);
}

FailureOr<schedule::GpuSchedule> scheduleOf(Operation *kernel) {
  auto chosen = kernel->getAttrOfType<tile::ScheduleAttr>(
      tile::TileDialect::kScheduleAttr);
  return parse<schedule::GpuSchedule>(kernel, chosen ? chosen.getText() : "");
}

namespace {
struct AssignSchedules : impl::AssignSchedulesBase<AssignSchedules> {
  using AssignSchedulesBase::AssignSchedulesBase;

  /// The schedule's text, complete for a GPU; tunables are bound before.
  FailureOr<std::string> choose(tile::KernelOp kernel, bool isCpu) {
    if (isCpu) {
      auto given = parse<schedule::CpuSchedule>(kernel, schedule);
      if (failed(given))
        return failure();
      given->tunables.clear();
      return given->text();
    }
    if (schedule.empty())
      return schedule::defaultSchedule(workOf(kernel)).schedule.text();
    auto given = parse<schedule::GpuSchedule>(kernel, schedule);
    if (failed(given))
      return failure();
    given->tunables.clear();
    return given->text();
  }

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (schedule.empty() && kernel->hasAttr(tile::TileDialect::kScheduleAttr))
      return;
    auto target = kernel->getParentOp()->getAttrOfType<tile::TargetAttr>(
        tile::TileDialect::kTargetAttr);
    FailureOr<std::string> text =
        choose(kernel, target && target.getName() == "cpu");
    if (failed(text))
      return signalPassFailure();
    kernel->setAttr(tile::TileDialect::kScheduleAttr,
                    tile::ScheduleAttr::fromText(&getContext(), *text));
  }
};
} // namespace

} // namespace tilewright::gpu
