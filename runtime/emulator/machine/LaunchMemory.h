// The memory of a launch's frames, which has a budget.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_LAUNCHMEMORY_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_LAUNCHMEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tilewright::emulator {

/// Gives a piece back to its budget.
struct LaunchMemoryRelease {
  std::atomic<uint64_t> *used = nullptr;
  uint64_t bytes = 0;
  void operator()(std::byte *memory) const;
};
/// Bytes that start as zeros and take memory of the host only when touched.
using LaunchMemory = std::unique_ptr<std::byte[], LaunchMemoryRelease>;

/// Null: it would exceed `limit`, or the host has no memory. `used` outlives
/// the result. Safe from many threads.
[[nodiscard]] LaunchMemory allocate(std::atomic<uint64_t> &used, uint64_t limit,
                                    uint64_t bytes);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_LAUNCHMEMORY_H
