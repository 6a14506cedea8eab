// The passes that stay within the tile level; described in Passes.td.
#pragma once

#include "mlir/Pass/Pass.h"
#include "tilewright/mlir/Tile.h"
#include <memory>
#include <string>

namespace tilewright::tile {

#define GEN_PASS_DECL
#include "tileir/transforms/Passes.h.inc"

/// Makes the passes known by name, for tools that read pass pipelines.
#define GEN_PASS_REGISTRATION
#include "tileir/transforms/Passes.h.inc"

/// Replaces the calls in `function` (a kernel or a device function), and those
/// that come with them, by the bodies of the device functions that `symbols`
/// (an op with a symbol table) holds. Returns their number.
int64_t inlineCalls(mlir::Operation *function, mlir::Operation *symbols);

} // namespace tilewright::tile
