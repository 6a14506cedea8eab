//===- Frontends.h - Modules of MLIR as models ------------------*- C++ -*-===//
#ifndef TILEWRIGHT_FRONTENDS_MLIR_FRONTENDS_H
#define TILEWRIGHT_FRONTENDS_MLIR_FRONTENDS_H

#include "tilewright/mlir/Frontend.h"

namespace tilewright {

/// Graphs of linalg on tensors, as docs/mlir.md says, as text or as bytecode.
/// A file that proves to hold tile kernels gives these.
std::unique_ptr<const frontend::Frontend> createGraphModuleFrontend();

/// Tile kernels written by hand, as text; perhaps a template
/// (tileir/text/Template.h).
std::unique_ptr<const frontend::Frontend> createTileModuleFrontend();

} // namespace tilewright

#endif // TILEWRIGHT_FRONTENDS_MLIR_FRONTENDS_H
