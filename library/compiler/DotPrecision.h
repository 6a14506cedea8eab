//===- DotPrecision.h - The precision of a kernel's products ----*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_DOTPRECISION_H
#define TILEWRIGHT_LIBRARY_COMPILER_DOTPRECISION_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/manifest/Precision.h"

namespace tilewright {

/// Runs `set-dot-precision` on a module of tile kernels; nothing for `ieee`.
/// Errors: `fast`, which is not for products of f32.
Status setDotPrecision(mlir::ModuleOp module, runtime::Precision precision);

/// tile::leastF32Precision().
runtime::Precision leastPrecision(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_DOTPRECISION_H
