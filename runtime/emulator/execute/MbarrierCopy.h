// Copies into shared memory that report their bytes to an mbarrier.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_MBARRIERCOPY_H
#define TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_MBARRIERCOPY_H

#include "runtime/emulator/execute/Access.h"
#include "runtime/emulator/machine/Mbarrier.h"
#include "support/Format.h"
#include <bit>

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// The destination of one lane's copy, and the mbarrier to signal.
struct MbarrierCopy {
  MemoryAccess to;
  MemoryAccess barrier;
  /// Bit i: to the block with rank i, at the same offsets.
  std::optional<uint16_t> blocks;
};

/// The copy of a lane: `to` and `barrier` count the address operands,
/// `toRef` and `barrierRef` are the registers in them.
inline MbarrierCopy mbarrierCopyOf(Warp &warp, const Instruction &in,
                                   unsigned lane, unsigned to, Ref toRef,
                                   unsigned barrier, Ref barrierRef) {
  MbarrierCopy copyTarget;
  copyTarget.to.space = in.address(to).space;
  copyTarget.to.address = laneAddress(warp, in, toRef, to, lane);
  copyTarget.to.access = Access::store;
  copyTarget.barrier = {in.address(barrier).space,
                        laneAddress(warp, in, barrierRef, barrier, lane), 8, 8,
                        Access::atomic};
  return copyTarget;
}

/// write(location) writes the bytes; then the mbarrier is signalled. False: a
/// fault is recorded.
template <typename F>
inline bool copyAndSignalOne(Warp &warp, const Instruction &in, unsigned lane,
                             const MemoryAccess &to,
                             const MemoryAccess &barrier, F write) {
  SharedLocation location = locateShared(warp, in, to, lane);
  if (!location.host)
    return false;
  // It lands as it starts; what is to land later would wait from here on.
  write(location);
  return completeBytes(warp, in, barrier, *location.block, to.bytes, lane);
}

template <typename F>
inline bool copyAndSignal(Warp &warp, const Instruction &in, unsigned lane,
                          const MbarrierCopy &copyTarget, F write) {
  if (!copyTarget.blocks)
    return copyAndSignalOne(warp, in, lane, copyTarget.to, copyTarget.barrier,
                            write);
  const size_t blocks = warp.block->cluster->blocks.size();
  if (*copyTarget.blocks >> blocks) {
    fail(warp, in, FaultCode::undefinedBehavior,
         format("expected a mask of the cluster's {} blocks, found {}",
                {blocks, *copyTarget.blocks}),
         lane);
    return false;
  }
  // Only the offsets count, not which block the addresses are in.
  SharedLocation to = locateShared(warp, in, copyTarget.to, lane);
  SharedLocation barrier = locateShared(warp, in, copyTarget.barrier, lane);
  if (!to.host || !barrier.host)
    return false;
  for (unsigned rank = 0; rank < blocks; ++rank) {
    if (!(*copyTarget.blocks >> rank & 1))
      continue;
    uint64_t window = uint64_t{rank + 1} << sharedRankShift;
    MemoryAccess there = copyTarget.to, told = copyTarget.barrier;
    there.space = told.space = AddressSpace::sharedCluster;
    there.address = window | to.offset;
    told.address = window | barrier.offset;
    if (!copyAndSignalOne(warp, in, lane, there, told, write))
      return false;
  }
  return true;
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_MBARRIERCOPY_H
