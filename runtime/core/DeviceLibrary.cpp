#include "runtime/core/DeviceLibrary.h"
#include "support/Format.h"
#include <dlfcn.h>

namespace tilewright::runtime {

std::span<const DeviceLibrary> deviceLibraries() {
  static const DeviceLibrary libraries[] = {
      {"emulator", "libtilewright_emulator.so." TILEWRIGHT_SOVERSION}};
  return libraries;
}

/// Empty where the loader does not know what file this code is from.
static std::filesystem::path folderOfRuntime() {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<const void *>(&folderOfRuntime), &info) ||
      !info.dli_fname)
    return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

std::filesystem::path DeviceLibrary::path() const {
  return folderOfRuntime() / file;
}

bool DeviceLibrary::isThere() const {
  std::error_code error;
  return std::filesystem::exists(path(), error);
}

Status DeviceLibrary::load() const {
  if (dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL))
    return Status();
  const char *why = dlerror();
  return Status::notFound(format(
      "device '{}': expected its library, {}, beside that of the runtime: {}",
      {kind, file, why ? why : "it cannot be loaded"}));
}

} // namespace tilewright::runtime
