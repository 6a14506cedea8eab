// The hash of a schedule's weights.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_SHA256_H
#define TILEWRIGHT_SPATIAL_PROGRAM_SHA256_H

#include "tilewright/support/Export.h"
#include <cstddef>
#include <span>
#include <string>

namespace tilewright::spatial {

/// SHA-256 (FIPS 180-4) of `bytes`, in 64 hexadecimal digits.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
sha256(std::span<const std::byte> bytes);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_SHA256_H
