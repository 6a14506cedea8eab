//===- Price.cpp - What moving a tile costs -------------------------------===//
#include "codegen/layout/Price.h"

#include <algorithm>
#include <set>

namespace tilewright::layout {

Price &Price::operator+=(const Price &other) {
  slots += other.slots;
  wavefronts += other.wavefronts;
  sectors += other.sectors;
  barriers += other.barriers;
  return *this;
}

Price operator*(const Price &price, int64_t times) {
  return {price.slots * times, price.wavefronts * times, price.sectors * times,
          price.barriers * times};
}

/// Warps that store: those of which at least one thread is an owner.
static int64_t storingWarps(const ConversionPlan &plan, unsigned laneBits,
                            int64_t warps) {
  const Bits redundant = plan.shared.redundantThreads >> laneBits;
  return warps >> std::popcount(redundant);
}

Price priceOf(const ConversionPlan &plan, unsigned elementBits, int64_t warps) {
  Price price;
  if (plan.kind != ConversionKind::shared) {
    price.slots = plan.slots * warps;
    return price;
  }
  // The first addresses of both sides, and the barrier.
  constexpr int64_t ofAddresses = 16;
  price.slots = (ofAddresses + 1) * warps;
  price.barriers = warps;
  if (plan.isByElement) {
    // An address, a check and an access for each; rows of other warps meet in
    // the same banks now and then.
    constexpr int64_t ofElement = 5, conflicts = 2;
    const int64_t moved =
        2 * ((plan.shared.memory.items() - 1) / (32 * warps) + 1) * warps;
    price.slots += ofElement * moved;
    price.wavefronts += conflicts * moved * (elementBits > 32 ? 2 : 1);
    return price;
  }
  const int64_t repeats = plan.frame.repeatCount();
  const SharedExchange &shared = plan.shared;
  const int64_t storing = storingWarps(plan,
                                       shared.store.threadOffset.inBits() < 5
                                           ? shared.store.threadOffset.inBits()
                                           : 5,
                                       warps);
  price.slots += repeats * (int64_t(shared.store.xorOffsets.size()) * warps +
                            int64_t(shared.load.xorOffsets.size()) * warps);
  price.wavefronts = repeats * (shared.storeWavefronts * storing +
                                shared.loadWavefronts * warps);
  return price;
}

Price priceOfAccess(const Layout &layout, const GlobalTile &tile) {
  constexpr int64_t sectorBytes = 32;
  const int64_t warps = layout.size(HardwareDim::warp);
  const int64_t bytes = std::max(1u, tile.elementBits / 8);
  const VectorAccess access =
      vectorAccess(layout, tile.order, tile.elementBits, tile.alignmentBytes,
                   tile.vectorBits);
  // Of the first access of the first warp; others are alike.
  const HardwareIndex redundant = layout.redundantBits();
  std::set<std::pair<int64_t, int64_t>> sectors;
  for (int64_t lane = 0; lane < layout.size(HardwareDim::lane); ++lane) {
    if (tile.isWritten && (lane & redundant[HardwareDim::lane]))
      continue;
    for (unsigned i = 0; i < access.elements; ++i) {
      Dims at = layout.apply(inRegister(access.registers[i], lane));
      int64_t along = 0;
      if (at.rank())
        along = std::exchange(at[tile.order[0]], 0) * bytes / sectorBytes;
      sectors.insert({linearIndex(at, layout.shape()), along});
    }
  }
  // An access takes the load/store units of a quarter of a multiprocessor for
  // four cycles, and needs an address and a check.
  constexpr int64_t ofAccess = 8, ofAddress = 2;
  const int64_t count = int64_t(access.registers.size()) / access.elements;
  const bool isDealt = !layout.repeats().isLocal();
  Price price;
  price.slots = warps * count * (ofAccess + (isDealt ? ofAddress : 0));
  const int64_t accessing =
      tile.isWritten
          ? warps >> std::popcount(uint64_t(redundant[HardwareDim::warp]))
          : warps;
  // Padding is not accessed.
  const double inTile =
      double(tile.shape.product()) / double(layout.shape().product());
  price.sectors =
      int64_t(double(accessing * count * int64_t(sectors.size())) * inTile);
  return price;
}

} // namespace tilewright::layout
