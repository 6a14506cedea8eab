// The counters of a device's launches.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_COUNTERLOG_H
#define TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_COUNTERLOG_H

#include "runtime/core/CounterSource.h"
#include "runtime/emulator/machine/Scheduler.h"
#include <atomic>
#include <mutex>

namespace tilewright::emulator {

/// Runs launches, and keeps their counters where that is wanted. The figures
/// are those of Counters.inc, the warps of each class of instructions
/// (Classes.inc) as "instructions.NAME", and "registers": an estimate of those
/// of a thread. Safe from many threads.
class CounterLog {
public:
  void setCounting(bool on) { isCounting = on; }
  /// What runtime::CounterSource::takeCounters gives.
  [[nodiscard]] std::vector<runtime::LaunchCounters> take();

  /// As emulator::run.
  void run(Launch &launch, const runtime::KernelManifest &manifest);

private:
  std::atomic<bool> isCounting = false;
  std::mutex mutex;
  std::vector<runtime::LaunchCounters> ended;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_COUNTERLOG_H
