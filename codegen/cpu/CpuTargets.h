// CPUs, and schedules for them, in the IR.
#ifndef TILEWRIGHT_CODEGEN_CPU_CPUTARGETS_H
#define TILEWRIGHT_CODEGEN_CPU_CPUTARGETS_H

#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/codegen/CpuTarget.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright::cpu {

/// The attribute `tile.target` for a CPU.
tile::TargetAttr attributeOf(const CpuTarget &target,
                             mlir::MLIRContext *context);

/// The CPU that the module's `tile.target` describes. Without one, or with that
/// of a GPU, an error at the module.
mlir::FailureOr<CpuTarget> cpuOf(mlir::ModuleOp module);

/// Whether the CPU has the instructions of x86, of 64 bits.
bool isX86(const CpuTarget &target);

/// The schedule in `tile.schedule` of a kernel, or of the function lowered from
/// it; missing parameters are chosen. An attribute that is no schedule of a CPU
/// is an error at the kernel.
mlir::FailureOr<schedule::CpuSchedule> scheduleOf(mlir::Operation *kernel);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_CPUTARGETS_H
