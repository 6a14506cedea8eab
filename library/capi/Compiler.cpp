// Versions, caches and compilers.
#include "library/capi/Handles.h"
#include "support/Format.h"
#include "tilewright/compiler/Plugins.h"

using namespace tilewright;
using namespace tilewright::capi;
using runtime::checkArguments;
using runtime::guarded;

uint32_t twc_abi_version(void) { return TILEWRIGHT_COMPILER_ABI_VERSION; }

static std::string versionText(uint32_t version) {
  return format("{}.{}", {version >> 16, version & 0xffff});
}

Status capi::checkVersion(uint32_t version) {
  if (version >> 16 == TILEWRIGHT_COMPILER_ABI_MAJOR)
    return {};
  return Status::unsupported(format(
      "the program was built for version {} of the compiler's C interface, the "
      "library has {}: build it with the library's tilewright-compiler.h, and "
      "set abi_version to TILEWRIGHT_COMPILER_ABI_VERSION",
      {versionText(version), versionText(TILEWRIGHT_COMPILER_ABI_VERSION)}));
}

Status capi::checkSize(const char *type, size_t found, size_t first) {
  // No struct grows to this: such a size was never set.
  constexpr size_t most = 1 << 16;
  if (found >= first && found <= most)
    return {};
  return Status::invalidInput(
      format("{}: size is {}, expected sizeof({}), {} or more",
             {type, found, type, first}));
}

StatusOr<std::vector<std::string>> capi::readTexts(const char *name,
                                                   const char *const *texts,
                                                   size_t count,
                                                   const char *what) {
  std::vector<std::string> result;
  if (count && !texts)
    return Status::invalidInput(
        format("{} is NULL, expected {} {}s", {name, count, what}));
  for (size_t i = 0; i < count; ++i) {
    if (!texts[i])
      return Status::invalidInput(
          format("{}[{}] is NULL, expected a {}", {name, i, what}));
    result.emplace_back(texts[i]);
  }
  return result;
}

StatusOr<std::vector<std::filesystem::path>>
capi::readPaths(const char *name, const char *const *paths, size_t count) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto texts,
                              readTexts(name, paths, count, "path"));
  return std::vector<std::filesystem::path>(texts.begin(), texts.end());
}

Status capi::checkNotNegative(const char *name, int64_t value) {
  if (value >= 0)
    return {};
  return Status::invalidInput(
      format("{} is {}, expected 0 or more", {name, value}));
}

tw_status *twc_cache_open(const twc_cache_options *options, twc_cache **cache) {
  if (cache)
    *cache = nullptr;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"options", options}, {"cache", cache}}));
    TILEWRIGHT_ASSIGN_OR_RETURN(auto given,
                                readStruct("twc_cache_options", options));
    TILEWRIGHT_RETURN_IF_ERROR(
        checkNotNegative("stale_after_seconds", given.stale_after_seconds));
    TILEWRIGHT_RETURN_IF_ERROR(checkNotNegative("max_bytes", given.max_bytes));
    CacheOptions wanted;
    TILEWRIGHT_ASSIGN_OR_RETURN(wanted.readOnlyLayers,
                                readPaths("read_only_layers",
                                          given.read_only_layers,
                                          given.read_only_layer_count));
    if (given.directory)
      wanted.directory = given.directory;
    if (given.max_bytes)
      wanted.maxBytes = given.max_bytes;
    if (given.stale_after_seconds)
      wanted.staleAfter = std::chrono::seconds(given.stale_after_seconds);
    TILEWRIGHT_ASSIGN_OR_RETURN(auto opened, Cache::open(std::move(wanted)));
    *cache = new twc_cache{std::move(opened)};
    return {};
  });
}

tw_status *twc_cache_clean(twc_cache *cache) {
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(checkArguments({{"cache", cache}}));
    cache->cache->clean();
    return {};
  });
}

void twc_cache_free(twc_cache *cache) { delete cache; }

tw_status *twc_compiler_create(const twc_compiler_options *options,
                               twc_compiler **compiler) {
  if (compiler)
    *compiler = nullptr;
  return guarded([&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(
        checkArguments({{"options", options}, {"compiler", compiler}}));
    TILEWRIGHT_ASSIGN_OR_RETURN(auto given,
                                readStruct("twc_compiler_options", options));
    TILEWRIGHT_RETURN_IF_ERROR(checkNotNegative("threads", given.threads));
    TILEWRIGHT_ASSIGN_OR_RETURN(
        auto paths, readPaths("plugins", given.plugins, given.plugin_count));
    CompilerOptions wanted;
    wanted.threads = given.threads;
    if (given.cache)
      wanted.cache = given.cache->cache;
    if (!paths.empty()) {
      TILEWRIGHT_ASSIGN_OR_RETURN(wanted.plugins, Plugins::load(paths));
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(auto created, Compiler::create(wanted));
    *compiler = new twc_compiler{std::move(created)};
    return {};
  });
}

void twc_compiler_free(twc_compiler *compiler) { delete compiler; }
