//===- Plugins.h - Passes, targets and frontends from outside ---*- C++ -*-===//
//
// For programs that load plug-ins; a plug-in itself includes mlir/Registry.h.
// Includes neither MLIR nor LLVM.
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

/// The additions of a set of plug-ins. Immutable; safe from many threads. The
/// code of a plug-in stays loaded until the process ends.
class TILEWRIGHT_API Plugins {
public:
  /// Loads shared libraries in this order. Errors: a file does not exist, is no
  /// plug-in, was built for another version, or fails to register; two
  /// additions have the same name.
  static StatusOr<std::shared_ptr<const Plugins>>
  load(std::span<const std::filesystem::path> paths);
  ~Plugins();

  /// Reads tile kernels from the file `path` with the plug-in frontend for its
  /// extension. Errors: there is none, it fails, or it returns a graph.
  StatusOr<TileModule> import(const std::filesystem::path &path) const;

  [[nodiscard]] const Registry &registry() const { return *added; }
  /// Hashes of the plug-ins' files. Sets of plug-ins with different code have
  /// different identities.
  [[nodiscard]] std::string_view identity() const { return identityText; }

private:
  Plugins();
  std::unique_ptr<Registry> added;
  std::string identityText;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_PLUGINS_H
