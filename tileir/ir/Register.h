// Registers the dialects of tileir/.
#pragma once

#include "tilewright/support/Export.h"
namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilewright {

/// Adds the tile dialect to `registry`. The caller adds the upstream dialects
/// that a tile program uses (arith, math, scf, ...).
TILEWRIGHT_PRIVATE_API void
registerAllDialects(mlir::DialectRegistry &registry);

} // namespace tilewright
