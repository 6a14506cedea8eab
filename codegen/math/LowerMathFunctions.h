//===- LowerMathFunctions.h - Math functions as arithmetic ------*- C++ -*-===//
//
// The functions of the math dialect on f32, f64 and vectors of them, as ops
// that every target has and that round correctly: arith ops, fma, sqrt, trunc,
// absf, copysign, bit operations. So results are the same on all targets, and
// no library is needed.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_MATH_LOWERMATHFUNCTIONS_H
#define TILEWRIGHT_CODEGEN_MATH_LOWERMATHFUNCTIONS_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace tilewright::math {

#pragma GCC visibility push(default)
#define GEN_PASS_DECL
#include "codegen/math/Passes.h.inc"
#pragma GCC visibility pop
#define GEN_PASS_REGISTRATION
#include "codegen/math/Passes.h.inc"

/// Adds a pattern for each function that `errorBounds` lists, and one for
/// ipowi. Ops on other types are left.
void populateLowerMathFunctionsPatterns(mlir::RewritePatternSet &patterns);

/// The largest error of one function, in units of the last place of the exact
/// result. It covers all operands, also those with a subnormal result; special
/// operands have the results that IEEE 754 requires.
struct ErrorBound {
  const char *function; ///< The op's name after "math.".
  double single, wide;  ///< Of f32 and of f64.
  const char *operands; ///< Those that have a result.
};

/// The functions that are expanded; static data.
llvm::ArrayRef<ErrorBound> errorBounds();

} // namespace tilewright::math

#endif // TILEWRIGHT_CODEGEN_MATH_LOWERMATHFUNCTIONS_H
