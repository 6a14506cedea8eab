//===- ElementTypes.h - How elements are computed and stored ----*- C++ -*-===//
//
// The types that code for hosts and GPUs computes with, in place of the element
// types of the tile level: an address for a pointer, the bits of a float of 8
// bits or fewer.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_NUMERIC_ELEMENTTYPES_H
#define TILEWRIGHT_CODEGEN_NUMERIC_ELEMENTTYPES_H

#include "mlir/IR/Builders.h"

namespace tilewright::numeric {

/// Whether the type is carried as bits: a float of 8 bits or fewer.
bool isSmallFloat(mlir::Type type);

/// Whether it is a float of 16 bits or fewer.
bool isNarrowFloat(mlir::Type type);

/// How an element is computed: a pointer as an i64, a small float as an i8.
mlir::Type registerType(mlir::Type element);

/// The type in memory: i1, i4 and small floats take a byte; pointers and
/// indices are i64.
mlir::Type storedType(mlir::Type element);

/// A scalar constant as it is computed with.
mlir::TypedAttr inRegister(mlir::TypedAttr scalar);

/// The elements of a constant as in memory, in one dimension.
mlir::DenseElementsAttr inMemory(mlir::DenseElementsAttr elements);

/// Converts a scalar or vector to its form in memory: an i1 to 0 or 1, an i4
/// sign-extended.
mlir::Value toMemory(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);

/// What was read of memory, as elements of type `element` are computed with; a
/// byte of an i1 is true unless it is 0.
mlir::Value fromMemory(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value, mlir::Type element);

/// `element` in the shape of `value`: a vector, or a scalar.
mlir::Type typeLike(mlir::Value value, mlir::Type element);

} // namespace tilewright::numeric

#endif // TILEWRIGHT_CODEGEN_NUMERIC_ELEMENTTYPES_H
