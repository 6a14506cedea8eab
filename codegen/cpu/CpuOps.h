//===- CpuOps.h - Which ops the CPU knows -----------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_CPUOPS_H
#define TILEWRIGHT_CODEGEN_CPU_CPUOPS_H

#include "mlir/IR/OperationSupport.h"

namespace tilewright::cpu {

/// Whether the op has an entry: it is lowered for a CPU, or rejected with its
/// own error. Most ops of arith and math need none.
[[nodiscard]] bool knows(mlir::OperationName op);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_CPUOPS_H
