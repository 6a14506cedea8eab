// How many blocks of a kernel a multiprocessor can hold at a time.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_OCCUPANCY_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_OCCUPANCY_H

#include <cstdint>
#include <span>
#include <string_view>

namespace tilewright::emulator {

/// What a multiprocessor of a target has (Occupancy.inc).
struct Multiprocessor {
  std::string_view target;
  uint32_t warps = 0, blocks = 0;
  uint32_t sharedBytes = 0;
};
[[nodiscard]] std::span<const Multiprocessor> multiprocessors();

/// The number in "sm_90a"; 0 if there is none.
[[nodiscard]] unsigned capabilityOf(std::string_view target);

/// The most shared memory, declared and dynamic, of a block on a target; of one
/// that is not known as much as on sm_90.
[[nodiscard]] uint32_t blockSharedBytes(std::string_view target);

/// What each block of a launch takes.
struct BlockNeeds {
  /// Of 32 bits, in a thread.
  uint32_t registers = 0;
  uint32_t threads = 1;
  uint32_t sharedBytes = 0;
};

struct Occupancy {
  /// 0: a block does not fit.
  uint32_t blocks = 0, warps = 0;
  /// What there is not enough of for one more block: "warps", "blocks",
  /// "registers" or "shared memory".
  std::string_view limit;
};
/// Registers are allocated to warps in units of 256, four warps at a time;
/// shared memory in units of 128 bytes, plus 1 KiB for each block (CUDA C++
/// Programming Guide, "Hardware Multithreading"; the units are those of CUDA's
/// occupancy calculator).
[[nodiscard]] Occupancy occupancyOn(const Multiprocessor &multiprocessor,
                                    const BlockNeeds &needs);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_OCCUPANCY_H
