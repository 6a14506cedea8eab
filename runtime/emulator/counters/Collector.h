// Collects the counters of a launch.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_COLLECTOR_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_COLLECTOR_H

#include "runtime/emulator/counters/Counters.h"
#include "tilewright/support/Export.h"

namespace tilewright::emulator {

/// Watches a launch. The metrics do not depend on the number of host threads:
/// each has its own table, and the tables are added.
class TILEWRIGHT_PRIVATE_API Collector {
public:
  /// Sets Launch::makeObserver. `launch` has its program, and must not run
  /// when the collector has gone.
  explicit Collector(Launch &launch);
  ~Collector();
  Collector(const Collector &) = delete;
  Collector &operator=(const Collector &) = delete;

  /// What has run; the launch must not run meanwhile.
  [[nodiscard]] KernelCounters counters() const;

private:
  class Table;
  Launch &launch;
  std::vector<std::vector<Traits>> traits;
  std::vector<std::unique_ptr<Table>> tables;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_COLLECTOR_H
