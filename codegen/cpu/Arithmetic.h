//===- Arithmetic.h - Indices, scalars and vectors of lanes -----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_ARITHMETIC_H
#define TILEWRIGHT_CODEGEN_CPU_ARITHMETIC_H

#include "codegen/cpu/RegisterBlock.h"
#include "mlir/IR/Builders.h"
#include "tilewright/codegen/CpuTarget.h"

namespace tilewright::cpu {

/// A constant of type index.
mlir::Value index(mlir::ImplicitLocOpBuilder &b, int64_t value);

/// An index or i64 as i64.
mlir::Value toI64(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

/// Integers or indices (scalar or vector), read as signed, as i64.
mlir::Value signedI64(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

/// Sum, difference and product of indices, folded where they are known.
mlir::Value add(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value sub(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value mul(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);

/// The type of `width` elements in registers: a scalar if that is 1.
mlir::Type vectorOf(mlir::Type element, int64_t width);

/// A scalar constant as it is computed with.
mlir::Value constantOf(mlir::ImplicitLocOpBuilder &b, mlir::TypedAttr value);

/// The scalar in `width` lanes; itself if that is 1.
mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar,
                  int64_t width);

/// The vector 0, 1, 2, ...
mlir::Value laneNumbers(mlir::ImplicitLocOpBuilder &b, mlir::Type element,
                        int64_t width);

/// True for the lanes that are not missing; null where none is, unless it is
/// wanted `always`.
mlir::Value laneMask(mlir::ImplicitLocOpBuilder &b, const VectorPart &part,
                     bool always = false);

/// The lanes of a vector in which elements of the type are computed.
int64_t lanesFor(mlir::Type element, const CpuTarget &target);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_ARITHMETIC_H
