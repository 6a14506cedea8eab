//===- LazyOps.h - Ops that are computed where they are used ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_LAZYOPS_H
#define TILEWRIGHT_CODEGEN_CPU_LAZYOPS_H

#include "mlir/IR/Operation.h"

namespace tilewright::cpu {

/// Whether each element of the results is computed from the operands' elements
/// at its place.
bool isElementwise(mlir::Operation *op);

/// Whether elements of the results are computed where somebody asks for them,
/// if the tile has no buffer. What all other ops make lies in memory.
bool isLazy(mlir::Operation *op);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_LAZYOPS_H
