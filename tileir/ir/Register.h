// The one place that knows the dialects of tileir/.
#pragma once

#include "tilewright/support/Export.h"
namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilewright {

/// Adds the tile dialect to `registry`. Upstream dialects that a tile program
/// uses beside it (arith, math, scf, ...) are left to the caller.
TILEWRIGHT_PRIVATE_API void
registerAllDialects(mlir::DialectRegistry &registry);

} // namespace tilewright
