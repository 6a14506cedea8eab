// Asynchronous copies that threads wait for by groups.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_COPYGROUPS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_COPYGROUPS_H

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilewright::emulator {

/// The copies of a warp's lanes that have not landed (PTX section
/// 9.7.9.25.1.1). A lane puts those it starts into its open group, which it
/// closes with a commit; groups land in the order of their commits.
class CopyGroups {
public:
  /// `land` makes the copy. Its captures live as long as the cluster.
  void start(unsigned lane, std::function<void()> land);
  /// Closes the open group of each of `lanes`; it may be empty.
  void commit(uint32_t lanes);
  /// Lands all groups of each of `lanes` but for its `recent` last ones.
  void wait(uint32_t lanes, uint32_t recent);
  /// Lands what `lanes` have started, open groups too.
  void land(uint32_t lanes);

private:
  struct Copy {
    unsigned lane = 0;
    uint64_t group = 0;
    std::function<void()> land;
  };
  template <typename F> void landIf(F isDue);

  /// In the order in which they started.
  std::vector<Copy> pending;
  /// The number of each lane's open group.
  std::array<uint64_t, 32> open = {};
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_COPYGROUPS_H
