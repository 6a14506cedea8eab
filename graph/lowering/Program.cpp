//===- Program.cpp - The modules of a lowered graph -----------------------===//
#include "graph/lowering/Program.h"

#include "graph/ir/Graph.h"

using namespace mlir;

namespace tilewright::graph {

SmallVector<tile::TargetAttr> targetsOf(ModuleOp module) {
  SmallVector<tile::TargetAttr> targets;
  if (auto all = module->getAttrOfType<ArrayAttr>(kTargetsAttr))
    for (Attribute each : all)
      if (auto target = dyn_cast<tile::TargetAttr>(each))
        targets.push_back(target);
  return targets;
}

void setTargets(ModuleOp module, ArrayRef<tile::TargetAttr> targets) {
  SmallVector<Attribute> all(targets.begin(), targets.end());
  module->setAttr(kTargetsAttr, ArrayAttr::get(module.getContext(), all));
}

StringRef scheduleKey(tile::TargetAttr target) {
  return target.getName() == "interpreter" ? "cpu" : target.getName();
}

std::map<std::string, int64_t> GroupSchedule::tilingValues() const {
  std::map<std::string, int64_t> values;
  if (tiling)
    for (NamedAttribute parameter : tiling.getParameters())
      if (auto number = dyn_cast<IntegerAttr>(parameter.getValue()))
        values[parameter.getName().str()] = number.getInt();
  return values;
}

DictionaryAttr GroupSchedule::toAttribute(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> parts;
  if (tiling)
    parts.push_back(b.getNamedAttr("tiling", tiling));
  if (schedule)
    parts.push_back(b.getNamedAttr("schedule", schedule));
  if (!origin.empty())
    parts.push_back(b.getNamedAttr("origin", b.getStringAttr(origin)));
  return b.getDictionaryAttr(parts);
}

GroupSchedule GroupSchedule::of(DictionaryAttr entry) {
  if (!entry)
    return {};
  auto origin = entry.getAs<StringAttr>("origin");
  return {entry.getAs<tile::ScheduleAttr>("tiling"),
          entry.getAs<tile::ScheduleAttr>("schedule"),
          origin ? origin.str() : ""};
}

static SmallVector<ModuleOp> modulesWith(ModuleOp module, StringRef attribute) {
  SmallVector<ModuleOp> found;
  for (auto inner : module.getOps<ModuleOp>())
    if (inner->hasAttr(attribute))
      found.push_back(inner);
  return found;
}

SmallVector<ModuleOp> kernelModules(ModuleOp module) {
  return modulesWith(module, kTargetsAttr);
}

SmallVector<ModuleOp> userModules(ModuleOp module) {
  return modulesWith(module, kUserKernelsAttr);
}

} // namespace tilewright::graph
