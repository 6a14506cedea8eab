// The objects behind the handles of the C interface.
#ifndef TILEWRIGHT_LIBRARY_CAPI_HANDLES_H
#define TILEWRIGHT_LIBRARY_CAPI_HANDLES_H

#include "runtime/capi/StatusHandle.h"
#include "tilewright/c/tilewright-compiler.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/compiler/Compiler.h"
#include <algorithm>
#include <cstring>

struct twc_cache {
  std::shared_ptr<tilewright::Cache> cache;
};

struct twc_compiler {
  std::unique_ptr<tilewright::Compiler> compiler;
};

struct twc_request {
  tilewright::CompileRequest request;
};

struct twc_stop {
  std::stop_source source;
};

struct twc_job {
  tilewright::CompileHandle handle;
};

namespace tilewright::capi {

/// So many milliseconds, but no more than clocks can count.
inline std::chrono::milliseconds clampTime(int64_t milliseconds) {
  constexpr std::chrono::milliseconds most = std::chrono::years(100);
  return std::min(std::chrono::milliseconds(milliseconds), most);
}

/// A new handle of a compilation's result, and its failure.
Status giveResult(std::shared_ptr<const CompileResult> made,
                  twc_result **result);
/// The same of a model; `report` has diagnostics and phases.
Status giveResult(const StatusOr<CompileModelReport> &made,
                  CompileReport report, twc_result **result);

/// A list of texts none of which is NULL; `what` describes one: "target".
StatusOr<std::vector<std::string>> readTexts(const char *name,
                                             const char *const *texts,
                                             size_t count, const char *what);
StatusOr<std::vector<std::filesystem::path>>
readPaths(const char *name, const char *const *paths, size_t count);

/// Rejects a program that was built for another major version.
Status checkVersion(uint32_t version);

/// A count or a limit that must not be negative.
Status checkNotNegative(const char *name, int64_t value);

/// Rejects a struct of `found` bytes where the first version had `first`.
Status checkSize(const char *type, size_t found, size_t first);

/// Reads the struct of a program of another version: fields that it does not
/// have are 0. Errors: a field that this library does not have is not 0.
template <class T> StatusOr<T> readStruct(const char *type, const T *given) {
  TILEWRIGHT_RETURN_IF_ERROR(checkSize(type, given->size, sizeof(T)));
  T known = {};
  std::memcpy(&known, given, std::min(given->size, sizeof(T)));
  TILEWRIGHT_RETURN_IF_ERROR(checkVersion(known.abi_version));
  const char *bytes = reinterpret_cast<const char *>(given);
  if (std::any_of(bytes + sizeof(T), bytes + std::max(given->size, sizeof(T)),
                  [](char byte) { return byte != 0; }))
    return Status::unsupported(std::string(type) +
                               ": sets a field that this library does not "
                               "know; expected a newer library");
  return known;
}

/// Stores the fields of `value` that the program has; its other fields become
/// 0.
template <class T> Status writeStruct(const char *type, T value, T *given) {
  TILEWRIGHT_RETURN_IF_ERROR(checkSize(type, given->size, sizeof(T)));
  value.size = given->size;
  std::memset(reinterpret_cast<char *>(given), 0, given->size);
  std::memcpy(given, &value, std::min(value.size, sizeof(T)));
  return {};
}

} // namespace tilewright::capi

#endif // TILEWRIGHT_LIBRARY_CAPI_HANDLES_H
