// The passes that stay within the tile level; described in Passes.td.
#pragma once

#include "mlir/Pass/Pass.h"
#include <memory>
#include <string>

namespace tilewright::tile {

#define GEN_PASS_DECL
#include "tileir/transforms/Passes.h.inc"

/// Makes the passes known by name, for tools that read pass pipelines.
#define GEN_PASS_REGISTRATION
#include "tileir/transforms/Passes.h.inc"

} // namespace tilewright::tile
