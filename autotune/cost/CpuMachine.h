//===- CpuMachine.h - What a CPU can do in a cycle --------------*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_CPUMACHINE_H
#define TILEWRIGHT_AUTOTUNE_COST_CPUMACHINE_H

#include "tilewright/support/Status.h"
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::autotune {

/// One core (CpuCores.inc).
struct CpuCore {
  std::string_view name;
  double fmaBits = 256, fmaLatency = 5;
  double loadBits = 256, loads = 2, storeBits = 128;
  double instructions = 4, window = 192;
  /// Bytes a cycle that come from the next caches.
  double l2Bytes = 16, l3Bytes = 8;
};
/// The core of that LLVM name.
[[nodiscard]] const CpuCore &cpuCoreNamed(std::string_view name);

/// A CPU as plain data: costs do not depend on where they are computed.
struct CpuMachine {
  CpuCore core;
  unsigned cores = 1;
  double gigahertz = 3;
  /// Of one core; l3 of the cores that share it, and how many these are.
  int64_t l1 = 32 << 10, l2 = 512 << 10, l3 = 8 << 20;
  double line = 64;
  unsigned l3Cores = 1;
  /// Gigabytes a second from memory: of one core, and of all.
  double coreMemory = 12, memory = 25;
  /// Nanoseconds: a launch, waking a thread for it, taking a chunk.
  double launch = 200, wake = 3000, chunk = 60;

  // What a measurement on the machine found (calibrate); it replaces the above.
  std::optional<double> measuredGigahertz, measuredCoreMemory, measuredMemory,
      measuredL3Bytes, measuredL2Bytes;

  [[nodiscard]] double clock() const {
    return measuredGigahertz.value_or(gigahertz);
  }
  [[nodiscard]] double memoryOf(unsigned threads) const;
  [[nodiscard]] double l2BytesPerCycle() const {
    return measuredL2Bytes.value_or(core.l2Bytes);
  }
  [[nodiscard]] double l3BytesPerCycle() const {
    return measuredL3Bytes.value_or(core.l3Bytes);
  }
};

/// The machine of this process, by its identification: nothing is timed. `cpu`
/// is LLVM's name for it (cpu::hostTarget); facts that the system does not
/// report have their defaults.
[[nodiscard]] CpuMachine hostMachine(std::string_view cpu);
/// The same from another folder than /sys/devices/system/cpu; for tests.
[[nodiscard]] CpuMachine machineFrom(const std::filesystem::path &system,
                                     std::string_view cpu);

/// Measures clock and bandwidths for some tenths of a second, on all cores, and
/// fills in the results. Errors: no memory or no threads for it.
Status calibrate(CpuMachine &machine);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_CPUMACHINE_H
