// Names of tasks, derived from their contents.
#ifndef TILEWRIGHT_AUTOTUNE_TASK_TASKKEY_H
#define TILEWRIGHT_AUTOTUNE_TASK_TASKKEY_H

#include "autotune/task/Task.h"
#include <span>

namespace tilewright::autotune {

/// The code with the old names of argument attributes, graph.name for
/// tile.name: one kernel has one key, by whichever names it was written or
/// stored.
[[nodiscard]] std::string withOldNames(std::string_view code);

/// A hash (BLAKE3, 128 bits) of target, code and arguments.
[[nodiscard]] std::string taskKey(const TaskRecord &record);
/// A hash of target and code, the sizes in its types left out.
[[nodiscard]] std::string familyKey(const TaskRecord &record);

/// Fills in key, family and sizes of a task whose other fields are set.
void completeKey(TaskRecord &record, std::span<const TaskTensor> tensors);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_TASK_TASKKEY_H
