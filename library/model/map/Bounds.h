//===- Bounds.h - How far a schedule is from the machine --------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_MAP_BOUNDS_H
#define TILEWRIGHT_LIBRARY_MODEL_MAP_BOUNDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "spatial/program/Schedule.h"
#include "tilewright/compiler/MapModel.h"

namespace tilewright {

/// The fewest cycles from when operands of an op may be read to when a result
/// may be: both are at least one position away.
int64_t latencyOf(mlir::Operation *op, const spatial::Machine &machine);

/// Fills in what a schedule of `vectors` says of cycles, units, memory and
/// numbers. `report.macs` and `report.precision` are there.
void addBounds(mlir::func::FuncOp vectors, const spatial::Schedule &schedule,
               MapModelReport &report);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_MAP_BOUNDS_H
