// Where the warps of a cluster change, by a seed.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_INTERLEAVING_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_INTERLEAVING_H

#include <cstdint>

namespace tilewright::emulator {

/// Numbers that follow from a seed and the linear index of a cluster alone, so
/// that a launch repeats on any number of host threads.
class Interleaving {
public:
  Interleaving(uint64_t seed, uint64_t cluster)
      : state(seed * 0x9E3779B97F4A7C15 + cluster) {}

  /// One of 0 to `bound` - 1 (SplitMix64).
  uint64_t below(uint64_t bound) {
    uint64_t bits = state += 0x9E3779B97F4A7C15;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return (bits ^ (bits >> 31)) % bound;
  }
  /// Instructions that a warp runs before another does: 1 to 1024, often few.
  uint64_t slice() { return 1 + below(uint64_t{1} << below(11)); }
  /// Whether another warp runs after an access to memory that warps share, or
  /// a barrier.
  bool changesAtAccess() { return below(4) == 0; }

private:
  uint64_t state;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_INTERLEAVING_H
