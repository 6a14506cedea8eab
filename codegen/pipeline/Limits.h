//===- Limits.h - What a kernel may ask of compilation ----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_LIMITS_H
#define TILEWRIGHT_CODEGEN_PIPELINE_LIMITS_H

#include "tilewright/mlir/Compile.h"

namespace tilewright {

/// The most elements of one tile.
inline constexpr int64_t maxTileElements = int64_t(1) << 20;
/// The most elements of one tile that a thread of a GPU holds: code is unrolled
/// over them, and a thread has 255 registers.
inline constexpr int64_t maxThreadElements = 512;

/// Checks a kernel before any work is done on it. `threads`: per block of a
/// GPU; 0: not for a GPU. The error names the op, both numbers and what to do.
Status checkLimits(tile::KernelOp kernel, int64_t threads,
                   std::vector<Diagnostic> *diagnostics = nullptr);

/// The same for each kernel in a module that has a `tile.target`.
Status checkLimits(mlir::ModuleOp module,
                   std::vector<Diagnostic> *diagnostics = nullptr);

/// Compiles with `options`. If the caller set no control, one with their budget
/// is added; the error is then its stop.
StatusOr<KernelImage> compileControlled(
    llvm::StringRef kernel, CompileOptions options,
    llvm::function_ref<StatusOr<KernelImage>(const CompileOptions &)> compile);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_LIMITS_H
