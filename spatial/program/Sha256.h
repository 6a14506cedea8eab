// The hash of a schedule's weights.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_SHA256_H
#define TILEWRIGHT_SPATIAL_PROGRAM_SHA256_H

#include "tilewright/support/Export.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tilewright::spatial {

/// SHA-256 (FIPS 180-4) of bytes that come one part after the other.
class Sha256 {
public:
  void add(std::span<const std::byte> bytes);
  /// The hash of all that was added, in 64 hexadecimal digits. Nothing is added
  /// afterwards.
  [[nodiscard]] std::string finish();

private:
  static constexpr size_t blockBytes = 64;
  void addBlock(const std::byte *block);

  /// The state, and its initial value (5.3.3).
  std::array<uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                   0xa54ff53a, 0x510e527f, 0x9b05688c,
                                   0x1f83d9ab, 0x5be0cd19};
  /// What is left of a block, `total` modulo its size.
  std::array<std::byte, blockBytes> rest = {};
  uint64_t total = 0;
};

/// The hash of `bytes`.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
sha256(std::span<const std::byte> bytes);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_SHA256_H
