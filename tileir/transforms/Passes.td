// The passes that stay within the tile level.
#ifndef TILEWRIGHT_TILEIR_TRANSFORMS_PASSES
#define TILEWRIGHT_TILEIR_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"
include "support/Relations.td"

def BindTunables : Pass<"bind-tunables">, Exact {
  let summary = "Replaces tunables by their values";
  let description = [{
    Replaces each `tile.tunable` that a binding names by a constant. Does not
    change the others. It is an error if a binding names no tunable, or gives a
    value that is not legal. Runs before any pass that needs the values:
    lowerings and the interpreter reject a tunable that is left.
  }];
  let options = [
    ListOption<"bindings", "values", "std::string",
               "bindings, each NAME=NUMBER">
  ];
  let statistics = [
    Statistic<"numBound", "num-bound", "Number of tunables replaced">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def DropAssertions : Pass<"drop-assertions", "::tilewright::tile::KernelOp">,
      Exact {
  let summary = "Removes assertions";
  let description = [{
    Erases each `tile.assert`, so a violated assertion goes unnoticed.
  }];
}

def GuardFolders : Pass<"guard-folders", "::tilewright::tile::KernelOp">,
      Exact {
  let summary = "Protects operands that MLIR's folders get wrong";
  let description = [{
    MLIR 22 folds `math.atan2` of two zeros to NaN. By IEEE 754 and docs/spec.md
    the result is a zero or pi, depending on the signs. The pass makes the
    second operand 1, with the sign of the zero, if both operands are zero. Runs
    before any canonicalization.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def InlineCalls : Pass<"inline-calls">, Exact {
  let summary = "Inlines device functions";
  let description = [{
    Replaces each `tile.call`, in kernels and in device functions, by the body
    of the function that it calls. Does not remove the device functions.
    Afterwards there is no call. Lowerings need that, because no calling
    convention can pass a tile.
  }];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "Number of calls replaced">
  ];
}

def SetDotPrecision : Pass<"set-dot-precision">,
      Bounded<"the user permits another precision"> {
  let summary = "Gives products of f32 a precision";
  let description = [{
    Gives the precision to each `tile.dot` of f32 operands and f32 accumulators
    whose own is `ieee`, which is also what a dot has that names none. A dot
    that names another one keeps it. Products of other types stay as they are,
    also where both operands were extended from f16 or bf16. docs/spec.md
    (tile.dot) says what each precision permits; a lowering need not use the
    permission. Runs where kernels come in, on kernels and
    device functions, before what differs by target: all targets, the choice of
    a schedule and the keys of caches see the precision.
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"ieee\"",
           "ieee, tf32, tf32x3, bf16x3 or bf16x6">
  ];
  let statistics = [
    Statistic<"numSet", "num-set", "Number of dots that got the precision">
  ];
  let dependentDialects = ["::tilewright::tile::TileDialect"];
}

def SetFastMath : Pass<"set-fast-math", "::tilewright::tile::KernelOp">,
      Bounded<"the user permits what the flags say"> {
  let summary = "Gives floating-point ops MLIR's fast-math flags";
  let description = [{
    Adds the flags to each op of the dialects arith and math that can have them.
    An op also keeps its own flags. docs/spec.md says what each flag allows.
  }];
  let options = [
    Option<"names", "flags", "std::string", "",
           "as in MLIR, with commas: contract,arcp,afn">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UseFastMath : Pass<"use-fast-math", "::tilewright::tile::KernelOp">,
      Bounded<"it takes what the flags permit: a fused multiply-add, a "
              "reciprocal, another exponential"> {
  let summary = "Fuses multiply-adds and shares reciprocals if flags allow it";
  let description = [{
    With `contract`, a product that only a sum reads becomes one `math.fma` with
    the sum. With `arcp`, a quotient whose divisor is a broadcast or a splat
    becomes a product with a reciprocal, which is computed once for each
    different divisor; a quotient by a square root becomes a product with
    `math.rsqrt` (this also needs `afn`). With `contract` and `afn`,
    `exp(x * c - y)` becomes `exp2` of one `math.fma`, if y is a broadcast or a
    splat. With `contract`, the maximum of products with a positive number is
    the product of the maximum, and an extension of what was rounded from its
    type is what it was before, but for the operands of dots.

    Afterwards no op has `contract`, `arcp` or `reassoc`: this pass alone
    decides what is fused, not LLVM or ptxas, so that each target computes the
    same. Does not change `afn`, which is for the targets; it has no effect on a
    target without approximate instructions.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::tilewright::tile::TileDialect"
  ];
}

def VerifyTileForm : Pass<"verify-tile-form", "::tilewright::tile::KernelOp">,
      Exact {
  let summary = "Checks the form that the passes of each target expect";
  let description = [{
    From here on a kernel has no `tile.call` and no `tile.tunable`, and it has a
    `tile.schedule`. Changes nothing; an error names the op.
  }];
}

#endif
