// The schedule of a kernel for a GPU, in the IR.
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_SCHEDULES_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_SCHEDULES_H

#include "tilewright/codegen/GpuSchedule.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright::tilegpu {

/// What a default schedule is chosen by.
schedule::KernelWork workOf(tile::KernelOp kernel);

/// The schedule in `tile.schedule` of a kernel, or of the function lowered from
/// it, with defaults for missing parameters. An attribute that is no schedule
/// of a GPU is an error at the kernel.
mlir::FailureOr<schedule::GpuSchedule> scheduleOf(mlir::Operation *kernel);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_SCHEDULES_H
