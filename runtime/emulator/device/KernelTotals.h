// What the kernels of a model execute on the emulator, instruction by
// instruction.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_KERNELTOTALS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_KERNELTOTALS_H

#include "runtime/emulator/counters/Counters.h"
#include "tilewright/runtime/Device.h"
#include "tilewright/support/Export.h"
#include <vector>

namespace tilewright::emulator {

/// What the emulator is besides a Device. Safe from many threads.
class KernelTotals {
public:
  virtual ~KernelTotals();
  /// Whether launches that begin from now on are summed by kernel; the default
  /// is false. It makes them slower.
  virtual void setSumming(bool on) = 0;
  /// Each kernel whose launches were summed and have ended since the last call,
  /// in the order of their first ends. Synchronize their streams before.
  [[nodiscard]] virtual std::vector<KernelTotal> takeTotals() = 0;
};

/// The totals of `device`, alive as long as it; null where it is no emulator.
[[nodiscard]] TILEWRIGHT_PRIVATE_API KernelTotals *
kernelTotals(runtime::Device &device);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_KERNELTOTALS_H
