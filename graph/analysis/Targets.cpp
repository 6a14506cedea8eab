//===- Targets.cpp - What targets say of themselves -----------------------===//
#include "graph/analysis/Targets.h"

#include "graph/ir/Graph.h"

using namespace mlir;

namespace tilewright::graph {

int64_t factOf(tile::TargetAttr target, StringRef name) {
  DictionaryAttr facts = target.getFacts();
  auto value = facts ? facts.getAs<IntegerAttr>(name) : IntegerAttr();
  return value ? value.getInt() : 0;
}

int64_t matrixProductsOf(tile::TargetAttr target) {
  return factOf(target, "matrix_products");
}

std::string targetWithoutUnits(ModuleOp module) {
  auto targets = module->getAttrOfType<ArrayAttr>(kTargetsAttr);
  if (!targets || targets.empty())
    return "an unknown one";
  for (auto target : targets.getAsRange<tile::TargetAttr>())
    if (matrixProductsOf(target) <= 0)
      return target.getName().str();
  return "";
}

bool isForCpusAlone(ModuleOp module) {
  auto targets = module->getAttrOfType<ArrayAttr>(kTargetsAttr);
  return targets && !targets.empty() &&
         llvm::all_of(
             targets.getAsRange<tile::TargetAttr>(),
             [](tile::TargetAttr target) { return target.getName() == "cpu"; });
}

} // namespace tilewright::graph
