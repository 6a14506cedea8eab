// The passes of our own on the way from loops over vectors to the llvm dialect.
#ifndef TILEWRIGHT_CODEGEN_LLVM_PASSES
#define TILEWRIGHT_CODEGEN_LLVM_PASSES

include "mlir/Pass/PassBase.td"
include "support/Relations.td"

def LowerMath : Pass<"lower-math", "::mlir::ModuleOp">,
      Near<"2^-21",
           "functions have the error bounds of docs/math.md, at most 2.75 "
           "units in the last place"> {
  let summary = "Lowers math functions without a library";
  let description = [{
    Replaces math functions on f32 and f64 (scalars and vectors) by arithmetic
    (`lower-math-functions`). Rejects functions on other types, because LLVM
    would replace them by calls of a library.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def LowerDivisions : Pass<"lower-divisions", "::mlir::ModuleOp">, Exact {
  let summary = "Lowers divisions that round up or down";
  let description = [{
    Replaces divisions that round up or down by LLVM's divisions, which round to
    zero. The upstream pass `arith-expand` does this, too, but it also expands
    maxima and minima, and loses the sign of zero.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AnnotateLoops : Pass<"annotate-loops", "::mlir::ModuleOp">, Exact {
  let summary = "Moves loop annotations to where LLVM looks for them";
  let description = [{
    The attribute `llvm.loop_annotation` of a loop survives the passes as an
    attribute beside the branches of the llvm dialect. LLVM's translation looks
    for it in the property of the branch, so this pass moves it there.
  }];
}

def VerifyLoopsForm : Pass<"verify-loops-form", "::mlir::ModuleOp">, Exact {
  let summary = "Checks the form that the passes to the llvm dialect expect";
  let description = [{
    Checks the input of the passes to the llvm dialect: a module of functions
    and of the llvm dialect's data, with loops, branches and arithmetic on
    scalars and vectors. There is no op of the tile level and no tile. Changes
    nothing; an error names the op.
  }];
}

#endif
