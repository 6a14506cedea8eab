//===- Elements.h - Elements of tiles, one vector at a time -----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_ELEMENTS_H
#define TILEWRIGHT_CODEGEN_CPU_ELEMENTS_H

#include "codegen/cpu/CpuOp.h"

namespace tilewright::cpu {

/// The entry of an op of arith or math without an entry in the table; null for
/// other ops.
const CpuOp *arithmeticOp(mlir::Operation *op);

/// Elements of a tile: read from its buffer if it has one, else computed here.
/// Elements that are known and in sight are not computed again.
mlir::FailureOr<mlir::Value> eval(mlir::Value tile, const Lanes &at,
                                  Emission &e);

/// The same elements of several tiles, in a new scope.
mlir::FailureOr<Values> evalAll(mlir::ValueRange tiles, const Lanes &at,
                                Emission &e);

/// A result of an elementwise op on vectors of `width` lanes (or scalars)
/// instead of tiles.
mlir::Value createElementwise(mlir::ImplicitLocOpBuilder &b,
                              mlir::OpResult result, mlir::ValueRange operands,
                              int64_t width);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_ELEMENTS_H
