//===- CpuRules.cpp - What a CPU adds to the parameters -------------------===//
#include "autotune/cost/EstimateCpu.h"
#include "autotune/task/Rules.h"
#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/mlir/Compile.h"

using namespace mlir;

namespace tilewright::autotune {

namespace {
class CpuRules : public TargetRules {
public:
  explicit CpuRules(unsigned threads) {
    if (threads > 0)
      machine.cores = std::min(machine.cores, threads);
  }
  graph::TileLimits tileLimits() const override {
    return graph::TileLimits::cpu(target.threads);
  }
  std::vector<Parameter> parameters(tile::KernelOp kernel) const override;
  StatusOr<std::map<std::string, int64_t>>
  tunables(const std::string &schedule) const override {
    return tunablesIn<schedule::CpuSchedule>(schedule);
  }
  StatusOr<std::unique_ptr<KernelModel>>
  model(TaskKernel built,
        const std::vector<TaskTensor> &tensors) const override;
  StatusOr<double> costOf(const TaskKernel &, const std::vector<TaskTensor> &,
                          const std::string &,
                          const runtime::LaunchCounters &) const override {
    return Status::unsupported("kernels for the cpu have a time, and no cost "
                               "by counters; expected a GPU's target");
  }
  size_t rankedPoints() const override { return 2048; }
  StatusOr<KernelImage> compile(tile::KernelOp kernel,
                                const std::string &schedule) const override;
  StatusOr<std::string> codePart(const std::string &schedule) const override;
  Status relaunch(KernelImage &image,
                  const std::string &schedule) const override;

private:
  cpu::CpuTarget target = cpu::hostTarget();
  CpuMachine machine = hostMachine(target.cpu);
};

class CpuModel : public KernelModel {
public:
  CpuModel(Work work, const cpu::CpuTarget &target, const CpuMachine &machine)
      : work(std::move(work)), target(target), machine(machine) {}
  StatusOr<Estimate> estimate(const std::string &schedule) override {
    TILEWRIGHT_ASSIGN_OR_RETURN(schedule::CpuSchedule parsed,
                                schedule::CpuSchedule::parse(schedule));
    return estimateCpu(work, parsed, target, machine);
  }

private:
  Work work;
  const cpu::CpuTarget &target;
  const CpuMachine &machine;
};
} // namespace

/// 0 lets the compiler choose a parameter.
std::vector<Parameter> CpuRules::parameters(tile::KernelOp kernel) const {
  std::vector<Parameter> parameters;
  // One thread runs all programs in order, whatever the chunk size.
  if (machine.cores > 1)
    parameters = {{"chunk", {0, 1, 2, 4, 8, 16}, 0}, {"threads", {0, 1}, 0}};
  bool hasDot = false;
  kernel.walk([&](tile::ContractionOpInterface) { hasDot = true; });
  if (!hasDot)
    return parameters;
  parameters.push_back({"rows", {0, 2, 3, 4, 5, 6, 8, 10, 12, 14}, 0});
  parameters.push_back({"vectors", {0, 1, 2, 3, 4, 5, 6}, 0});
  parameters.push_back({"unroll", {0, 2, 4, 8}, 0});
  parameters.push_back({"packlhs", {0, 1, 2}, 0});
  parameters.push_back({"packrhs", {0, 1, 2}, 0});
  parameters.push_back({"order", {0, 1}, 0});
  return parameters;
}

StatusOr<std::unique_ptr<KernelModel>>
CpuRules::model(TaskKernel built,
                const std::vector<TaskTensor> &tensors) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Work work, analyzeWork(built.kernel, shapesOf(built, tensors)));
  return std::unique_ptr<KernelModel>(
      std::make_unique<CpuModel>(std::move(work), target, machine));
}

StatusOr<KernelImage> CpuRules::compile(tile::KernelOp kernel,
                                        const std::string &schedule) const {
  CompileOptions options;
  TILEWRIGHT_ASSIGN_OR_RETURN(options.cpuSchedule,
                              schedule::CpuSchedule::parse(schedule));
  return tilewright::compile(kernel, target, options);
}

StatusOr<std::string> CpuRules::codePart(const std::string &schedule) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(schedule::CpuSchedule parsed,
                              schedule::CpuSchedule::parse(schedule));
  parsed.chunk = parsed.threads = 0;
  return parsed.text();
}

Status CpuRules::relaunch(KernelImage &image,
                          const std::string &schedule) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(schedule::CpuSchedule parsed,
                              schedule::CpuSchedule::parse(schedule));
  image.manifest.chunk = parsed.chunk;
  image.manifest.threads = parsed.threads;
  return Status();
}

std::unique_ptr<TargetRules> cpuRules(unsigned threads) {
  return std::make_unique<CpuRules>(threads);
}

} // namespace tilewright::autotune
