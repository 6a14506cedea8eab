// Devices in separate shared libraries, which are loaded on first use.
#ifndef TILEWRIGHT_RUNTIME_CORE_DEVICELIBRARY_H
#define TILEWRIGHT_RUNTIME_CORE_DEVICELIBRARY_H

#include "tilewright/support/Status.h"
#include <filesystem>
#include <span>
#include <string>

namespace tilewright::runtime {

/// A library in the runtime's folder that adds a kind of device to
/// DeviceRegistry::builtin() when it is loaded.
struct DeviceLibrary {
  std::string kind;
  /// The name of its file.
  std::string file;

  /// Whether its file is in the runtime's folder.
  [[nodiscard]] bool isThere() const;
  /// Loads it on the first call; it is never unloaded. Errors say which file
  /// was looked for, and why it cannot be loaded.
  [[nodiscard]] Status load() const;

private:
  [[nodiscard]] std::filesystem::path path() const;
};

[[nodiscard]] std::span<const DeviceLibrary> deviceLibraries();

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_DEVICELIBRARY_H
