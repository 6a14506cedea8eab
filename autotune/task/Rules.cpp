//===- Rules.cpp - The targets whose schedules can be tuned ---------------===//
#include "autotune/task/Rules.h"

#include "support/Format.h"
#include "tilewright/compiler/Plugins.h"
#include "tilewright/mlir/Registry.h"

using namespace mlir;

namespace tilewright::autotune {

const target::GpuTarget *findGpu(std::string_view name,
                                 const Plugins *plugins) {
  const target::GpuTarget *found = target::findGpuTarget(name);
  return found || !plugins ? found : plugins->registry().findTarget(name);
}

Status notTuned(const std::string &target) {
  return Status::unsupported(
      format("target '{}' cannot be tuned; expected cpu, {}",
             {target, target::gpuTargetNames()}));
}

StatusOr<std::unique_ptr<TargetRules>>
targetRules(const std::string &name, unsigned threads, const Plugins *plugins) {
  if (name == "cpu")
    return cpuRules(threads);
  if (const target::GpuTarget *gpu = findGpu(name, plugins))
    return gpuRules(*gpu);
  return notTuned(name);
}

std::vector<ArgumentShape> shapesOf(const TaskKernel &built,
                                    const std::vector<TaskTensor> &tensors) {
  std::vector<ArgumentShape> shapes;
  for (auto [type, argument] : llvm::zip(
           tile::KernelOp(built.kernel).getArgumentTypes(), built.arguments)) {
    ArgumentShape &shape = shapes.emplace_back();
    if (!argument.tensor)
      shape.scalar = argument.scalar;
    else if (isa<tile::ViewType>(type))
      shape.dims = tensors[*argument.tensor].shape;
  }
  // A workspace has no shape.
  shapes.resize(tile::KernelOp(built.kernel).getNumArguments());
  return shapes;
}

} // namespace tilewright::autotune
