//===- Rules.h - The targets whose schedules can be tuned -------*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_TASK_RULES_H
#define TILEWRIGHT_AUTOTUNE_TASK_RULES_H

#include "autotune/cost/ArgumentShape.h"
#include "autotune/task/TargetRules.h"
#include "tilewright/codegen/GpuTarget.h"

namespace tilewright::autotune {

std::unique_ptr<TargetRules> cpuRules(unsigned threads);
std::unique_ptr<TargetRules> gpuRules(const target::GpuTarget &target);

/// The error of a target that is none of these.
Status notTuned(const std::string &target);

/// The GPU of that name, of `plugins` (which may be null) too, or null.
const target::GpuTarget *findGpu(std::string_view name, const Plugins *plugins);

/// The values of tunables in the text of a schedule of type `Schedule`.
template <typename Schedule>
StatusOr<std::map<std::string, int64_t>>
tunablesIn(const std::string &schedule) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Schedule parsed, Schedule::parse(schedule));
  return parsed.tunables;
}

/// The arguments as the cost models take them.
std::vector<ArgumentShape> shapesOf(const TaskKernel &built,
                                    const std::vector<TaskTensor> &tensors);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_TASK_RULES_H
