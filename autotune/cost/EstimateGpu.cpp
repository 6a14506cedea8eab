//===- EstimateGpu.cpp - What a schedule costs on a GPU -------------------===//
#include "autotune/cost/EstimateGpu.h"

#include "autotune/cost/Metrics.h"
#include "autotune/cost/Traffic.h"
#include "support/Format.h"
#include "tilewright/mlir/Compile.h"

using namespace mlir;

namespace tilewright::autotune {

static constexpr GpuMachine machines[] = {
#define GPU_MACHINE(TARGET, NAME, MULTIPROCESSORS, CLOCK, FMAS, MEMORY, L2,    \
                    L2_SPEED)                                                  \
  {TARGET, NAME, MULTIPROCESSORS, CLOCK, FMAS, MEMORY, L2, L2_SPEED},
#include "autotune/cost/GpuMachines.inc"
#undef GPU_MACHINE
};

const GpuMachine *gpuMachineFor(std::string_view target) {
  for (const GpuMachine &machine : machines)
    if (machine.target == target)
      return &machine;
  return nullptr;
}

/// A block's requirement that the target does not meet.
static std::optional<Rejection> rejectBlock(const GpuWork &work,
                                            const target::GpuTarget &target) {
  int64_t threads = work.warps * target.warpSize;
  if (threads > target.blockThreads)
    return Rejection{"threads", format("a block of {} threads of {}",
                                       {threads, target.blockThreads})};
  if (work.shared > target.blockShared())
    return Rejection{
        "shared memory",
        format("{} B of {} B", {threeDigits(double(work.shared)),
                                threeDigits(double(target.blockShared()))})};
  if (work.registers > int64_t(target.threadRegisters))
    return Rejection{"registers",
                     format("the tiles of a thread need {} registers of {}",
                            {work.registers, target.threadRegisters})};
  return std::nullopt;
}

namespace {
/// How programs come to the multiprocessors.
struct Spread {
  /// Programs that one holds at once, multiprocessors with any, and rounds, the
  /// last of which may be partly filled.
  double held = 1, used = 1, rounds = 1, evenRounds = 1;
  std::string reason;
};
} // namespace

static Spread spreadOf(const GpuWork &work, const target::GpuTarget &target,
                       const GpuMachine &machine) {
  target::BlockResources block;
  block.threads = work.warps * target.warpSize;
  block.shared = work.shared;
  block.registers = std::min<int64_t>(work.registers + work.otherRegisters,
                                      target.threadRegisters);
  target::Occupancy occupancy = target::occupancy(block, target);
  Spread spread;
  double programs = double(std::max<int64_t>(1, work.programs));
  spread.held = std::max<double>(1, double(occupancy.blocks));
  spread.used = std::min(machine.multiprocessors, programs);
  spread.evenRounds =
      std::max(1.0, programs / (machine.multiprocessors * spread.held));
  spread.rounds = std::ceil(programs / (machine.multiprocessors * spread.held));
  spread.reason =
      format("{} blocks a multiprocessor ({}), {} rounds on {}",
             {threeDigits(spread.held), target::limitName(occupancy.limit),
              threeDigits(spread.rounds), machine.name});
  return spread;
}

Estimate estimateGpu(const GpuPlan &plan, const target::GpuTarget &target,
                     const GpuMachine &machine, std::string_view without) {
  const GpuWork &work = plan.work;
  Estimate estimate;
  if ((estimate.rejection = rejectBlock(work, target)))
    return estimate;
  Spread spread = spreadOf(work, target, machine);
  auto perMultiprocessor = [&](double count, double perCycle) {
    return count / spread.used / perCycle / machine.gigahertz;
  };
  auto term = [&](std::string_view name, double time, std::string reason) {
    estimate.terms.push_back({std::string(name), time, std::move(reason)});
    return name == without ? 0 : time;
  };
  double largest = 0;
  auto bounding = [&](std::string_view name, double time, std::string reason) {
    largest = std::max(largest, term(name, time, std::move(reason)));
  };
  bounding("compute", perMultiprocessor(work.products * 32, machine.fmas),
           threeDigits(work.products * 64 * 1e-9) + " GFLOP of products");
  if (work.matrixProducts)
    bounding("tensor",
             perMultiprocessor(work.productsOfF16,
                               std::max(1u, target.matrixProducts)),
             threeDigits(work.matrixProducts * 2 * 1e-9) +
                 " GFLOP of matrix instructions");
  bounding("issue", perMultiprocessor(work.slots, 4),
           format("{} slots of warps, 4 a cycle; {} instructions of PTX",
                  {threeDigits(work.slots), threeDigits(work.instructions)}));
  bounding(
      "shared", perMultiprocessor(work.wavefronts, 1),
      format("{} wavefronts of {} accesses",
             {threeDigits(work.wavefronts), threeDigits(work.sharedRequests)}));
  bounding("l2", work.sectors * 32 / machine.l2Speed,
           format("{} sectors at {} GB/s",
                  {threeDigits(work.sectors), threeDigits(machine.l2Speed)}));
  bounding("dram", plan.bytes / machine.memory,
           format("{} at {} GB/s",
                  {inBytes(plan.bytes), threeDigits(machine.memory)}));
  bounding("latency", work.chain * spread.evenRounds / machine.gigahertz,
           format("{} cycles in turn a program, {} barriers",
                  {threeDigits(work.chain),
                   threeDigits(work.barriers / double(work.warps) /
                               double(std::max<int64_t>(1, work.programs)))}));
  double tail = largest * (spread.rounds / spread.evenRounds - 1);
  // Where each multiprocessor has at most one round, programs still divide
  // among them in whole numbers.
  double programs = double(std::max<int64_t>(1, work.programs));
  double whole = std::ceil(programs / machine.multiprocessors) /
                 std::max(1.0, programs / machine.multiprocessors);
  if (spread.rounds <= 1)
    tail = largest * (whole - 1);
  tail = term("tail", tail, spread.reason);
  double launch = term("overhead", machine.launch, "one launch");
  estimate.nanoseconds = largest + tail + launch;
  estimate.roofline = {work.products * 64 + work.matrixProducts * 2, plan.bytes,
                       2 * machine.fmas * machine.multiprocessors *
                           machine.gigahertz * 1e9,
                       machine.memory * 1e9};
  if (work.isGuess)
    estimate.terms.front().reason +=
        "; loops whose trips are not known are taken to make " +
        threeDigits(LoopNest::guessedTrips);
  return estimate;
}

StatusOr<GpuPlan> planGpu(tile::KernelOp kernel,
                          std::span<const ArgumentShape> arguments,
                          const schedule::GpuSchedule &schedule,
                          const target::GpuTarget &target,
                          const GpuMachine &machine) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Work tiles, analyzeWork(kernel, arguments));
  TimingScope untimed;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      OwningOpRef<ModuleOp> module,
      scheduleForGpu(kernel, target, schedule, untimed));
  GpuPlan plan;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      plan.work,
      analyzeGpuWork(*module->getOps<tile::KernelOp>().begin(), arguments));
  // Programs that run at once share what one of them has fetched.
  plan.bytes = fetchedBytes(tiles, machine.l2 * 1e6 * 0.7);
  return plan;
}

StatusOr<Estimate> estimateGpu(tile::KernelOp kernel,
                               std::span<const ArgumentShape> arguments,
                               const schedule::GpuSchedule &schedule,
                               const target::GpuTarget &target,
                               const GpuMachine &machine) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      GpuPlan plan, planGpu(kernel, arguments, schedule, target, machine));
  return estimateGpu(plan, target, machine);
}

} // namespace tilewright::autotune
