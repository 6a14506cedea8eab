//===- TargetKernels.cpp - The kernels of a program, by target ------------===//
#include "library/model/TargetKernels.h"

#include "graph/ir/Graph.h"
#include "graph/lowering/Program.h"

using namespace mlir;

namespace tilewright {

std::vector<TargetKernels> findTargetKernels(const ModelProgram &program) {
  std::vector<TargetKernels> kernelsByTarget;
  for (ModuleOp module : graph::kernelModules(program.module())) {
    TargetKernels &targetKernels = kernelsByTarget.emplace_back();
    for (tile::TargetAttr target : graph::targetsOf(module))
      targetKernels.targets.push_back(target.getName().str());
    llvm::append_range(targetKernels.kernels, module.getOps<tile::KernelOp>());
    for (ModuleOp given : graph::userModules(program.module()))
      llvm::append_range(targetKernels.kernels, given.getOps<tile::KernelOp>());
    if (auto origins =
            module->getAttrOfType<DictionaryAttr>(graph::kOriginsAttr))
      for (NamedAttribute origin : origins)
        targetKernels.origins[origin.getName().str()] =
            cast<StringAttr>(origin.getValue()).str();
  }
  return kernelsByTarget;
}

Status checkOnlyKernel(const ModelSession &session,
                       const TargetKernels &targetKernels) {
  const std::string &wanted = session.options.onlyKernel;
  if (wanted.empty())
    return Status(); // A model may have no kernel at all.
  std::string names;
  for (tile::KernelOp kernel : targetKernels.kernels) {
    if (kernel.getSymName() == wanted)
      return Status();
    names += (names.empty() ? "" : ", ") + kernel.getSymName().str();
  }
  return Status::notFound(session.name() + ": there is no kernel '" + wanted +
                          "'\n  the kernels are " + names);
}

void addOrigins(const std::vector<TargetKernels> &kernelsByTarget,
                runtime::PackageManifest &manifest) {
  for (const TargetKernels &targetKernels : kernelsByTarget)
    for (const std::string &target : targetKernels.targets)
      for (const auto &[kernel, origin] : targetKernels.origins)
        if (target != "interpreter")
          manifest.metadata["tuning." + target + "." + kernel] = origin;
}

} // namespace tilewright
