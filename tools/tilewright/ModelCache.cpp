//===- ModelCache.cpp - Where compiled models are kept --------------------===//
#include "tools/tilewright/ModelCache.h"

#include <cstdlib>

namespace tilewright::tool {

/// Weights are most of it.
static constexpr int64_t maxBytes = int64_t(4) << 30;

static std::filesystem::path defaultDirectory() {
  if (const char *own = std::getenv("TILEWRIGHT_CACHE_DIR"))
    return own == std::string_view("off") ? "" : own;
  // A relative one is to be ignored (XDG Base Directory Specification).
  const char *caches = std::getenv("XDG_CACHE_HOME");
  if (caches && std::filesystem::path(caches).is_absolute())
    return std::filesystem::path(caches) / "tilewright";
  const char *home = std::getenv("HOME");
  if (home && *home)
    return std::filesystem::path(home) / ".cache" / "tilewright";
  return {};
}

StatusOr<std::shared_ptr<Cache>>
openModelCache(const std::filesystem::path &directory) {
  CacheOptions options;
  options.directory = directory.empty() ? defaultDirectory() : directory;
  options.maxBytes = maxBytes;
  if (options.directory.empty())
    return std::shared_ptr<Cache>();
  return Cache::open(std::move(options));
}

} // namespace tilewright::tool
