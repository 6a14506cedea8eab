// Asynchronous copies that threads wait for by groups.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_COPYGROUPS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_COPYGROUPS_H

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilewright::emulator {

struct Instruction;
class PendingWords;

/// A copy for which its thread has not waited.
struct PendingCopy {
  unsigned lane = 0;
  uint64_t group = 0;
  /// Makes the copy; null: it is made.
  std::function<void()> land;
  /// Of cp.async, the instruction, and what it writes of its block's shared
  /// memory; null for others.
  const Instruction *instruction = nullptr;
  uint32_t offset = 0, bytes = 0;
};

/// The copies of a warp's lanes for which these have not waited (PTX section
/// 9.7.9.25.1.1). A lane puts those it starts into its open group, which it
/// closes with a commit; groups land in the order of their commits.
class CopyGroups {
public:
  /// `copy` goes into the open group of its lane. What its land() captures
  /// lives as long as the cluster.
  void start(PendingCopy copy);
  /// Closes the open group of each of `lanes`; it may be empty.
  void commit(uint32_t lanes);
  /// Lands all groups of each of `lanes` but for its `recent` last ones.
  /// `words` has what they write of shared memory, and loses it.
  void wait(uint32_t lanes, uint32_t recent, PendingWords &words);
  /// Lands what `lanes` have started, open groups too.
  void wait(uint32_t lanes, PendingWords &words);
  /// As wait(), for lanes that end: nobody has waited for their copies into
  /// shared memory, nor will.
  void land(uint32_t lanes);
  /// A copy that writes one of these bytes of shared memory, or null.
  [[nodiscard]] const PendingCopy *find(uint64_t offset, uint64_t bytes) const;

private:
  template <typename F> void endIf(PendingWords &words, F isDue);

  /// In the order in which they started.
  std::vector<PendingCopy> pending;
  /// The number of each lane's open group.
  std::array<uint64_t, 32> open = {};
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_COPYGROUPS_H
