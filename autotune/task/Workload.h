// A user's tuning request, as tasks.
#ifndef TILEWRIGHT_AUTOTUNE_TASK_WORKLOAD_H
#define TILEWRIGHT_AUTOTUNE_TASK_WORKLOAD_H

#include "autotune/database/Trial.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilewright {
class Plugins;
} // namespace tilewright

namespace tilewright::autotune {

/// A task and how often one run of the workload launches it.
struct WeightedTask {
  TaskRecord task;
  int64_t count = 1;
};

struct Workload {
  /// Each task once, in the order of the workload.
  std::vector<WeightedTask> tasks;
  /// Kernels that have no parameters, each with the reason, for people.
  std::vector<std::string> untuned;
};

struct WorkloadOptions {
  /// "cpu" or a GPU, of `plugins` too.
  std::string target = "cpu";
  /// Fixes the shape of inputs, by name; of a kernel, of its arguments. A size
  /// of -1 stays as it is.
  std::map<std::string, std::vector<int64_t>> inputShapes;
  /// Of a kernel: Task.h's shapes of its arguments.
  std::string arguments;
  /// Frontends and targets from outside; may be null.
  std::shared_ptr<const Plugins> plugins;
};

/// The tasks of a model (.onnx, graph-level .mlir), a tile kernel (.mlir), what
/// plug-ins read, or a table of shapes (.csv, ShapeTable.h). Errors: as
/// compiling it; nothing to tune.
TILEWRIGHT_PRIVATE_API StatusOr<Workload>
readWorkload(const std::filesystem::path &path, const WorkloadOptions &options);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_TASK_WORKLOAD_H
