// The addresses of a warp's lanes, for loads, stores and atomics.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_ACCESS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_ACCESS_H

#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/machine/Locate.h"
#include "runtime/emulator/program/AddressMap.h"
#include <cstring>

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// Where the active lanes' data are on the host; other lanes have the location
/// of an active one.
struct LaneAddresses {
  /// Of the host; with it, each offset is an address.
  uint64_t base = 0;
  alignas(64) uint64_t offset[32];
  /// All are the same.
  bool uniform = false;

  [[nodiscard]] std::byte *of(unsigned lane) const {
    return reinterpret_cast<std::byte *>(base + offset[lane]);
  }
  /// All lanes are active, each `bytes` after the one before.
  [[nodiscard]] bool contiguous(const Warp &warp, uint64_t bytes) const {
    uint64_t differences = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      differences |= offset[lane] ^ (offset[0] + lane * bytes);
    return !differences && warp.active == ~uint32_t{0};
  }
};

/// What an address operand adds to its register.
inline uint64_t offsetOf(const Warp &warp, const Address &address) {
  uint64_t base = address.frameRelative ? warp.group.frame->localBase : 0;
  return address.offset + base;
}

/// One lane's address: `index` counts the address operands, and `ref` is the
/// register in it.
inline uint64_t laneAddress(Warp &warp, const Instruction &in, Ref ref,
                            unsigned index, unsigned lane) {
  Address address = in.address(index);
  uint64_t offset = offsetOf(warp, address);
  if (address.isShort)
    return uint32_t(lanes<uint32_t>(warp, ref)[lane] + offset);
  return lanes<uint64_t>(warp, ref)[lane] + offset;
}

/// The addresses in the instruction, and their bounds.
struct AddressRange {
  uint64_t least, most;
  /// Bits that any of them has.
  uint64_t bits;
};

template <class T>
inline AddressRange readAddressesAs(Warp &warp, const Address &address, Ref ref,
                                    uint64_t *addresses) {
  const T *from = lanes<T>(warp, ref);
  const T change = T(offsetOf(warp, address));
  const uint32_t active = warp.active;
  T first = from[__builtin_ctz(active)];
  if (active == ~uint32_t{0}) {
    TILEWRIGHT_EACH_LANE
    addresses[lane] = T(from[lane] + change);
  } else {
    TILEWRIGHT_EACH_LANE {
      T value = active >> lane & 1 ? from[lane] : first;
      addresses[lane] = T(value + change);
    }
  }
  AddressRange range = {addresses[0], addresses[0], 0};
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint64_t value = addresses[lane];
    range.least = value < range.least ? value : range.least;
    range.most = value > range.most ? value : range.most;
    range.bits |= value;
  }
  return range;
}

/// The addresses of the active lanes; other lanes have that of an active one.
/// `ref` is the register in `address`.
inline AddressRange readAddresses(Warp &warp, const Address &address, Ref ref,
                                  uint64_t *addresses) {
  return address.isShort
             ? readAddressesAs<uint32_t>(warp, address, ref, addresses)
             : readAddressesAs<uint64_t>(warp, address, ref, addresses);
}

/// Memory that contains a whole range of addresses: its first address and its
/// host memory. Null: check each lane.
struct HostWindow {
  std::byte *host = nullptr;
  uint64_t start = 0;
};

inline HostWindow globalWindow(Warp &warp, const AddressRange &range,
                               uint64_t bytes, Access access) {
  auto holds = [&](const Allocation *allocation) {
    return allocation && allocation->contains(range.least, 1) &&
           allocation->contains(range.most, bytes);
  };
  Allocation *allocation = warp.lastAllocation;
  if (!holds(allocation)) {
    allocation = warp.block->launch->memory->find(range.least);
    if (!holds(allocation))
      return {};
    warp.lastAllocation = allocation;
  }
  if (allocation->written || (allocation->readOnly && access != Access::load))
    return {};
  return {allocation->host, allocation->address};
}

inline HostWindow windowOf(Warp &warp, AddressSpace space,
                           const AddressRange &range, uint64_t bytes,
                           Access access) {
  const Block &block = *warp.block;
  auto shared = [&](uint64_t window) -> HostWindow {
    uint64_t end = range.most - window + bytes;
    if (end > block.sharedBytes ||
        (block.checksShared &&
         !isPlainShared(block, range.least - window, end)))
      return {};
    return {block.shared, window};
  };
  switch (space) {
  case AddressSpace::shared:
  case AddressSpace::sharedCluster:
    return shared(0);
  case AddressSpace::param:
    if (range.most + bytes > block.launch->parameters.size() ||
        access != Access::load)
      return {};
    return {block.launch->parameters.data(), 0};
  case AddressSpace::local:
    return {};
  case AddressSpace::generic:
    if (range.least / windowBytes == sharedWindow / windowBytes &&
        range.most / windowBytes == sharedWindow / windowBytes)
      return shared(sharedWindow);
    [[fallthrough]];
  default:
    return globalWindow(warp, range, bytes, access);
  }
}

/// Finds what the active lanes access: `bytes` each, at the address in `ref`
/// and in the instruction's `index`-th address, aligned to `bytes` or to
/// `alignment`. False: a fault is recorded.
inline bool findAddresses(Warp &warp, const Instruction &in, Ref ref,
                          uint32_t bytes, Access access,
                          LaneAddresses &addresses, uint32_t alignment = 0,
                          unsigned index = 0) {
  alignment = alignment ? alignment : bytes;
  const Address address = in.address(index);
  const AddressSpace space = address.space;
  AddressRange range = readAddresses(warp, address, ref, addresses.offset);
  addresses.uniform = range.least == range.most;
  if (!(range.bits & (alignment - 1))) {
    HostWindow region = windowOf(warp, space, range, bytes, access);
    if (region.host) {
      addresses.base = reinterpret_cast<uint64_t>(region.host) - region.start;
      return true;
    }
  }
  addresses.base = 0;
  addresses.uniform = false;
  uint64_t any = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(warp.active >> lane & 1))
      continue;
    MemoryAccess memoryAccess = {space, addresses.offset[lane], bytes,
                                 alignment, access};
    std::byte *host = locate(warp, in, memoryAccess, lane);
    if (!host)
      return false;
    addresses.offset[lane] = any = reinterpret_cast<uint64_t>(host);
  }
  for (unsigned lane = 0; lane < 32; ++lane)
    if (!(warp.active >> lane & 1))
      addresses.offset[lane] = any;
  return true;
}

//===--- What others see --------------------------------------------------===//

/// Whether an active lane's address, with the register `ref` in it, is one of
/// global memory.
inline bool isInGlobal(Warp &warp, const Instruction &in, Ref ref) {
  const AddressSpace space = AddressSpace(in.space);
  if (space != AddressSpace::generic)
    return space == AddressSpace::global;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1)
    if (laneAddress(warp, in, ref, 0, unsigned(__builtin_ctz(rest))) >=
        globalStart)
      return true;
  return false;
}

/// Whether a store changes global memory: it keeps what was there before, and
/// sets Warp::changed. Nothing is to be done once that is set.
template <unsigned bytes> class GlobalWatch {
public:
  GlobalWatch(Warp &warp, const Instruction &in, Ref ref,
              const LaneAddresses &addresses)
      : warp(warp), addresses(addresses),
        watches(!warp.changed && isInGlobal(warp, in, ref)) {
    if (watches)
      eachLane([&](unsigned lane) {
        std::memcpy(before[lane], addresses.of(lane), bytes);
      });
  }
  GlobalWatch(const GlobalWatch &) = delete;
  GlobalWatch &operator=(const GlobalWatch &) = delete;
  ~GlobalWatch() {
    if (watches)
      eachLane([&](unsigned lane) {
        warp.changed |=
            std::memcmp(before[lane], addresses.of(lane), bytes) != 0;
      });
  }

private:
  template <typename F> void eachLane(F function) const {
    for (uint32_t rest = warp.active; rest; rest &= rest - 1)
      function(unsigned(__builtin_ctz(rest)));
  }
  Warp &warp;
  const LaneAddresses &addresses;
  const bool watches;
  std::byte before[32][bytes];
};

/// The warp looked at memory that others write, and changed none: if it does
/// little else, it waits for them. `address` is that of its first lane.
inline void countPoll(Warp &warp, const Instruction &in, uint64_t address) {
  constexpr uint32_t patience = 64;
  warp.look = &in;
  warp.lookedAt = address;
  if (++warp.polls < patience)
    return;
  warp.polls = 0;
  warp.yields = true;
}

/// As above, for a load or an atomic of one T or more a lane. `ref` is the
/// register in the address.
template <class T>
inline void look(Warp &warp, const Instruction &in, Ref ref,
                 const LaneAddresses &addresses) {
  constexpr size_t bytes = sizeof(T) < 8 ? sizeof(T) : 8;
  countPoll(
      warp, in,
      laneAddress(warp, in, ref, 0, unsigned(__builtin_ctz(warp.active))));
  if (!isInGlobal(warp, in, ref))
    return;
  uint64_t signature = mixed(warp.group.index, warp.active);
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    const unsigned lane = unsigned(__builtin_ctz(rest));
    uint64_t seen = 0;
    std::memcpy(&seen, addresses.of(lane), bytes);
    signature =
        mixed(mixed(signature, laneAddress(warp, in, ref, 0, lane)), seen);
    if (addresses.uniform)
      break;
  }
  warp.block->cluster->looks.add(signature);
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_EXECUTE_ACCESS_H
