// Copies into shared memory that tell an mbarrier of their bytes.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_DELIVER_H
#define TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_DELIVER_H

#include "runtime/emulator/execute/Access.h"
#include "runtime/emulator/machine/Mbarrier.h"
#include "support/Format.h"
#include <bit>

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// Where the bytes of one lane's copy go, and the mbarrier that is told.
struct Delivery {
  Touch to;
  Touch barrier;
  /// Bit i: to the block with rank i, at the same offsets.
  std::optional<uint16_t> blocks;
};

/// The delivery of a lane: `to` and `barrier` count the address operands,
/// `toRef` and `barrierRef` are the registers in them.
inline Delivery deliveryOf(Warp &warp, const Instruction &in, unsigned lane,
                           unsigned to, Ref toRef, unsigned barrier,
                           Ref barrierRef) {
  Delivery delivery;
  delivery.to.space = in.address(to).space;
  delivery.to.address = laneAddress(warp, in, toRef, to, lane);
  delivery.to.access = Access::store;
  delivery.barrier = {in.address(barrier).space,
                      laneAddress(warp, in, barrierRef, barrier, lane), 8, 8,
                      Access::atomic};
  return delivery;
}

/// write(place) puts the bytes there; then the mbarrier is told. False: a fault
/// is recorded.
template <typename F>
inline bool deliverTo(Warp &warp, const Instruction &in, unsigned lane,
                      const Touch &to, const Touch &barrier, F write) {
  SharedPlace place = locateShared(warp, in, to, lane);
  if (!place.host)
    return false;
  // It lands as it starts; what is to land later would wait from here on.
  write(place);
  return completeBytes(warp, in, barrier, *place.block, to.bytes, lane);
}

template <typename F>
inline bool deliver(Warp &warp, const Instruction &in, unsigned lane,
                    const Delivery &delivery, F write) {
  if (!delivery.blocks)
    return deliverTo(warp, in, lane, delivery.to, delivery.barrier, write);
  const size_t blocks = warp.block->cluster->blocks.size();
  if (*delivery.blocks >> blocks) {
    fail(warp, in, FaultCode::undefinedBehavior,
         format("expected a mask of the cluster's {} blocks, found {}",
                {blocks, *delivery.blocks}),
         lane);
    return false;
  }
  // The offsets alone count, not whose the addresses are.
  SharedPlace to = locateShared(warp, in, delivery.to, lane);
  SharedPlace barrier = locateShared(warp, in, delivery.barrier, lane);
  if (!to.host || !barrier.host)
    return false;
  for (unsigned rank = 0; rank < blocks; ++rank) {
    if (!(*delivery.blocks >> rank & 1))
      continue;
    uint64_t window = uint64_t{rank + 1} << sharedRankShift;
    Touch there = delivery.to, told = delivery.barrier;
    there.space = told.space = AddressSpace::sharedCluster;
    there.address = window | to.offset;
    told.address = window | barrier.offset;
    if (!deliverTo(warp, in, lane, there, told, write))
      return false;
  }
  return true;
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_DELIVER_H
