#include "runtime/emulator/counters/Occupancy.h"
#include <algorithm>

namespace tilewright::emulator {

constexpr uint32_t kib = 1024;
constexpr uint32_t registerCount = 65536, maxThreadRegisters = 255;
constexpr uint32_t registerUnit = 256, warpUnit = 4;
constexpr uint32_t sharedUnit = 128, reservedShared = 1 * kib;

std::span<const Multiprocessor> multiprocessors() {
  static constexpr Multiprocessor table[] = {
#define MULTIPROCESSOR(TARGET, WARPS, BLOCKS, SHARED)                          \
  {TARGET, WARPS, BLOCKS, SHARED * kib},
#include "runtime/emulator/counters/Occupancy.inc"
  };
  return table;
}

unsigned capabilityOf(std::string_view target) {
  unsigned number = 0;
  if (target.starts_with("sm_"))
    for (char c : target.substr(3))
      if (c >= '0' && c <= '9' && number < 10000)
        number = number * 10 + unsigned(c - '0');
  return number;
}

uint32_t blockSharedBytes(std::string_view target) {
  const unsigned capability = capabilityOf(target);
  for (const Multiprocessor &each : multiprocessors())
    if (capabilityOf(each.target) == capability)
      return each.sharedBytes - reservedShared;
  switch (capability) {
#define BLOCK_SHARED(CAPABILITY, SHARED)                                       \
  case CAPABILITY:                                                             \
    return SHARED * kib;
#include "runtime/emulator/counters/Occupancy.inc"
  default:
    return 227 * kib;
  }
}

static uint32_t roundedUp(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

Occupancy occupancyOn(const Multiprocessor &multiprocessor,
                      const BlockNeeds &needs) {
  uint32_t warps = std::max(1u, (needs.threads + 31) / 32);
  uint32_t perThread = std::min(needs.registers, maxThreadRegisters);
  uint32_t perWarp = roundedUp(std::max(1u, perThread) * 32, registerUnit);
  uint32_t withRegisters = registerCount / perWarp / warpUnit * warpUnit;
  uint32_t shared = roundedUp(needs.sharedBytes + reservedShared, sharedUnit);
  struct Limit {
    uint32_t blocks;
    std::string_view name;
  };
  const Limit limits[] = {
      {multiprocessor.warps / warps, "warps"},
      {multiprocessor.blocks, "blocks"},
      {withRegisters / warps, "registers"},
      {multiprocessor.sharedBytes / shared, "shared memory"},
  };
  const Limit &least = *std::min_element(
      std::begin(limits), std::end(limits),
      [](const Limit &a, const Limit &b) { return a.blocks < b.blocks; });
  return {least.blocks, least.blocks * warps, least.name};
}

} // namespace tilewright::emulator
