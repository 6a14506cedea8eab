//===- ExplainNodes.h - What the nodes of a model take ----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_MAP_EXPLAINNODES_H
#define TILEWRIGHT_LIBRARY_MODEL_MAP_EXPLAINNODES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "spatial/program/Schedule.h"
#include "tilewright/compiler/MapModel.h"

namespace tilewright {

/// Fills in `inputs` and `nodes` of the report. The program says how tensors
/// lie (spatial::kLayoutsAttr), the values of the schedule which node they are
/// of.
void explainNodes(mlir::func::FuncOp vectors, const spatial::Schedule &schedule,
                  MapModelReport &report);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_MAP_EXPLAINNODES_H
