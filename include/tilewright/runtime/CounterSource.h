// Devices that count what a launch does, where others can only time it.
#ifndef TILEWRIGHT_RUNTIME_COUNTERSOURCE_H
#define TILEWRIGHT_RUNTIME_COUNTERSOURCE_H

#include "tilewright/runtime/Device.h"
#include "tilewright/support/Export.h"
#include <optional>
#include <vector>

namespace tilewright::runtime {

/// One metric. Names are lower case, words joined by `_`; those of the classes
/// of instructions begin with "instructions.".
struct Counter {
  std::string name;
  uint64_t value = 0;
  friend bool operator==(const Counter &, const Counter &) = default;
};

/// What one launch did.
struct TILEWRIGHT_API LaunchCounters {
  /// As in the manifest.
  std::string kernel;
  Grid grid = {1, 1, 1};
  /// In the device's order, the same for each launch.
  std::vector<Counter> counters;

  /// The counter of that name; nothing if the device has none.
  [[nodiscard]] std::optional<uint64_t> find(std::string_view name) const;
};

/// What a device that counts is besides a Device. Safe from many threads.
class TILEWRIGHT_API CounterSource {
public:
  virtual ~CounterSource();
  /// Whether launches that begin from now on are counted; at first they are
  /// not. Counting makes them slower.
  virtual void setCounting(bool on) = 0;
  /// The launches that were counted and have ended, in the order in which they
  /// did, since the last call. Synchronize their streams before. A launch that
  /// failed has what it did until then.
  [[nodiscard]] virtual std::vector<LaunchCounters> takeCounters() = 0;
};

/// Where `device` counts what launches do, alive as long as it; null where it
/// does not.
[[nodiscard]] TILEWRIGHT_API CounterSource *counterSource(Device &device);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_COUNTERSOURCE_H
