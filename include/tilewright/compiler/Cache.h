// A store of bytes in a directory. The key of an entry is a hash of everything
// that determines its bytes. The cache does not interpret them.
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

/// A collision-resistant 256-bit hash.
struct TILEWRIGHT_API CacheKey {
  std::array<uint8_t, 32> bytes = {};
  /// The hash as 64 hexadecimal digits.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const CacheKey &, const CacheKey &) = default;
};

struct CacheOptions {
  /// The directory of the entries, which is created with the first one. Empty:
  /// nothing is written.
  std::filesystem::path directory = {};
  /// Limit on the bytes of all entries. Above it the least recently used
  /// entries are removed until nine tenths of the limit are left. Entries
  /// written by other processes are included only in the next count, so n
  /// processes may exceed the limit by n tenths.
  int64_t maxBytes = int64_t(1) << 30;
  /// Directories of other caches, which are searched next, in this order, and
  /// never written.
  std::vector<std::filesystem::path> readOnlyLayers = {};
  /// The age at which a temporary file of an unfinished write is removed.
  std::chrono::seconds staleAfter = std::chrono::minutes(10);
};

/// Threads and processes may share a directory, on a network file system too.
/// An entry is written to a temporary file and renamed, so a reader sees either
/// all of it or nothing; there are no locks. A damaged entry counts as missing
/// and is replaced by the next store. All members are safe from many threads.
class TILEWRIGHT_API Cache {
public:
  /// Does not access any file. Errors: no directory and no layer; `maxBytes` is
  /// not positive.
  static StatusOr<std::shared_ptr<Cache>> open(CacheOptions options);

  /// The bytes of `key`, if the entry exists and is not damaged. Marks it as
  /// used, at most once a minute.
  [[nodiscard]] std::optional<std::string> lookup(const CacheKey &key);
  /// Stores `bytes`, and removes other entries if there are too many bytes. An
  /// entry larger than the limit is not stored. Errors: the directory cannot be
  /// written, or is full; no partial entry is left.
  Status store(const CacheKey &key, std::string_view bytes);
  /// Removes entries above the limit and stale temporary files.
  void clean();

  [[nodiscard]] const CacheOptions &options() const { return given; }

private:
  explicit Cache(CacheOptions options) : given(std::move(options)) {}
  CacheOptions given;
  std::mutex mutex;
  /// Bytes at the last count, and bytes stored since; empty before the first
  /// count.
  std::optional<int64_t> bytesKept;
  int64_t bytesSinceCount = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_CACHE_H
