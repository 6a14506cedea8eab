//===- Ptx.h - Functions of the llvm dialect as PTX -------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_PTX_H
#define TILEWRIGHT_CODEGEN_NVPTX_PTX_H

#include "codegen/llvm/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"
#include "tilewright/codegen/GpuTarget.h"
#include "tilewright/support/Status.h"

namespace tilewright::nvptx {

/// Adds the dialects and interfaces that lowering and translation use. A
/// context must know them before several threads work in it.
void registerDialects(mlir::DialectRegistry &registry);

struct PtxOptions : TranslateOptions {
  /// Emit .loc directives with the source line of each instruction.
  bool lineInfo = false;
  /// Directives for ptxas: blocks that a multiprocessor holds at least, and the
  /// most registers of a thread. 0: none.
  unsigned minBlocks = 0, maxRegisters = 0;
};

/// What translateToPtx made.
struct PtxText {
  /// PTX of the first version that supports the target.
  std::string ptx;
  /// Optimized LLVM IR, empty unless requested.
  std::string llvmIr;
};

/// Translates a module of the llvm and nvvm dialects to LLVM IR, optimizes it
/// (-O2) for `target` and prints PTX: the same text for the same module. Each
/// defined function is a kernel, launched with blocks of `threads` threads.
/// Thread-safe for distinct modules.
StatusOr<PtxText> translateToPtx(mlir::ModuleOp module,
                                 const target::GpuTarget &target,
                                 int64_t threads, mlir::TimingScope &timing,
                                 const PtxOptions &options = {});

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_PTX_H
