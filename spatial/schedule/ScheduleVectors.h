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

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SCHEDULE_SCHEDULEVECTORS_H
