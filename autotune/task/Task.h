//===- Task.h - One kernel at fixed shapes, ready to be tuned ---*- C++ -*-===//
//
// Includes nothing of MLIR. The input is text: a graph-level module whose
// function is one kernel (graph/lowering/Outline.h), or a tile-level module
// with one tile.kernel. Either may be a template: a line
//   // tunable BM = 32, 64, 128
// declares values for ${BM}, the first by default.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_AUTOTUNE_TASK_TASK_H
#define TILEWRIGHT_AUTOTUNE_TASK_TASK_H

#include "autotune/cost/Estimate.h"
#include "autotune/database/Trial.h"
#include "autotune/space/Space.h"
#include "tilewright/codegen/KernelImage.h"
#include "tilewright/runtime/CounterSource.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Export.h"
#include <memory>
#include <optional>

namespace tilewright {
class Plugins;
} // namespace tilewright

namespace tilewright::autotune {

/// An input tensor of the kernel.
struct TaskTensor {
  runtime::DType dtype = runtime::DType::F32;
  runtime::Shape shape;
  bool isRead = false, isWritten = false;

  friend bool operator==(const TaskTensor &, const TaskTensor &) = default;
};

/// The value of one argument of a kernel.
struct TaskArgument {
  /// The tensor of a view; none for a scalar.
  std::optional<size_t> tensor;
  /// The value of a scalar; of a float its bits.
  int64_t scalar = 0;

  friend bool operator==(const TaskArgument &, const TaskArgument &) = default;
};

/// A schedule's code and how it is launched.
struct Candidate {
  KernelImage image;
  std::vector<TaskArgument> arguments;
};

/// One kernel at fixed shapes for one target. Not safe from several threads;
/// tasks are independent of each other.
class TILEWRIGHT_PRIVATE_API Task {
public:
  virtual ~Task();

  /// `threads`: the number for a CPU's schedules; 0: all of the machine's.
  /// Reads the code of `record`, whose other fields but `task` and `family`
  /// must be set; these are computed. The target may be one of `plugins` (which
  /// may be null), whose passes run on the kernel before it is modelled,
  /// interpreted and compiled. Errors: the code does not parse, is more than
  /// one kernel, has shapes that are not known; an unknown target; a pass that
  /// fails.
  static StatusOr<std::unique_ptr<Task>>
  open(TaskRecord record, unsigned threads = 0,
       std::shared_ptr<const Plugins> plugins = nullptr);

  [[nodiscard]] virtual const TaskRecord &record() const = 0;
  [[nodiscard]] virtual const Space &space() const = 0;
  /// In the order of the record's arguments; results follow.
  [[nodiscard]] virtual const std::vector<TaskTensor> &tensors() const = 0;
  /// What `schedule` is expected to cost. A schedule that cannot be built is
  /// rejected.
  [[nodiscard]] virtual Estimate estimate(const std::string &schedule) = 0;
  /// Modelled nanoseconds of a launch with `schedule`, from its counters: these
  /// replace the estimate's instructions, sectors, wavefronts, barriers and
  /// registers. Errors: the target has no such model, the launch does not fit
  /// the GPU that models it.
  virtual StatusOr<double> costOf(const std::string &schedule,
                                  const runtime::LaunchCounters &counters) = 0;
  /// Points that a search may pass to estimate() before it tries the first
  /// (SearchOptions::ranked): depends on the target, so that it takes seconds,
  /// but not on the machine.
  [[nodiscard]] virtual size_t rankedPoints() const = 0;
  /// The kernel by `schedule`, for the target. Errors: it does not fit, or has
  /// no lowering.
  virtual StatusOr<Candidate> compile(const std::string &schedule) = 0;
  /// The programs of the default kernel.
  [[nodiscard]] virtual int64_t programs() const = 0;
  /// Whether each of them writes the same whether the others run or not.
  [[nodiscard]] virtual bool programsAreIndependent() const = 0;
  /// The default kernel for the device "interpreter": all of it, or the
  /// one program with that linear number.
  virtual StatusOr<Candidate> oracleKernel(std::optional<int64_t> program) = 0;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_TASK_TASK_H
