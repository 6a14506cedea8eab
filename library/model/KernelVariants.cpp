//===- KernelVariants.cpp - The kernels of a program, by target -----------===//
#include "library/model/KernelVariants.h"

#include "graph/ir/Graph.h"
#include "graph/lowering/Program.h"

using namespace mlir;

namespace tilewright {

std::vector<KernelVariant> findVariants(const ModelProgram &program) {
  std::vector<KernelVariant> variants;
  for (ModuleOp module : graph::kernelModules(program.module())) {
    KernelVariant &variant = variants.emplace_back();
    for (tile::TargetAttr target : graph::targetsOf(module))
      variant.targets.push_back(target.getName().str());
    llvm::append_range(variant.kernels, module.getOps<tile::KernelOp>());
    for (ModuleOp given : graph::givenModules(program.module()))
      llvm::append_range(variant.kernels, given.getOps<tile::KernelOp>());
    if (auto origins =
            module->getAttrOfType<DictionaryAttr>(graph::kOriginsAttr))
      for (NamedAttribute origin : origins)
        variant.origins[origin.getName().str()] =
            cast<StringAttr>(origin.getValue()).str();
  }
  return variants;
}

Status checkOnlyKernel(const ModelSession &session,
                       const KernelVariant &variant) {
  const std::string &wanted = session.options.onlyKernel;
  if (wanted.empty())
    return Status(); // A model may have no kernel at all.
  std::string names;
  for (tile::KernelOp kernel : variant.kernels) {
    if (kernel.getSymName() == wanted)
      return Status();
    names += (names.empty() ? "" : ", ") + kernel.getSymName().str();
  }
  return Status::notFound(session.name() + ": there is no kernel '" + wanted +
                          "'\n  the kernels are " + names);
}

void addOrigins(const std::vector<KernelVariant> &variants,
                runtime::PackageManifest &manifest) {
  for (const KernelVariant &variant : variants)
    for (const std::string &target : variant.targets)
      for (const auto &[kernel, origin] : variant.origins)
        if (target != "interpreter")
          manifest.metadata["tuning." + target + "." + kernel] = origin;
}

} // namespace tilewright
