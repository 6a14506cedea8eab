//===- TargetRules.h - What a target adds to the parameters -----*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_TASK_TARGETRULES_H
#define TILEWRIGHT_AUTOTUNE_TASK_TARGETRULES_H

#include "autotune/task/Source.h"

namespace tilewright::autotune {

/// A kernel with bound tunables, in the form for a target's model.
class KernelModel {
public:
  virtual ~KernelModel() = default;
  /// What the kernel is expected to cost by a schedule that parses and has the
  /// kernel's tunables.
  virtual StatusOr<Estimate> estimate(const std::string &schedule) = 0;
};

/// A target, as the tuner sees it. Immutable.
class TargetRules {
public:
  virtual ~TargetRules() = default;
  /// By which compiling tiles groups of graph ops for it.
  [[nodiscard]] virtual graph::TileLimits tileLimits() const = 0;
  /// The parameters of its schedules that are worth choosing for `kernel`.
  [[nodiscard]] virtual std::vector<Parameter>
  parameters(tile::KernelOp kernel) const = 0;
  /// A schedule's values of tunables. Errors: it does not parse.
  [[nodiscard]] virtual StatusOr<std::map<std::string, int64_t>>
  tunables(const std::string &schedule) const = 0;
  /// Errors: the tensors do not fit the kernel.
  [[nodiscard]] virtual StatusOr<std::unique_ptr<KernelModel>>
  model(TaskKernel built, const std::vector<TaskTensor> &tensors) const = 0;
  /// As Task::costOf.
  [[nodiscard]] virtual StatusOr<double>
  costOf(const TaskKernel &built, const std::vector<TaskTensor> &tensors,
         const std::string &schedule,
         const runtime::LaunchCounters &counters) const = 0;
  /// As Task::rankedPoints.
  [[nodiscard]] virtual size_t rankedPoints() const = 0;
  [[nodiscard]] virtual StatusOr<KernelImage>
  compile(tile::KernelOp kernel, const std::string &schedule) const = 0;
  /// The part of a schedule that the code depends on. Errors: it does not
  /// parse.
  [[nodiscard]] virtual StatusOr<std::string>
  codePart(const std::string &schedule) const = 0;
  /// Changes an image of one schedule to that of another of the same code.
  /// Errors: it does not parse.
  virtual Status relaunch(KernelImage &image,
                          const std::string &schedule) const = 0;
};

/// Of "cpu" (this machine, `threads` of it, 0: all) or a GPU, of `plugins` too,
/// which may be null and outlive the rules. Errors: an unknown name.
StatusOr<std::unique_ptr<TargetRules>>
targetRules(const std::string &name, unsigned threads, const Plugins *plugins);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_TASK_TARGETRULES_H
