//===- DotPrecision.h - The precision of a kernel's products ----*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_DOTPRECISION_H
#define TILEWRIGHT_LIBRARY_COMPILER_DOTPRECISION_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/manifest/Precision.h"

namespace tilewright {

/// Runs `set-dot-precision` on a module of tile kernels; nothing for `ieee`.
/// Errors: `fast`, which is not for products of f32.
Status setDotPrecision(mlir::ModuleOp module, runtime::Precision precision);

/// The least exact precision of the products of f32 in `module`, at the tile
/// level or at the scheduled level.
runtime::Precision leastPrecision(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_DOTPRECISION_H
