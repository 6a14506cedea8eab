//===- Rules.cpp - The targets whose schedules can be tuned ---------------===//
#include "autotune/task/Rules.h"

using namespace mlir;

namespace tilewright::autotune {

StatusOr<std::unique_ptr<TargetRules>> targetRules(const std::string &name,
                                                   unsigned threads) {
  if (name == "cpu")
    return cpuRules(threads);
  if (const target::GpuTarget *gpu = target::findGpuTarget(name))
    return gpuRules(*gpu);
  return Status::unsupported("target '" + name +
                             "' cannot be tuned; expected cpu, " +
                             target::gpuTargetNames());
}

std::vector<ArgumentShape> shapesOf(const BuiltKernel &built,
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
  return shapes;
}

} // namespace tilewright::autotune
