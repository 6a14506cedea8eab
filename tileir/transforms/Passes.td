// The passes that stay within the tile level.
#ifndef TILEWRIGHT_TILEIR_TRANSFORMS_PASSES
#define TILEWRIGHT_TILEIR_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def BindTunables : Pass<"bind-tunables"> {
  let summary = "Gives tunables their values";
  let description = [{
    Replaces each `tile.tunable` that a binding names by a constant, and leaves
    the others. A binding that names no tunable, or gives a value that is not
    among the legal ones, is an error. Runs before anything that needs the
    values: lowering and interpretation reject a tunable that is left.
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

def DropAssertions : Pass<"drop-assertions", "::tilewright::tile::KernelOp"> {
  let summary = "Leaves assertions out";
  let description = [{
    Erases each `tile.assert`: what it would find goes unnoticed.
  }];
}

def GuardFolders : Pass<"guard-folders", "::tilewright::tile::KernelOp"> {
  let summary = "Keeps MLIR's folders from operands that they get wrong";
  let description = [{
    MLIR 22 folds `math.atan2` of two zeros to NaN; IEEE 754 and docs/spec.md
    make it a zero or pi, as their signs say. Its second operand becomes 1, with
    the zero's sign, where both are zero. Runs before any canonicalization.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def InlineCalls : Pass<"inline-calls"> {
  let summary = "Puts the bodies of device functions where they are called";
  let description = [{
    Replaces each `tile.call`, in kernels and in device functions, by the body
    of its callee. Leaves the device functions themselves. No call is left
    afterwards; lowerings need that, as a tile has no place in a calling
    convention.
  }];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "Number of calls replaced">
  ];
}

def SetFastMath : Pass<"set-fast-math", "::tilewright::tile::KernelOp"> {
  let summary = "Gives floating-point ops MLIR's fast-math flags";
  let description = [{
    Adds the flags to each op of the dialects arith and math that takes some; an
    op keeps those that it has. docs/spec.md says what each flag allows.
  }];
  let options = [
    Option<"names", "flags", "std::string", "",
           "as in MLIR, with commas: contract,arcp,afn">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UseFastMath : Pass<"use-fast-math", "::tilewright::tile::KernelOp"> {
  let summary = "Fuses multiply-adds and shares reciprocals where flags allow it";
  let description = [{
    With `contract`, a product that only a sum reads becomes one `math.fma` with
    it. With `arcp`, a quotient whose divisor is a broadcast or a splat
    multiplies by one reciprocal of what is repeated, and one by a square root
    by its `math.rsqrt` (this also needs `afn`). Afterwards no op has
    `contract`, `arcp` or `reassoc`: what is fused is decided here and not by
    LLVM or ptxas, so that each target computes the same. `afn` is left to the
    targets, and has no effect on one without approximate instructions.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::tilewright::tile::TileDialect"
  ];
}

def VerifyTileForm : Pass<"verify-tile-form", "::tilewright::tile::KernelOp"> {
  let summary = "What a target's own passes rely on";
  let description = [{
    A kernel from here on has no `tile.call` and no `tile.tunable`, and its
    `tile.schedule` is there. Changes nothing; an error names the op.
  }];
}

#endif
