// Kernel manifests within JSON documents; private to this folder's sources.
#ifndef TILEWRIGHT_RUNTIME_ABI_MANIFESTJSON_H
#define TILEWRIGHT_RUNTIME_ABI_MANIFESTJSON_H

#include "runtime/abi/Json.h"
#include "tilewright/manifest/KernelManifest.h"

namespace tilewright::runtime {

/// Reads a kernel manifest; errors go to the cursor.
[[nodiscard]] KernelManifest readKernel(const JsonCursor &json);
[[nodiscard]] Json toJson(const KernelManifest &kernel);

/// A path that stays inside the package: relative, no "..", no empty part.
[[nodiscard]] bool isPackagePath(std::string_view path);

/// "a", "b" -> "a, b".
[[nodiscard]] std::string joinNames(const std::vector<std::string> &names);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ABI_MANIFESTJSON_H
