// The file of one entry; private to this folder's sources.
#ifndef TILEWRIGHT_LIBRARY_CACHE_ENTRY_H
#define TILEWRIGHT_LIBRARY_CACHE_ENTRY_H

#include "tilewright/compiler/Cache.h"

namespace tilewright::cache {

/// The path of the entry of `key`: in one of 256 folders.
std::filesystem::path entryPath(const std::filesystem::path &directory,
                                const CacheKey &key);

/// Whether a file of a cache's folder is an entry, or is being written.
bool isEntryName(std::string_view name);
bool isTemporaryName(std::string_view name);

/// The payload of the file, if it is a whole entry of `key`; marks it as used
/// if `touch`.
std::optional<std::string> readEntry(const std::filesystem::path &path,
                                     const CacheKey &key, bool touch);

/// Writes an entry; a reader sees all of it or none. On failure nothing
/// remains.
Status writeEntry(const std::filesystem::path &path, const CacheKey &key,
                  std::string_view payload);

/// The size of a file with this many bytes.
int64_t entrySize(size_t payload);

} // namespace tilewright::cache

#endif // TILEWRIGHT_LIBRARY_CACHE_ENTRY_H
