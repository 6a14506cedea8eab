//===- ScheduleVectors.h - Times and places for a program -------*- C++ -*-===//
#ifndef TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULEVECTORS_H
#define TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULEVECTORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "spatial/program/Schedule.h"
#include "tilewright/support/Status.h"

namespace tilewright::spatial {

/// Gives each op of a program on vectors a cycle, a unit, streams and rows on
/// one chip. The program is left as it is. Errors: it does not fit the chip's
/// memory.
StatusOr<Schedule> scheduleVectors(mlir::func::FuncOp program,
                                   const Machine &machine);

struct SearchOptions {
  /// About how many seconds of one core the search takes, but counted in what
  /// it looks at, so that time and load do not matter. 0: no search, unless the
  /// first schedule does not fit.
  double effort = 0;
  /// Of what is tried.
  uint64_t seed = 0;
};

struct FoundSchedule {
  Schedule schedule;
  /// How many schedules were made, and which of them, from 0, was the first of
  /// the shortest. Number 0 has the default choices.
  int64_t tried = 1, best = 0;
};

/// The shortest of several schedules, which differ in the scheduler's choices
/// (ScheduleChoices.h). The same program, machine and options give the same
/// one. Errors as above.
StatusOr<FoundSchedule> searchSchedules(mlir::func::FuncOp program,
                                        const Machine &machine,
                                        const SearchOptions &options);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULEVECTORS_H
