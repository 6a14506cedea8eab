//===- LowerToLlvm.h - Loops over vectors to the llvm dialect ---*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LLVM_LOWERTOLLVM_H
#define TILEWRIGHT_CODEGEN_LLVM_LOWERTOLLVM_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"

namespace tilewright {

/// Adds the dialects and interfaces that lowerToLlvm uses, and the translation
/// to LLVM IR. A context must know them before several threads work in it.
void registerLlvmLowering(mlir::DialectRegistry &registry);

/// Lowers functions of loops, branches and arithmetic on vectors (func, scf,
/// cf, affine, arith, math, vector) to the llvm dialect, in place. Math
/// functions become arithmetic. Each pass is a timer in `timing`.
mlir::LogicalResult lowerToLlvm(mlir::ModuleOp module,
                                mlir::TimingScope &timing);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_LLVM_LOWERTOLLVM_H
