//===- Source.h - Where tile kernels come from ------------------*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_TASK_SOURCE_H
#define TILEWRIGHT_AUTOTUNE_TASK_SOURCE_H

#include "autotune/task/Task.h"
#include "graph/lowering/TileSizes.h"
#include "library/compiler/TunableModule.h"
#include <map>

namespace tilewright::autotune {

/// The kernel of a task, with bound tunables and without calls.
struct TaskKernel : BoundKernel {
  std::vector<TaskArgument> arguments;
};

/// Builds kernels from the values of tunables. Used from one thread.
class Source {
public:
  virtual ~Source() = default;
  /// What can be chosen about the kernel itself, whatever the target.
  [[nodiscard]] virtual std::vector<Parameter> parameters() const = 0;
  [[nodiscard]] virtual const std::vector<TaskTensor> &tensors() const = 0;
  /// The kernel with these values; what is left out is the default's.
  virtual StatusOr<TaskKernel>
  build(const std::map<std::string, int64_t> &values) = 0;
};

/// Of a prepared graph function that is one group. `limits` decide the
/// default tiles.
StatusOr<std::unique_ptr<Source>>
openGraphSource(mlir::OwningOpRef<mlir::ModuleOp> module,
                const graph::TileLimits &limits);

/// Of a tile-level module, perhaps a template. `arguments` are shapes by
/// blanks, "512x64 64 =7": of views, of memory behind pointers, values of
/// scalars; empty where the kernel's types say all.
StatusOr<std::unique_ptr<Source>>
openKernelSource(mlir::MLIRContext &context, const std::string &code,
                 const std::string &arguments);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_TASK_SOURCE_H
