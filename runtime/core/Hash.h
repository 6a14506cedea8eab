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

/// "xxh64:" and the hash in 16 hexadecimal digits, as in manifests.
[[nodiscard]] std::string hashText(std::span<const std::byte> bytes);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_HASH_H
