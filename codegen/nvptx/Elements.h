//===- Elements.h - Ops that work element by element ------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_ELEMENTS_H
#define TILEWRIGHT_CODEGEN_NVPTX_ELEMENTS_H

#include "codegen/numeric/Elementwise.h"
#include "codegen/nvptx/Emission.h"

namespace tilewright::nvptx {

/// What the target has instructions for.
numeric::Hardware hardwareOf(const target::GpuTarget &target);

/// Emits an op that numeric::isElementwise.
void emitElementwise(mlir::Operation *op, Emission &e);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_ELEMENTS_H
