//===- Passes.h - Passes of a model that know schedules ---------*- C++ -*-===//
//
// Described in Passes.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_PASSES_H
#define TILEWRIGHT_LIBRARY_MODEL_PASSES_H

#include "graph/ir/Graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/compiler/ScheduleTable.h"
#include "tilewright/mlir/Tile.h"
#include <memory>

namespace tilewright {

#define GEN_PASS_DECL
#include "library/model/Passes.h.inc"

/// `table` is asked if it is not null; it outlives the pass.
std::unique_ptr<mlir::Pass>
createAssignGroupSchedules(AssignGroupSchedulesOptions options,
                           ScheduleTable *table);

/// Lets each of these passes among `passes` ask this table.
void giveTable(mlir::OpPassManager &passes, ScheduleTable *table);

#define GEN_PASS_REGISTRATION
#include "library/model/Passes.h.inc"

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_PASSES_H
