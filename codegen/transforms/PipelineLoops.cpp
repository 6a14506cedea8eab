//===- PipelineLoops.cpp - Which loads start early ------------------------===//
#include "codegen/tilegpu/GpuTargets.h"
#include "codegen/tilegpu/Rings.h"
#include "codegen/transforms/Passes.h"
#include "codegen/transforms/Pipeliner.h"
#include "codegen/transforms/Schedules.h"
#include "codegen/transforms/SharedTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "support/Format.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_PIPELINELOOPS
#include "codegen/transforms/Passes.h.inc"

/// The most stages that are chosen; a schedule may ask for more.
static constexpr int64_t mostStages = 4;

namespace {
struct PipelineLoops : impl::PipelineLoopsBase<PipelineLoops> {
  void runOnOperation() override;

private:
  /// Returns why not; empty if it did.
  FailureOr<std::string> pipeline(scf::ForOp loop,
                                  const schedule::GpuSchedule &schedule,
                                  const target::GpuTarget &target);
};

} // namespace

static void explain(Operation *op, const std::string &reason) {
  op->setAttr(TileGpuDialect::kReasonAttr,
              StringAttr::get(op->getContext(), reason));
}

//===--- How many stages --------------------------------------------------===//

/// 32-bit registers of a thread that hold a tile.
static int64_t registersOf(Type type) {
  if (!hasLayout(type))
    return 0;
  auto tile = cast<RankedTensorType>(type);
  return layoutOf(tile).items() * elementBits(tile.getElementType()) / 32;
}

namespace {
/// What a loop's stages cost.
struct StageCost {
  const target::GpuTarget &target;
  target::BlockResources block;
  /// Bytes of one more slot of each ring.
  int64_t bytesOfStage = 0;

  int64_t blocks(int64_t stages) const {
    target::BlockResources resources = block;
    resources.shared += stages * bytesOfStage;
    return target::occupancy(resources, target).blocks;
  }
};
} // namespace

/// Whether memory holds something while `loop` runs.
static bool isLiveIn(AllocOp memory, scf::ForOp loop) {
  bool isBefore = false, isAfter = false;
  for (Operation *user : usersOf(memory)) {
    Operation *beside = loop->getBlock()->findAncestorOpInBlock(*user);
    if (!beside || beside == loop)
      return true;
    isBefore |= beside->isBeforeInBlock(loop);
    isAfter |= loop->isBeforeInBlock(beside);
  }
  return isBefore && isAfter;
}

/// Bytes of the largest tile that a conversion in the loop takes through shared
/// memory; they follow each other.
static FailureOr<int64_t> exchangedBytes(scf::ForOp loop) {
  int64_t bytes = 0;
  WalkResult walk = loop.walk([&](ConvertLayoutOp op) {
    FailureOr<SharedType> memory = memoryOf(op);
    if (succeeded(memory) && *memory)
      bytes = std::max(bytes, memory->getBytes());
    return WalkResult(memory);
  });
  return walk.wasInterrupted() ? FailureOr<int64_t>() : bytes;
}

static FailureOr<StageCost> stageCost(scf::ForOp loop, EarlyLoads &loads,
                                      const schedule::GpuSchedule &schedule,
                                      const target::GpuTarget &target) {
  // What a thread needs besides what the loop carries: fragments, addresses.
  constexpr int64_t otherRegisters = 48;
  StageCost cost{target, {.threads = schedule.threads()}, 0};
  int64_t registers = otherRegisters;
  for (Value carried : loop.getRegionIterArgs())
    registers += registersOf(carried.getType());
  const int64_t most =
      schedule.maxRegisters ? schedule.maxRegisters : target.threadRegisters;
  cost.block.registers = std::min(registers, most);
  loop->getParentOfType<tile::KernelOp>().walk([&](AllocOp op) {
    if (isLiveIn(op, loop))
      cost.block.shared += op.getType().getBytes();
  });
  for (RingLoad &load : loads.copied) {
    cost.block.shared -= load.memory.getType().getBytes();
    cost.bytesOfStage += load.memory.getType().getSlotStride();
  }
  for (RingLoad &load : loads.throughRegisters)
    cost.block.shared += load.memory.getType().getSlotStride();
  FailureOr<int64_t> exchanged = exchangedBytes(loop);
  if (failed(exchanged))
    return failure();
  cost.block.shared += *exchanged;
  return cost;
}

/// The most stages with which a multiprocessor holds as many blocks as without;
/// two if there are none.
static int64_t chooseStages(const StageCost &cost,
                            std::optional<int64_t> trips) {
  int64_t stages =
      std::max<int64_t>(2, std::min(mostStages, trips.value_or(mostStages)));
  const int64_t blocks = cost.blocks(1);
  while (stages > 2 && cost.blocks(stages) < blocks)
    --stages;
  return stages;
}

//===--- The pass ---------------------------------------------------------===//

/// The candidates of `loop`; the reason of others on each load.
static EarlyLoads candidatesOf(scf::ForOp loop, bool hasAsyncCopies,
                               bool isChosen, std::string &reason) {
  // Tiles in registers are carried beside the loop's own.
  constexpr int64_t mostRegisters = 32;
  EarlyLoads candidates;
  for (Operation &op : llvm::make_filter_range(*loop.getBody(), isLoad)) {
    auto load = cast<tile::ViewAccessOpInterface>(op);
    StatusOr<RingLoad> ring = ringLoad(load, loop, hasAsyncCopies);
    std::string why = ring.ok() ? "" : ring.status().message();
    if (ring.ok() && ring->throughRegisters.empty()) {
      candidates.copied.push_back(*ring);
    } else if (ring.ok() &&
               !(isChosen &&
                 registersOf(load.getTile().getType()) > mostRegisters)) {
      candidates.throughRegisters.push_back(*ring);
      why = "through registers: " + ring->throughRegisters;
    } else if (ring.ok()) {
      why = format(
          "not early: {} registers, and {}",
          {registersOf(load.getTile().getType()), ring->throughRegisters});
    } else {
      why = "not early: " + why;
    }
    if (why.empty())
      continue;
    explain(load, why);
    reason = reason.empty() ? why : reason;
  }
  return candidates;
}

static bool usesShared(scf::ForOp loop) {
  return loop.getBody()
      ->walk([](StoreSharedOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

FailureOr<std::string>
PipelineLoops::pipeline(scf::ForOp loop, const schedule::GpuSchedule &schedule,
                        const target::GpuTarget &target) {
  const std::string none = "not pipelined: ";
  std::optional<int64_t> trips;
  if (std::optional<APInt> count = loop.getStaticTripCount())
    trips = count->getSExtValue();
  const bool isIndexed = loop.getInductionVar().getType().isIndex();
  if (schedule.stages == 1)
    return none + "stages=1";
  if (trips && *trips <= 1)
    return none + "it runs once";
  // What is added to a counter of few bits may overflow.
  if (!isIndexed)
    return none + "its counter is no index";
  const bool isChosen = schedule.stages == 0;
  std::string reason;
  EarlyLoads loads =
      candidatesOf(loop, target.hasAsyncCopies(), isChosen, reason);
  if (loads.empty())
    return none + reason;
  FailureOr<StageCost> cost = stageCost(loop, loads, schedule, target);
  if (failed(cost))
    return failure();
  const int64_t stages =
      isChosen ? chooseStages(*cost, trips) : int64_t(schedule.stages);
  if (isChosen && cost->blocks(stages) == 0)
    return none + format("{} slots of {} B do not fit beside {} B",
                         {stages, cost->bytesOfStage, cost->block.shared});
  ++numPipelined;
  std::string made = loads.copied.empty()
                         ? "loads one iteration ahead"
                         : format("{} stages, {} B in rings",
                                  {stages, stages * cost->bytesOfStage});
  made += format(": {} blocks on a multiprocessor", {cost->blocks(stages)});
  explain(pipelineLoop(loop, std::move(loads), stages), made);
  return std::string();
}

void PipelineLoops::runOnOperation() {
  tile::KernelOp kernel = getOperation();
  auto module = kernel->getParentOfType<ModuleOp>();
  if (!module->hasAttr(tile::TileDialect::kTargetAttr))
    return;
  FailureOr<schedule::GpuSchedule> schedule = scheduleOf(kernel);
  FailureOr<target::GpuTarget> target = gpuOf(module);
  if (failed(schedule) || failed(target))
    return signalPassFailure();
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    if (llvm::none_of(*loop.getBody(), isLoad) || !usesShared(loop))
      continue;
    // A loop that is pipelined is another op afterwards.
    FailureOr<std::string> reason = pipeline(loop, *schedule, *target);
    if (failed(reason))
      return signalPassFailure();
    if (!reason->empty())
      explain(loop, *reason);
  }
}

} // namespace tilewright::tilegpu
