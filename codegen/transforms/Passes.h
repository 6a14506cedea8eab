//===- Passes.h - Passes of the scheduled level -----------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_PASSES_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_PASSES_H

#include "codegen/gpu/TileGpu.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::gpu {

/// What the pass assume-alignment does.
void assumeAlignment(tile::KernelOp kernel);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/transforms/Passes.h.inc"

} // namespace tilewright::gpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_PASSES_H
