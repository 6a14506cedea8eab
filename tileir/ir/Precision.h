//===- Precision.h - Which products have a precision ------------*- C++ -*-===//
#ifndef TILEWRIGHT_TILEIR_IR_PRECISION_H
#define TILEWRIGHT_TILEIR_IR_PRECISION_H

#include "tilewright/mlir/Tile.h"

namespace tilewright::tile {

/// Whether `op` multiplies and adds f32. Operands that were both extended from
/// 16-bit floats do not count: their product is exact, and one of that type.
bool multipliesF32(ContractionOpInterface op);

/// The least exact precision of the products of f32 in a module. Once they are
/// lowered further, only recordF32Precision() tells.
DotPrecision leastF32Precision(mlir::ModuleOp module);

/// Keeps that as an attribute of the module, unless it is `ieee`.
void recordF32Precision(mlir::ModuleOp module);

/// A precision for products of f32; an error of `op` for another name.
mlir::FailureOr<DotPrecision> parseF32Precision(llvm::StringRef name,
                                                mlir::Operation *op);

} // namespace tilewright::tile

#endif // TILEWRIGHT_TILEIR_IR_PRECISION_H
