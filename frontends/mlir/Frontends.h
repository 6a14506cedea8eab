//===- Frontends.h - Modules of MLIR as models ------------------*- C++ -*-===//
#ifndef TILEWRIGHT_FRONTENDS_MLIR_FRONTENDS_H
#define TILEWRIGHT_FRONTENDS_MLIR_FRONTENDS_H

#include "tilewright/mlir/Frontend.h"

namespace tilewright {

/// Graphs of linalg on tensors, as docs/mlir.md says, as text or as bytecode.
/// If a file turns out to have tile kernels, these are imported.
std::unique_ptr<const frontend::Frontend> createGraphModuleFrontend();

/// Hand-written tile kernels, as text; possibly a template
/// (tileir/text/Template.h).
std::unique_ptr<const frontend::Frontend> createTileModuleFrontend();

} // namespace tilewright

#endif // TILEWRIGHT_FRONTENDS_MLIR_FRONTENDS_H
