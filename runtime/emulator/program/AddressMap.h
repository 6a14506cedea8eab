// Where things are in the 64-bit addresses that PTX sees.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_ADDRESSMAP_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_ADDRESSMAP_H

#include <cstdint>

namespace tilewright::emulator {

// Generic addresses: windows for shared and local memory, kernel parameters and
// functions, else global (PTX section 6.4.1.1). Constant memory is in global
// memory.
constexpr uint64_t windowBytes = uint64_t{1} << 40;
constexpr uint64_t sharedWindow = 1 * windowBytes;
constexpr uint64_t localWindow = 2 * windowBytes;
constexpr uint64_t paramWindow = 3 * windowBytes;
constexpr uint64_t functionWindow = 4 * windowBytes;
constexpr uint64_t globalStart = 16 * windowBytes;

/// Bytes between the addresses of functions.
constexpr uint64_t functionStride = 16;

// Shared addresses are 32 bits: the offset in one's own block, or, with the
// block's rank + 1 above it, in that of any block of the cluster.
constexpr unsigned sharedRankShift = 24;
constexpr uint64_t sharedOffsetMask = (uint64_t{1} << sharedRankShift) - 1;

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_ADDRESSMAP_H
