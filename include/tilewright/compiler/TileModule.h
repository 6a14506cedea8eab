// A module of tile kernels as plain data, for programs that embed Tilewright.
// Includes nothing of MLIR.
#ifndef TILEWRIGHT_COMPILER_TILEMODULE_H
#define TILEWRIGHT_COMPILER_TILEMODULE_H

#include <string>

namespace tilewright {

/// Immutable by convention. Copies are deep; threads may share one.
struct TileModule {
  /// The module at the tile level: text, a template of it (docs/schedules.md),
  /// or MLIR bytecode.
  std::string code;
  /// The name in messages if `code` has no locations: a file's path.
  std::string name = "<module>";
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_TILEMODULE_H
