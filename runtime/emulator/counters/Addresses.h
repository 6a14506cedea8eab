// What the operands of an instruction mean for one lane.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_ADDRESSES_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_ADDRESSES_H

#include "runtime/emulator/machine/Warp.h"

namespace tilewright::emulator {

/// Memories that are counted apart.
enum class CountedMemory : uint8_t {
  global,
  shared,
  /// Of another block of the cluster.
  clusterShared,
  local,
  /// Constant memory and a kernel's parameters.
  constant,
};
constexpr size_t countedMemories = 5;

struct LaneAddress {
  CountedMemory region = CountedMemory::global;
  /// In shared memory: from its start on.
  uint64_t address = 0;
};

/// The address number `index`, whose register is operand number `operand`. A
/// generic one counts in the space that it points to.
[[nodiscard]] LaneAddress addressOf(Warp &warp, const Instruction &in,
                                    unsigned index, unsigned operand,
                                    unsigned lane);

/// A lane's value of a register or a constant of 32 bits.
[[nodiscard]] uint32_t wordOf(const Warp &warp, const Instruction &in,
                              unsigned operand, unsigned lane);
/// Whether a predicate operand is true for a lane.
[[nodiscard]] bool isSet(const Warp &warp, const Instruction &in,
                         unsigned operand, unsigned lane);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_ADDRESSES_H
