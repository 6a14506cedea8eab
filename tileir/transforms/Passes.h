// The passes that stay within the tile level; described in Passes.td.
#pragma once

#include "mlir/Pass/Pass.h"
#include "tilewright/mlir/Tile.h"
#include <memory>
#include <string>

namespace tilewright::tile {

#define GEN_PASS_DECL
#include "tileir/transforms/Passes.h.inc"

/// Registers the passes for tools that parse pass pipelines.
#define GEN_PASS_REGISTRATION
#include "tileir/transforms/Passes.h.inc"

/// Inlines all calls in `function` (a kernel or a device function), including
/// those in inlined bodies. `symbols` (an op with a symbol table) has the
/// device functions. Returns the number of calls.
int64_t inlineCalls(mlir::Operation *function, mlir::Operation *symbols);

/// Inlines the calls of `kernel` and removes all else from its module.
void isolate(KernelOp kernel);

} // namespace tilewright::tile
