//===- CpuOps.h - Which ops the CPU knows -----------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_CPUOPS_H
#define TILEWRIGHT_CODEGEN_CPU_CPUOPS_H

#include "mlir/IR/OperationSupport.h"

namespace tilewright::cpu {

/// Whether there is an entry for the op: it is lowered for a CPU, or rejected
/// with an error of its own. Of arith and math most ops need none.
[[nodiscard]] bool knows(mlir::OperationName op);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_CPUOPS_H
