//===- GpuOps.h - Which ops are emitted -------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_GPUOPS_H
#define TILEWRIGHT_CODEGEN_NVPTX_GPUOPS_H

#include "mlir/IR/OperationSupport.h"

namespace tilewright::nvptx {

/// Whether the table of emitters has an entry for the op. Ops of arith and math
/// need none where they work element by element.
bool knows(mlir::OperationName op);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_GPUOPS_H
