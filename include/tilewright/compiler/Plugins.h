//===- Plugins.h - Passes, targets and frontends from outside ---*- C++ -*-===//
//
// For programs that load plug-ins; who writes one includes Registry.h. Includes
// nothing of MLIR or LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_COMPILER_PLUGINS_H
#define TILEWRIGHT_COMPILER_PLUGINS_H

#include "tilewright/compiler/TileModule.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace tilewright {

class Registry;

/// What some plug-ins add. Immutable; safe from many threads. The code of a
/// plug-in stays loaded until the process ends.
class TILEWRIGHT_API Plugins {
public:
  /// Loads shared libraries, in this order. Errors: no such file, no plug-in,
  /// one that was built for another version, one that fails, and two that add a
  /// thing of the same name.
  static StatusOr<std::shared_ptr<const Plugins>>
  load(std::span<const std::filesystem::path> paths);
  ~Plugins();

  /// Reads tile kernels from the file `path` with the frontend of its
  /// extension. Errors: there is none, what it says, or that it gives a graph.
  StatusOr<TileModule> import(const std::filesystem::path &path) const;

  [[nodiscard]] const Registry &registry() const { return *added; }
  /// Differs between any two sets of plug-ins whose code may differ.
  [[nodiscard]] std::string_view identity() const { return identityText; }

private:
  Plugins();
  std::unique_ptr<Registry> added;
  std::string identityText;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_PLUGINS_H
