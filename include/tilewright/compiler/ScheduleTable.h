//===- ScheduleTable.h - Schedules by kernel --------------------*- C++ -*-===//
#ifndef TILEWRIGHT_COMPILER_SCHEDULETABLE_H
#define TILEWRIGHT_COMPILER_SCHEDULETABLE_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <optional>
#include <string>

namespace tilewright {

/// A group of graph ops that becomes one kernel, or a tile kernel written by
/// hand.
struct KernelToSchedule {
  /// The group as a graph function (graph/lowering/Outline.h); the same for
  /// equal groups. Empty where shapes are known at run time only. Of a kernel
  /// written by hand its file's text, a template's not expanded.
  std::string code;
  /// The frontend's nodes: "Conv_3 + Relu_4"; the name of a kernel's file.
  std::string label;
  /// "cpu", "sm_90a".
  std::string target;
};

/// A schedule, and where it is from, for the package's record.
struct ChosenSchedule {
  std::string text, origin;
};

/// Schedules that were found for kernels, in a tuning database for instance.
/// Asked by one thread.
class TILEWRIGHT_API ScheduleTable {
public:
  virtual ~ScheduleTable() = default;
  /// What is taken for the kernel; nothing where it has the default. Errors end
  /// the compilation.
  virtual StatusOr<std::optional<ChosenSchedule>>
  find(const KernelToSchedule &kernel) = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_SCHEDULETABLE_H
