//===- LowerMath.h - Math functions on a host -------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_LOWERMATH_H
#define TILEWRIGHT_CODEGEN_CPU_LOWERMATH_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace tilewright::cpu {

/// A pass that replaces the math functions on f32 and f64 (scalars and vectors)
/// that LLVM has no intrinsic for: by polynomials where these are exact enough
/// (docs/math.md has the errors), else by calls of the host's library, one an
/// element.
std::unique_ptr<mlir::Pass> createLowerMath();

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_LOWERMATH_H
