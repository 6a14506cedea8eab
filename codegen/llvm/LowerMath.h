//===- LowerMath.h - Math functions without a library -----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LLVM_LOWERMATH_H
#define TILEWRIGHT_CODEGEN_LLVM_LOWERMATH_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace tilewright {

/// A pass that replaces math functions on f32 and f64 (scalars and vectors) by
/// arithmetic (codegen/math) and refuses those on other types, which LLVM would
/// make calls of a library.
std::unique_ptr<mlir::Pass> createLowerMath();

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_LLVM_LOWERMATH_H
