//===- ScheduleChoice.cpp - Which schedule a kernel has -------------------===//
#include "library/model/transforms/ScheduleChoice.h"

#include "graph/analysis/Access.h"
#include "graph/analysis/Group.h"
#include "graph/lowering/Outline.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/codegen/GpuSchedule.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright {

bool hasParameters(graph::GroupOp group) {
  return !llvm::all_of(group.getResultTypes(), graph::isEmptyTensor) &&
         !graph::hasOwnKernels(group.getYielded().front().getDefiningOp());
}

KernelToSchedule kernelOf(graph::GroupOp group, StringRef target) {
  KernelToSchedule kernel{
      "", llvm::join(graph::nodesOf(graph::Group::of(group)), " + "),
      target.str()};
  if (OwningOpRef<ModuleOp> code = graph::outline(group))
    kernel.code = graph::outlinedText(*code);
  return kernel;
}

SmallVector<StringRef> scheduleKeys(ModuleOp module) {
  SmallVector<StringRef> keys;
  for (tile::TargetAttr target : graph::targetsOf(module))
    if (StringRef key = graph::scheduleKey(target);
        !llvm::is_contained(keys, key))
      keys.push_back(key);
  return keys;
}

template <typename Schedule>
static StatusOr<graph::GroupSchedule> split(const ChosenSchedule &chosen,
                                            MLIRContext *context) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Schedule schedule, Schedule::parse(chosen.text));
  SmallVector<NamedAttribute> tiling;
  Builder b(context);
  for (const auto &[name, value] : schedule.tunables)
    tiling.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(value)));
  schedule.tunables.clear();
  graph::GroupSchedule result;
  if (!tiling.empty())
    result.tiling = tile::ScheduleAttr::get(context, tiling);
  result.schedule = tile::ScheduleAttr::fromText(context, schedule.text());
  result.origin = chosen.origin;
  return result;
}

StatusOr<graph::GroupSchedule> splitSchedule(const ChosenSchedule &chosen,
                                             bool isCpu, MLIRContext *context) {
  return isCpu ? split<schedule::CpuSchedule>(chosen, context)
               : split<schedule::GpuSchedule>(chosen, context);
}

} // namespace tilewright
