// The counters of a device's launches, and what was found in them.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_COUNTERLOG_H
#define TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_COUNTERLOG_H

#include "runtime/emulator/counters/Counters.h"
#include "runtime/emulator/machine/Scheduler.h"
#include "tilewright/runtime/CounterSource.h"
#include "tilewright/runtime/FindingSource.h"
#include <atomic>
#include <mutex>

namespace tilewright::emulator {

/// Runs launches, and keeps their counters on request. The metrics are those of
/// Counters.inc, the warps of each class of instructions (Classes.inc) as
/// "instructions.NAME", and "registers": an estimate for one thread. Safe from
/// many threads.
class CounterLog {
public:
  void setCounting(bool on) { isCounting = on; }
  /// The result of runtime::CounterSource::takeCounters.
  [[nodiscard]] std::vector<runtime::LaunchCounters> take();

  void setSumming(bool on) { isSumming = on; }
  /// The result of KernelTotals::takeTotals.
  [[nodiscard]] std::vector<KernelTotal> takeTotals();
  /// The result of runtime::FindingSource::takeFindings.
  [[nodiscard]] std::vector<runtime::Finding> takeFindings();

  /// As emulator::run; a fault of the kernel is kept as a finding.
  void run(Launch &launch, const runtime::KernelManifest &manifest);

private:
  void count(Launch &launch, const runtime::KernelManifest &manifest);
  void sum(const KernelCounters &counters);

  /// Where nobody takes them, no more are kept.
  static constexpr size_t mostFindings = 64;
  std::atomic<bool> isCounting = false, isSumming = false;
  std::mutex mutex;
  std::vector<runtime::LaunchCounters> ended;
  std::vector<KernelTotal> totals;
  std::vector<runtime::Finding> findings;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_COUNTERLOG_H
