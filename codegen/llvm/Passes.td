// The passes of our own on the way from loops over vectors to the llvm dialect.
#ifndef TILEWRIGHT_CODEGEN_LLVM_PASSES
#define TILEWRIGHT_CODEGEN_LLVM_PASSES

include "mlir/Pass/PassBase.td"

def LowerMath : Pass<"lower-math", "::mlir::ModuleOp"> {
  let summary = "Math functions without a library";
  let description = [{
    Replaces math functions on f32 and f64 (scalars and vectors) by arithmetic
    (`lower-math-functions`) and rejects those on other types, which LLVM would make
    calls of a library.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def LowerDivisions : Pass<"lower-divisions", "::mlir::ModuleOp"> {
  let summary = "Divisions that round up or down, by those of LLVM";
  let description = [{
    The upstream pass `arith-expand` also expands maxima and minima, and loses
    the sign of zero.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AnnotateLoops : Pass<"annotate-loops", "::mlir::ModuleOp"> {
  let summary = "Puts what loops ask of LLVM where its translation looks for it";
  let description = [{
    The attribute `llvm.loop_annotation` comes through the passes beside the
    branches of the llvm dialect; afterwards it is their property.
  }];
}

def VerifyLoopsForm : Pass<"verify-loops-form", "::mlir::ModuleOp"> {
  let summary = "What the passes to the llvm dialect take";
  let description = [{
    A module of functions and of the llvm dialect's data: loops, branches and
    arithmetic on scalars and vectors. No op of the tile level is left, and no
    tile. Changes nothing; an error names the op.
  }];
}

#endif
