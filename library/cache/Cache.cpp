#include "tilewright/compiler/Cache.h"

#include "library/cache/Entry.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright {

namespace fs = std::filesystem;

std::string CacheKey::text() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

StatusOr<std::shared_ptr<Cache>> Cache::open(CacheOptions options) {
  if (options.directory.empty() && options.readOnlyLayers.empty())
    return Status::invalidInput("cache: expected a directory, found none");
  if (options.maxBytes <= 0)
    return Status::invalidInput(
        format("cache: expected a positive number of bytes to keep, found {}",
               {options.maxBytes}));
  return std::shared_ptr<Cache>(new Cache(std::move(options)));
}

std::optional<std::string> Cache::lookup(const CacheKey &key) {
  if (!given.directory.empty())
    if (auto found = cache::readEntry(cache::entryPath(given.directory, key),
                                      key, /*touch=*/true))
      return found;
  for (const fs::path &layer : given.readOnlyLayers)
    if (auto found = cache::readEntry(cache::entryPath(layer, key), key,
                                      /*touch=*/false))
      return found;
  return std::nullopt;
}

namespace {
struct Kept {
  fs::path path;
  fs::file_time_type used;
  int64_t bytes;
};
} // namespace

/// The entries of a cache. Removes what writers left that did not finish. Other
/// processes remove files at the same time: what is gone is skipped.
static std::vector<Kept> listEntries(const CacheOptions &options) {
  std::vector<Kept> entries;
  std::error_code error;
  auto stale = fs::file_time_type::clock::now() - options.staleAfter;
  for (fs::directory_iterator folder(options.directory, error), end;
       !error && folder != end; folder.increment(error)) {
    std::error_code inner;
    for (fs::directory_iterator file(folder->path(), inner);
         !inner && file != end; file.increment(inner)) {
      std::error_code gone;
      std::string name = file->path().filename().string();
      auto used = fs::last_write_time(file->path(), gone);
      if (gone)
        continue;
      if (cache::isTemporaryName(name) && used < stale)
        fs::remove(file->path(), gone);
      if (!cache::isEntryName(name))
        continue;
      auto bytes = fs::file_size(file->path(), gone);
      if (!gone)
        entries.push_back({file->path(), used, int64_t(bytes)});
    }
  }
  return entries;
}

void Cache::clean() {
  if (given.directory.empty())
    return;
  std::vector<Kept> entries = listEntries(given);
  int64_t total = 0;
  for (const Kept &entry : entries)
    total += entry.bytes;
  if (total > given.maxBytes) {
    std::ranges::sort(entries, std::ranges::less(), &Kept::used);
    for (const Kept &entry : entries) {
      if (total <= given.maxBytes / 10 * 9)
        break;
      // Gone or not, it is counted no more: who cannot remove it cannot write
      // either.
      std::error_code gone;
      fs::remove(entry.path, gone);
      total -= entry.bytes;
    }
  }
  std::lock_guard lock(mutex);
  bytesKept = total;
  bytesSinceCount = 0;
}

Status Cache::store(const CacheKey &key, std::string_view bytes) {
  int64_t size = cache::entrySize(bytes.size());
  if (given.directory.empty() || size > given.maxBytes)
    return {};
  TILEWRIGHT_RETURN_IF_ERROR(
      cache::writeEntry(cache::entryPath(given.directory, key), key, bytes));
  bool count;
  {
    std::lock_guard lock(mutex);
    bytesSinceCount += size;
    count = !bytesKept || *bytesKept + bytesSinceCount > given.maxBytes ||
            bytesSinceCount > given.maxBytes / 10;
  }
  if (count)
    clean();
  return {};
}

} // namespace tilewright
