//===- ModelFrontends.cpp - All frontends ---------------------------------===//
#include "library/model/import/ModelFrontends.h"

#include "frontends/mlir/Frontends.h"
#include "frontends/onnx/OnnxFrontend.h"
#include "frontends/torch/TorchFrontend.h"
#include "library/model/import/Checkpoint.h"
#include "tilewright/compiler/ModelKind.h"
#include "tilewright/mlir/Registry.h"
#include "llvm/ADT/StringExtras.h"

namespace tilewright {

using frontend::Frontend;

std::vector<const Frontend *> frontendsOf(const Plugins *plugins) {
  static const std::unique_ptr<const Frontend> own[] = {
      onnx::createFrontend(), torch::createFrontend(),
      createTileModuleFrontend(), createGraphModuleFrontend()};
  std::vector<const Frontend *> all;
  if (plugins)
    for (const auto &each : plugins->registry().frontends())
      all.push_back(each.get());
  for (const auto &each : own)
    all.push_back(each.get());
  return all;
}

StatusOr<ModelKind> kindOf(const ModelSource &source, const Plugins *plugins) {
  if (isCheckpoint(source.bytes()))
    return ModelKind{.name = "a model that was stopped at a pass"};
  TILEWRIGHT_ASSIGN_OR_RETURN(const Frontend *found,
                              choose(frontendsOf(plugins), source));
  return ModelKind{std::string(found->name()), found->isForKernels(),
                   !found->isForKernels(), found->takesPatterns(),
                   found->takesShapes()};
}

std::string kindsWithPatterns(const Plugins *plugins) {
  std::vector<std::string_view> names;
  for (const Frontend *each : frontendsOf(plugins))
    if (each->takesPatterns())
      names.push_back(each->name());
  return llvm::join(names, " or ");
}

} // namespace tilewright
