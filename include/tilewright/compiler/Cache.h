// A store of bytes in a directory, by keys that are hashes of what the bytes
// are a function of. Knows nothing of what they are.
#ifndef TILEWRIGHT_COMPILER_CACHE_H
#define TILEWRIGHT_COMPILER_CACHE_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// A hash of 256 bits that nobody can make two inputs of.
struct TILEWRIGHT_API CacheKey {
  std::array<uint8_t, 32> bytes = {};
  /// In 64 hexadecimal digits.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const CacheKey &, const CacheKey &) = default;
};

struct CacheOptions {
  /// Where entries are read and written; made when the first is written. Empty:
  /// nothing is written.
  std::filesystem::path directory = {};
  /// Bytes of entries to keep. Above that, those that were not used for the
  /// longest time go, until nine tenths are left. What other processes wrote is
  /// seen at the next count, so that n processes may keep n tenths more.
  int64_t maxBytes = int64_t(1) << 30;
  /// Directories of other caches that are looked at next, in this order, and
  /// never written.
  std::vector<std::filesystem::path> readOnlyLayers = {};
  /// How old a file of a writer that did not finish is when it is removed.
  std::chrono::seconds staleAfter = std::chrono::minutes(10);
};

/// Threads and processes may share a directory, on a network file system too:
/// an entry is written aside and renamed, so a reader sees all of it or none,
/// and there are no locks. An entry that is damaged in any bit counts as
/// missing and is replaced by the next store. All members are safe from many
/// threads.
class TILEWRIGHT_API Cache {
public:
  /// Touches no file. Errors: no directory at all, or no positive size.
  static StatusOr<std::shared_ptr<Cache>> open(CacheOptions options);

  /// The bytes of `key`, if they are there and whole. Marks them as used, at
  /// most once a minute.
  [[nodiscard]] std::optional<std::string> lookup(const CacheKey &key);
  /// Keeps `bytes`, and removes others where there are too many. Bytes that
  /// alone are too many are not kept. Errors: the directory cannot be written,
  /// or is full; nothing is left behind then.
  Status store(const CacheKey &key, std::string_view bytes);
  /// Removes what is too much or stale.
  void clean();

  [[nodiscard]] const CacheOptions &options() const { return given; }

private:
  explicit Cache(CacheOptions options) : given(std::move(options)) {}
  CacheOptions given;
  std::mutex mutex;
  /// Bytes at the last count and what was stored since; none: not counted.
  std::optional<int64_t> bytesKept;
  int64_t bytesSinceCount = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_CACHE_H
