// Steps within JSON documents; private to this folder's sources.
#ifndef TILEWRIGHT_RUNTIME_ABI_STEPJSON_H
#define TILEWRIGHT_RUNTIME_ABI_STEPJSON_H

#include "runtime/abi/Json.h"
#include "tilewright/manifest/PackageManifest.h"

namespace tilewright::runtime {

/// An index into a list of `count` elements, which `what` names.
[[nodiscard]] size_t readIndex(const JsonCursor &json, size_t count,
                               std::string_view what);

/// How many buffers and inputs there are to name.
struct StepScope {
  size_t buffers = 0, inputs = 0;
};

/// Reads a list of steps; errors go to the cursor.
[[nodiscard]] std::vector<StepManifest> readSteps(const JsonCursor &json,
                                                  const StepScope &scope);
[[nodiscard]] CheckManifest readCheck(const JsonCursor &json);
[[nodiscard]] Json toJson(const std::vector<StepManifest> &steps);
[[nodiscard]] Json toJson(const CheckManifest &check);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ABI_STEPJSON_H
