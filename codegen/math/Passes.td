// The pass that replaces math functions.
#ifndef TILEWRIGHT_CODEGEN_MATH_PASSES
#define TILEWRIGHT_CODEGEN_MATH_PASSES

include "mlir/Pass/PassBase.td"
include "support/Relations.td"

def LowerMathFunctions : Pass<"lower-math-functions">,
      Near<"2^-21",
           "functions have the error bounds of docs/math.md, at most 2.75 "
           "units in the last place"> {
  let summary = "Lowers math functions to arithmetic";
  let description = [{
    Replaces the functions of the math dialect (exp, log, sin, pow, erf, ...) on
    f32 and f64, scalars and vectors, by arithmetic with stated error bounds,
    and ipowi by a loop. Does not change what targets have themselves (fma,
    sqrt, roundings, absf, copysign, classification, bit counts), nor functions
    on other types: narrower floats are widened before. Runs on any op, once its
    tiles are scalars or vectors. Afterwards there is no function on f32 or f64;
    sin, cos and tan have added an `scf.if`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif
