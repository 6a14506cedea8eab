//===- Combine.h - The regions of reductions and scans ----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_COMBINE_H
#define TILEWRIGHT_CODEGEN_CPU_COMBINE_H

#include "codegen/cpu/Emission.h"

namespace tilewright::cpu {

/// The results of the op's region for vectors (or scalars) of left and right
/// elements.
mlir::FailureOr<Values> combine(mlir::Operation *op, mlir::ValueRange left,
                                mlir::ValueRange right, Emission &e);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_COMBINE_H
