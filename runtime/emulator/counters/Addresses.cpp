#include "runtime/emulator/counters/Addresses.h"
#include "runtime/emulator/machine/Locate.h"
#include "runtime/emulator/program/AddressMap.h"
#include <cstring>

namespace tilewright::emulator {

static LaneAddress sharedAddress(Warp &warp, uint64_t address) {
  CountedMemory region = blockOf(warp, address) == warp.block
                             ? CountedMemory::shared
                             : CountedMemory::clusterShared;
  return {region, address & sharedOffsetMask};
}

/// PTX section 6.4.1.1: a generic address is in a window, or is global.
static LaneAddress genericAddress(Warp &warp, uint64_t address) {
  switch (address / windowBytes) {
  case sharedWindow / windowBytes:
    return sharedAddress(warp, address % windowBytes);
  case localWindow / windowBytes:
    return {CountedMemory::local, address};
  case paramWindow / windowBytes:
    return {CountedMemory::constant, address};
  default:
    return {CountedMemory::global, address};
  }
}

static uint64_t laneValue(const Warp &warp, Ref ref, unsigned lane,
                          size_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, warp.banks[ref.bank()] + ref.offset() + lane * bytes,
              bytes);
  return value;
}

LaneAddress addressOf(Warp &warp, const Instruction &in, unsigned index,
                      unsigned operand, unsigned lane) {
  const Address address = in.address(index);
  uint64_t value = address.offset + laneValue(warp, in.operands[operand], lane,
                                              address.isShort ? 4 : 8);
  if (address.frameRelative)
    value += warp.group.frame->localBase;
  if (address.isShort)
    value = uint32_t(value);
  switch (address.space) {
  case AddressSpace::shared:
  case AddressSpace::sharedCluster:
    return sharedAddress(warp, value);
  case AddressSpace::local:
    return {CountedMemory::local, value};
  case AddressSpace::constant:
  case AddressSpace::param:
    return {CountedMemory::constant, value};
  case AddressSpace::global:
    return {CountedMemory::global, value};
  case AddressSpace::generic:
    break;
  }
  return genericAddress(warp, value);
}

uint32_t wordOf(const Warp &warp, const Instruction &in, unsigned operand,
                unsigned lane) {
  return uint32_t(laneValue(warp, in.operands[operand], lane, 4));
}

bool isSet(const Warp &warp, const Instruction &in, unsigned operand,
           unsigned lane) {
  auto lanes = uint32_t(laneValue(warp, in.operands[operand], 0, 4));
  return (lanes >> lane & 1) != (in.negated >> operand & 1);
}

} // namespace tilewright::emulator
