//===- LowerToLlvm.h - Loops over vectors to the llvm dialect ---*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LLVM_LOWERTOLLVM_H
#define TILEWRIGHT_CODEGEN_LLVM_LOWERTOLLVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace tilewright {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/llvm/Passes.h.inc"

/// Functions of loops, branches and arithmetic on vectors (func, scf, cf,
/// affine, arith, math, vector) to the llvm dialect. Math functions become
/// arithmetic.
void buildLlvmPipeline(mlir::OpPassManager &passes);

/// Registers its passes, and the MLIR passes it uses.
void registerLlvmPipelinePasses();

/// Adds the dialects and interfaces that the pipeline uses, and the translation
/// to LLVM IR. A context must know them before several threads work in it.
void registerLlvmLowering(mlir::DialectRegistry &registry);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_LLVM_LOWERTOLLVM_H
