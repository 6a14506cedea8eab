//===- Passes.h - Passes of a model that know schedules ---------*- C++ -*-===//
//
// Described in Passes.td.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_TRANSFORMS_PASSES_H
#define TILEWRIGHT_LIBRARY_MODEL_TRANSFORMS_PASSES_H

#include "graph/ir/Graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/compiler/ScheduleTable.h"
#include "tilewright/mlir/Tile.h"
#include <memory>

namespace tilewright {

#define GEN_PASS_DECL
#include "library/model/transforms/Passes.h.inc"

/// Looks up `table` if it is not null; it outlives the pass.
std::unique_ptr<mlir::Pass>
createAssignGroupSchedules(AssignGroupSchedulesOptions options,
                           ScheduleTable *table);

/// Sets the table of each of these passes among `passes`.
void giveTable(mlir::OpPassManager &passes, ScheduleTable *table);

#define GEN_PASS_REGISTRATION
#include "library/model/transforms/Passes.h.inc"

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_TRANSFORMS_PASSES_H
