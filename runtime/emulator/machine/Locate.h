// From addresses that a kernel uses to host memory.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_LOCATE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_LOCATE_H

#include "runtime/emulator/machine/Warp.h"

namespace tilewright::emulator {

enum class Access : uint8_t { load, store, atomic };

/// What one lane's part of an instruction touches.
struct MemoryAccess {
  AddressSpace space = AddressSpace::generic;
  uint64_t address = 0;
  uint32_t bytes = 0;
  /// What the address must be a multiple of.
  uint32_t alignment = 1;
  Access access = Access::load;
};

/// The host memory of `memoryAccess`. Null: it is not aligned, not inside an
/// allocation, not to be written, or was never written and is read with
/// LaunchOptions::checkInitialized; the fault is recorded.
std::byte *locate(Warp &warp, const Instruction &instruction,
                  const MemoryAccess &memoryAccess, unsigned lane);

/// Shared memory of one of the cluster's blocks.
struct SharedLocation {
  std::byte *host = nullptr;
  Block *block = nullptr;
  /// From the start of the block's.
  uint32_t offset = 0;
};
/// As locate(), for what must be in shared memory.
SharedLocation locateShared(Warp &warp, const Instruction &instruction,
                            const MemoryAccess &memoryAccess, unsigned lane);

/// Whether nothing but the bounds of a block's shared memory is to be checked
/// from `offset` to `end`.
bool isPlainShared(const Block &block, uint64_t offset, uint64_t end);

/// Ends the launch: a lane accesses bytes of `block`'s shared memory, some of
/// which are pending. `address` is that in the instruction.
void failForRace(Warp &warp, const Instruction &instruction, const Block &block,
                 uint64_t offset, uint32_t bytes, unsigned lane,
                 uint64_t address);

/// The block of the cluster that a shared address means, or null.
Block *blockOf(Warp &warp, uint64_t sharedAddress);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_LOCATE_H
