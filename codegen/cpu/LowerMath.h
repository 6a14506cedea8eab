//===- LowerMath.h - Math functions on a host -------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_LOWERMATH_H
#define TILEWRIGHT_CODEGEN_CPU_LOWERMATH_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace tilewright::cpu {

/// A pass that replaces math functions on f32 and f64 (scalars and vectors) by
/// arithmetic (codegen/math) and refuses those on other types, which LLVM would
/// make calls of a library that no host need have.
std::unique_ptr<mlir::Pass> createLowerMath();

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_LOWERMATH_H
