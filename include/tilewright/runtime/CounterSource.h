// Counters of launches, from devices that count them.
#ifndef TILEWRIGHT_RUNTIME_COUNTERSOURCE_H
#define TILEWRIGHT_RUNTIME_COUNTERSOURCE_H

#include "tilewright/runtime/Device.h"
#include "tilewright/support/Export.h"
#include <optional>
#include <vector>

namespace tilewright::runtime {

/// One metric. Its name is in lower case, with words joined by `_`; counters of
/// instruction classes begin with "instructions.".
struct Counter {
  std::string name;
  uint64_t value = 0;
  friend bool operator==(const Counter &, const Counter &) = default;
};

/// The counters of one launch.
struct TILEWRIGHT_API LaunchCounters {
  /// The kernel's name in the manifest.
  std::string kernel;
  Grid grid = {1, 1, 1};
  /// In the same order for each launch of a device.
  std::vector<Counter> counters;

  /// The counter of this name; none if the device does not have it.
  [[nodiscard]] std::optional<uint64_t> find(std::string_view name) const;
};

/// An interface of devices that count. Safe from many threads.
class TILEWRIGHT_API CounterSource {
public:
  virtual ~CounterSource();
  /// Turns counting on or off for launches that begin from now on; it is off at
  /// first. Counting slows launches down.
  virtual void setCounting(bool on) = 0;
  /// Returns the counters of all counted launches that ended since the last
  /// call, in the order in which they ended. Synchronize their streams first.
  /// The counters of a failed launch include everything up to the failure.
  [[nodiscard]] virtual std::vector<LaunchCounters> takeCounters() = 0;
};

/// The counters of `device`, which live as long as it; null if it does not
/// count.
[[nodiscard]] TILEWRIGHT_API CounterSource *counterSource(Device &device);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_COUNTERSOURCE_H
