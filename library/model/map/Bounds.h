//===- Bounds.h - How far a schedule is from the machine --------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_MAP_BOUNDS_H
#define TILEWRIGHT_LIBRARY_MODEL_MAP_BOUNDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "spatial/program/Schedule.h"
#include "tilewright/compiler/MapModel.h"

namespace tilewright {

/// The earliest cycle in which a vector can leave the unit that makes it.
struct Arrival {
  int64_t cycle = 0;
  /// ALUs take each other's results with no way between them; from any other
  /// unit to the next it is at least one position.
  bool isFromAlu = false;
};
/// Of a vector that lies in memory.
[[nodiscard]] Arrival arrivalFromMemory(const spatial::Machine &machine);
/// Of an op's results, after its operands.
[[nodiscard]] Arrival arrivalAfter(mlir::Operation *op,
                                   llvm::ArrayRef<Arrival> operands,
                                   const spatial::Machine &machine);

/// Fills in what a schedule of `vectors` says of cycles, units, memory and
/// numbers. `report.macs` and `report.precision` are there.
void addBounds(mlir::func::FuncOp vectors, const spatial::Schedule &schedule,
               MapModelReport &report);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_MAP_BOUNDS_H
