//===- ExplainSchedule.h - What was chosen for a GPU, and why ---*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_EXPLAINSCHEDULE_H
#define TILEWRIGHT_CODEGEN_PIPELINE_EXPLAINSCHEDULE_H

#include "tilewright/codegen/GpuSchedule.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright {

/// For people, of a kernel at the last form of the scheduled level: the
/// schedule, and for each op that accesses global memory, moves a tile between
/// layouts or goes through shared memory, how it does so and why nothing
/// cheaper works. Lines end in '
/// '.
std::string explainSchedule(tile::KernelOp kernel,
                            const schedule::ExplainedSchedule &schedule);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_EXPLAINSCHEDULE_H
