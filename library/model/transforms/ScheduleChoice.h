//===- ScheduleChoice.h - Which schedule a kernel has -----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_TRANSFORMS_SCHEDULECHOICE_H
#define TILEWRIGHT_LIBRARY_MODEL_TRANSFORMS_SCHEDULECHOICE_H

#include "graph/ir/Graph.h"
#include "graph/lowering/Program.h"
#include "tilewright/compiler/ScheduleTable.h"

namespace tilewright {

/// Whether a schedule can be chosen for the group's kernel: it has elements to
/// compute, and is no concatenation.
bool hasParameters(graph::GroupOp group);

/// What a group is called by and known by in a table of schedules.
KernelToSchedule kernelOf(graph::GroupOp group, llvm::StringRef target);

/// The targets that groups of `module` have schedules for, in order.
llvm::SmallVector<llvm::StringRef> scheduleKeys(mlir::ModuleOp module);

/// A schedule in two parts: the tunables (how it is tiled), and the rest.
/// Errors: it cannot be read.
StatusOr<graph::GroupSchedule> splitSchedule(const ChosenSchedule &chosen,
                                             bool isCpu,
                                             mlir::MLIRContext *context);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_TRANSFORMS_SCHEDULECHOICE_H
