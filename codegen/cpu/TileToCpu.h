//===- TileToCpu.h - One tile kernel as a host function ---------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_TILETOCPU_H
#define TILEWRIGHT_CODEGEN_CPU_TILETOCPU_H

#include "codegen/cpu/CpuTarget.h"
#include "codegen/schedule/CpuSchedule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tileir/ir/Tile.h"

namespace tilewright::cpu {

/// A host function that runs a range of a kernel's programs:
/// `void NAME(const uint64_t *args, const int64_t *grid, int64_t first,
/// int64_t last, void *scratch)`.
struct CpuFunction {
  mlir::func::FuncOp function;
  /// Bytes of scratch memory that each thread provides.
  int64_t scratchBytes = 0;
};

/// Emits `kernel` at the end of `module`, as loops over vectors (arith, math,
/// scf, vector, llvm dialects). An op that has no lowering is one error at the
/// op, and so is a block of registers in `schedule` that the target does not
/// hold.
mlir::FailureOr<CpuFunction>
emitCpuFunction(tile::KernelOp kernel, const CpuTarget &target,
                mlir::ModuleOp module,
                const schedule::CpuSchedule &schedule = {});

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_TILETOCPU_H
