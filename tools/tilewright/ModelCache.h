//===- ModelCache.h - Where compiled models are kept ------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_MODELCACHE_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_MODELCACHE_H

#include "tilewright/compiler/Cache.h"

namespace tilewright::tool {

/// The cache in `directory`, or where that is empty in TILEWRIGHT_CACHE_DIR,
/// else tilewright in XDG_CACHE_HOME, else .cache/tilewright in HOME. Null
/// where TILEWRIGHT_CACHE_DIR is "off" or empty, or none of them is set.
StatusOr<std::shared_ptr<Cache>>
openModelCache(const std::filesystem::path &directory = {});

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_MODELCACHE_H
