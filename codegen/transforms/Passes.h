//===- Passes.h - Passes of the scheduled level -----------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_PASSES_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_PASSES_H

#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::tilegpu {

/// What the pass assume-alignment does.
void assumeAlignment(tile::KernelOp kernel);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/transforms/Passes.h.inc"

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_PASSES_H
