//===- GpuRules.cpp - What a GPU adds to the parameters -------------------===//
#include "autotune/cost/EstimateGpu.h"
#include "autotune/task/CountedWork.h"
#include "autotune/task/Rules.h"
#include "codegen/schedule/ScheduleText.h"
#include "codegen/transforms/Instructions.h"
#include "support/Format.h"
#include "tilewright/mlir/Compile.h"

using namespace mlir;

namespace tilewright::autotune {

/// The GPU by which schedules for `target` are modelled: where it has no row of
/// its own, as a plug-in's, the one of the nearest compute capability that is
/// not above its own, else the first.
static const GpuMachine &machineFor(const target::GpuTarget &target) {
  if (const GpuMachine *own = gpuMachineFor(target.name))
    return *own;
  const GpuMachine *nearest = nullptr;
  for (const target::GpuTarget &known : target::gpuTargets()) {
    const GpuMachine *machine = gpuMachineFor(known.name);
    if (machine && (!nearest || std::pair(known.major, known.minor) <=
                                    std::pair(target.major, target.minor)))
      nearest = machine;
  }
  return *nearest;
}

namespace {
class GpuRules : public TargetRules {
public:
  explicit GpuRules(const target::GpuTarget &target) : target(target) {}
  graph::TileLimits tileLimits() const override {
    if (!target.matrixProducts || !target.multiprocessors)
      return graph::TileLimits::gpu({});
    return graph::TileLimits::gpu(
        graph::MatrixUnit{target.multiprocessors, target.matrixProducts,
                          target.multiprocessorShared});
  }
  std::vector<Parameter> parameters(tile::KernelOp kernel) const override;
  StatusOr<std::map<std::string, int64_t>>
  tunables(const std::string &schedule) const override {
    return tunablesIn<schedule::GpuSchedule>(schedule);
  }
  StatusOr<std::unique_ptr<KernelModel>>
  model(TaskKernel built,
        const std::vector<TaskTensor> &tensors) const override;
  StatusOr<double>
  costOf(const TaskKernel &built, const std::vector<TaskTensor> &tensors,
         const std::string &schedule,
         const runtime::LaunchCounters &counters) const override;
  // An estimate schedules the kernel, in 1 to 5 milliseconds.
  size_t rankedPoints() const override { return 512; }
  StatusOr<KernelImage> compile(tile::KernelOp kernel,
                                const std::string &schedule) const override;
  StatusOr<std::string> codePart(const std::string &schedule) const override {
    return schedule;
  }
  Status relaunch(KernelImage &, const std::string &) const override {
    return Status();
  }

private:
  const target::GpuTarget &target;
};

class GpuModel : public KernelModel {
public:
  GpuModel(TaskKernel built, std::vector<ArgumentShape> shapes,
           const target::GpuTarget &target)
      : built(std::move(built)), shapes(std::move(shapes)), target(target) {}
  StatusOr<Estimate> estimate(const std::string &schedule) override {
    TILEWRIGHT_ASSIGN_OR_RETURN(schedule::GpuSchedule parsed,
                                schedule::GpuSchedule::parse(schedule));
    return estimateGpu(built.kernel, shapes, parsed, target,
                       machineFor(target));
  }

private:
  TaskKernel built;
  std::vector<ArgumentShape> shapes;
  const target::GpuTarget &target;
};
} // namespace

/// The values of `instruction` that differ for the contractions of a kernel:
/// the default, FMA, and each matrix instruction that all take and the default
/// does not. None where all are FMA in any case.
static std::vector<int64_t> instructionsFor(tile::KernelOp kernel,
                                            const target::GpuTarget &target) {
  SmallVector<tile::ContractionOpInterface> dots;
  kernel.walk([&](tile::ContractionOpInterface op) { dots.push_back(op); });
  auto chosenOf = [&](tile::ContractionOpInterface op) {
    return tilegpu::chooseInstruction(op, target).instruction;
  };
  if (llvm::none_of(dots, chosenOf))
    return {};
  std::vector<int64_t> values;
  for (int64_t value = 0; !schedule::instructionName(value).empty(); ++value) {
    const target::MatrixInstruction *instruction =
        target::findMatrixInstruction(schedule::instructionName(value));
    auto takes = [&](tile::ContractionOpInterface op) {
      return tilegpu::chooseInstruction(op, target, instruction).instruction;
    };
    auto isDefault = [&](tile::ContractionOpInterface op) {
      return chosenOf(op) == instruction;
    };
    if (!instruction ||
        (llvm::all_of(dots, takes) && !llvm::all_of(dots, isDefault)))
      values.push_back(value);
  }
  return values;
}

std::vector<Parameter> GpuRules::parameters(tile::KernelOp kernel) const {
  // What the default chooses is always one of the values.
  auto parameter = [](const char *name, std::vector<int64_t> values,
                      int64_t chosen) {
    if (!llvm::is_contained(values, chosen))
      values.insert(llvm::lower_bound(values, chosen), chosen);
    auto at = llvm::find(values, chosen) - values.begin();
    return Parameter{name, std::move(values), size_t(at)};
  };
  schedule::GpuSchedule chosen = defaultSchedule(kernel, target).schedule;
  std::vector<Parameter> parameters = {
      parameter("warps", {1, 2, 4, 8, 16, 32}, chosen.warps),
      parameter("vector_bits", {32, 64, 128}, chosen.vectorBits),
      parameter("min_blocks", {0, 2, 4}, chosen.minBlocks),
      parameter("persistent", {0, 1, 2}, chosen.persistent)};
  if (tile::KernelOp(kernel).getGridRank() > 1)
    parameters.push_back(parameter("group", {0, 4, 8}, chosen.group));
  // Loops that contract read shared memory, which copies can fill ahead.
  bool contracts = false;
  kernel.walk([&](tile::ContractionOpInterface) { contracts = true; });
  if (contracts)
    parameters.push_back(parameter("stages", {0, 1, 2, 3, 4}, chosen.stages));
  if (auto values = instructionsFor(kernel, target); !values.empty()) {
    parameters.push_back(
        parameter("instruction", std::move(values), chosen.instruction));
    parameters.back().nameOf = schedule::instructionName;
  }
  return parameters;
}

StatusOr<std::unique_ptr<KernelModel>>
GpuRules::model(TaskKernel built,
                const std::vector<TaskTensor> &tensors) const {
  std::vector<ArgumentShape> shapes = shapesOf(built, tensors);
  return std::unique_ptr<KernelModel>(
      std::make_unique<GpuModel>(std::move(built), std::move(shapes), target));
}

StatusOr<double>
GpuRules::costOf(const TaskKernel &built,
                 const std::vector<TaskTensor> &tensors,
                 const std::string &schedule,
                 const runtime::LaunchCounters &counters) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(schedule::GpuSchedule parsed,
                              schedule::GpuSchedule::parse(schedule));
  const GpuMachine &machine = machineFor(target);
  TILEWRIGHT_ASSIGN_OR_RETURN(
      GpuPlan plan,
      planGpu(built.kernel, shapesOf(built, tensors), parsed, target, machine));
  takeCounted(plan.work, counters);
  spillRegisters(plan.work, target.threadRegisters);
  Estimate estimate = estimateGpu(plan, target, machine);
  if (estimate.rejection)
    return Status::resourceExhausted(
        format("the schedule does not fit {}: {}, {}",
               {machine.name, estimate.rejection->resource,
                estimate.rejection->reason}));
  return estimate.nanoseconds;
}

StatusOr<KernelImage> GpuRules::compile(tile::KernelOp kernel,
                                        const std::string &schedule) const {
  CompileOptions options;
  TILEWRIGHT_ASSIGN_OR_RETURN(options.schedule,
                              schedule::GpuSchedule::parse(schedule));
  return tilewright::compile(kernel, target, options);
}

std::unique_ptr<TargetRules> gpuRules(const target::GpuTarget &target) {
  return std::make_unique<GpuRules>(target);
}

} // namespace tilewright::autotune
