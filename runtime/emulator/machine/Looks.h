// Whether warps only wait for what others of the launch write.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_LOOKS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_LOOKS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_set>

namespace tilewright::emulator {

struct Cluster;

/// A number for two; for tables, not for storage.
constexpr uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t product = (a ^ b) * 0x9E3779B97F4A7C15;
  return product ^ product >> 29;
}

/// The latest looks of a cluster's warps at memory that other blocks write.
class Looks {
public:
  /// `signature`: where a warp looked, and what it saw.
  void add(uint64_t signature) {
    ++traffic;
    uint64_t &entry = latest[signature % latest.size()];
    sameInRow = entry == signature ? sameInRow + 1 : 0;
    entry = signature;
  }
  /// Something has changed: looks are worth while again.
  void restart() { sameInRow = 0; }
  /// The cluster has looked often, and seen nothing that it had not seen.
  [[nodiscard]] bool areSame() const { return sameInRow >= patience; }
  /// Looks, and atomics that changed something.
  uint64_t traffic = 0;

private:
  static constexpr uint32_t patience = 64;
  std::array<uint64_t, 256> latest = {};
  uint32_t sameInRow = 0;
};

/// The states that the parts of a cluster were in: a warp's registers, local
/// memory and position, and a block's shared memory. Parts that only come to
/// states that they were in before go round in a circle.
class StateHistory {
public:
  /// Adds the states of now; whether one is new. `changes` counts the changes
  /// of what the cluster reads: after one all states are new.
  bool addsNew(const Cluster &cluster, uint64_t changes);
  /// As above, for a cluster that runs: it costs little, as most calls do
  /// nothing while states are new. Whether all of the last ones were old.
  bool repeats(const Cluster &cluster, uint64_t changes);
  /// What repeats() returned.
  [[nodiscard]] bool areOld() const { return oldInRow >= enough; }

private:
  static constexpr uint32_t maxSkips = 7, enough = 16;
  bool add(uint64_t state) { return states.insert(state).second; }

  std::unordered_set<uint64_t> states;
  uint64_t changes = 0;
  /// Calls in a row that found old states, and calls to skip as those before
  /// found new ones.
  uint32_t oldInRow = 0, skips = 0, nextSkips = 0;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_LOOKS_H
