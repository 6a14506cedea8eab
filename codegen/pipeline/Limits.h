//===- Limits.h - What a kernel may ask of compilation ----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_LIMITS_H
#define TILEWRIGHT_CODEGEN_PIPELINE_LIMITS_H

#include "codegen/pipeline/Compile.h"

namespace tilewright {

/// The most elements of one tile.
inline constexpr int64_t maxTileElements = int64_t(1) << 20;
/// The most elements of one tile that a thread of a GPU holds: code is unrolled
/// over them, and a thread has 255 registers.
inline constexpr int64_t maxThreadElements = 512;

/// Checks a kernel before any work is done on it. `threads`: of a block of a
/// GPU; 0: for no GPU. The error names the op, both numbers and what to do.
Status checkLimits(tile::KernelOp kernel, int64_t threads,
                   std::vector<Diagnostic> *findings = nullptr);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_LIMITS_H
