// The checksum of package files.
#ifndef TILEWRIGHT_RUNTIME_CORE_HASH_H
#define TILEWRIGHT_RUNTIME_CORE_HASH_H

#include "tilewright/support/Export.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tilewright::runtime {

/// XXH64 of `bytes` (github.com/Cyan4973/xxHash, doc/xxhash_spec.md). It finds
/// accidents, not attacks.
[[nodiscard]] TILEWRIGHT_PRIVATE_API uint64_t
xxh64(std::span<const std::byte> bytes, uint64_t seed = 0);

/// XXH64 of bytes that come in parts: all but the last are multiples of 32
/// bytes.
class PartialHash {
public:
  explicit PartialHash(uint64_t seed = 0);

  void update(std::span<const std::byte> part);

  /// Of the parts and `rest`.
  [[nodiscard]] uint64_t finish(std::span<const std::byte> rest) const;

private:
  uint64_t seed, length = 0;
  uint64_t lanes[4];
};

/// "xxh64:" and the hash in 16 hexadecimal digits, as in manifests.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
hashText(std::span<const std::byte> bytes);
[[nodiscard]] std::string hashText(uint64_t hash);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_HASH_H
