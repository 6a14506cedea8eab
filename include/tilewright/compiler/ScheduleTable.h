//===- ScheduleTable.h - Schedules by kernel --------------------*- C++ -*-===//
#ifndef TILEWRIGHT_COMPILER_SCHEDULETABLE_H
#define TILEWRIGHT_COMPILER_SCHEDULETABLE_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <optional>
#include <string>

namespace tilewright {

/// A group of graph ops that becomes one kernel, or a handwritten tile kernel.
struct KernelToSchedule {
  /// The group as a graph function (graph/lowering/Outline.h); identical for
  /// equal groups. Empty if shapes are known only at run time. For a
  /// handwritten kernel the text of its file, with templates not expanded.
  std::string code;
  /// The frontend's nodes, "Conv_3 + Relu_4", or the name of a kernel's file.
  std::string label;
  /// "cpu", "sm_90a".
  std::string target;
};

/// A schedule and its origin, for the package's record.
struct ChosenSchedule {
  std::string text, origin;
};

/// Schedules by kernel, for example from a tuning database. Called by one
/// thread.
class TILEWRIGHT_API ScheduleTable {
public:
  virtual ~ScheduleTable() = default;
  /// The schedule of the kernel; none to use the default. Errors end the
  /// compilation.
  virtual StatusOr<std::optional<ChosenSchedule>>
  find(const KernelToSchedule &kernel) = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_SCHEDULETABLE_H
