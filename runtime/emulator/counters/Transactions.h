// What memory has to do for the addresses of one warp.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_TRANSACTIONS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_TRANSACTIONS_H

#include <cstdint>
#include <span>

namespace tilewright::emulator {

/// Contiguous bytes in global memory.
struct Piece {
  uint64_t address = 0, bytes = 0;
};

/// Global memory moves sectors of 32 bytes (CUDA C++ Programming Guide, "Device
/// Memory Accesses": 32-byte transactions).
constexpr uint64_t sectorBytes = 32;

struct SectorCount {
  /// Different sectors that the pieces touch.
  uint32_t touched = 0;
  /// Sectors that their different bytes would fill.
  uint32_t ideal = 0;
};
/// At most 64 pieces; pieces of the same bytes, or which overlap, count once.
[[nodiscard]] SectorCount countSectors(std::span<const Piece> pieces);

/// Shared memory has 32 banks; successive words of 4 bytes are in successive
/// banks, and a pass reads or writes one word of each (CUDA C++ Programming
/// Guide, "Shared Memory").
constexpr uint32_t bankCount = 32, bankBytes = 4;

struct WavefrontCount {
  uint32_t needed = 0;
  /// Without conflicts.
  uint32_t ideal = 0;
};
/// The passes of an access of `bytes` (up to 16) a lane by the lanes in
/// `lanes`, at byte offsets `offsets[lane]`. Accesses of up to 4 bytes are made
/// by all lanes at once, of 8 by halves and of 16 by quarters of the warp. Each
/// such part that has lanes takes one pass for each different word in its
/// fullest bank: equal words are read once.
[[nodiscard]] WavefrontCount
countWavefronts(std::span<const uint32_t, 32> offsets, uint32_t lanes,
                uint32_t bytes);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_TRANSACTIONS_H
