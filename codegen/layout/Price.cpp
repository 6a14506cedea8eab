//===- Price.cpp - What moving a tile costs -------------------------------===//
#include "codegen/layout/Price.h"

#include <algorithm>
#include <set>

namespace tilewright::layout {

Price &Price::operator+=(const Price &other) {
  slots += other.slots;
  wavefronts += other.wavefronts;
  sectors += other.sectors;
  written += other.written;
  lines += other.lines;
  requests += other.requests;
  barriers += other.barriers;
  return *this;
}

Price operator*(const Price &price, int64_t times) {
  return {price.slots * times,   price.wavefronts * times,
          price.sectors * times, price.written * times,
          price.lines * times,   price.requests * times,
          price.barriers * times};
}

//===--- Conversions ------------------------------------------------------===//

/// Instructions that compute a linear map of the thread's index: bits that move
/// alike are masked and shifted together.
static int64_t slotsOf(const LinearMap &map, unsigned elementLog2) {
  int64_t slots = 0;
  int last = -1;
  bool isShifted = false;
  for (unsigned bit = 0; bit < map.inBits(); ++bit) {
    const Bits column = map.column(bit) << elementLog2;
    if (!column)
      continue;
    const bool isFirst = slots == 0;
    if (std::popcount(column) > 1) {
      slots += isFirst ? 3 : 4;
      last = -1;
      continue;
    }
    const int shift = std::countr_zero(column) - int(bit) + 64;
    if (shift == last)
      continue;
    isShifted = shift != 64;
    slots += 1 + isShifted + !isFirst;
    last = shift;
  }
  return slots;
}

/// The addresses of one side of an exchange: the first, and those that are no
/// constant away from it.
static int64_t slotsOfAddresses(const LinearAccess &access,
                                unsigned elementBits) {
  const unsigned elementLog2 = log2Floor(elementBits / 8);
  constexpr int64_t ofBase = 2, ofOther = 2;
  Bits mask = 0;
  for (Bits column : access.threadOffset.allColumns())
    mask |= column;
  std::set<Bits> others;
  for (Bits offset : access.xorOffsets)
    others.insert(offset & mask);
  return ofBase + slotsOf(access.threadOffset, elementLog2) +
         ofOther * (int64_t(others.size()) - 1);
}

/// Elements of 16 bits are in registers in pairs, as an access has them unless
/// its neighbours are other registers: then they are unpacked, and packed
/// again.
static int64_t slotsOfPacking(const LinearAccess &access,
                              unsigned elementBits) {
  if (elementBits >= 32)
    return 0;
  const auto registers = int64_t(access.registers.size());
  const int64_t ofWord = 32 / elementBits;
  if (access.elements == 1)
    return registers - registers / ofWord;
  const bool isPaired = (access.registers[0] ^ access.registers[1]) == 1;
  return isPaired ? 0 : registers / ofWord * 2 * (ofWord - 1);
}

Price priceOf(const ConversionPlan &plan, unsigned elementBits, int64_t warps) {
  Price price;
  if (plan.kind != ConversionKind::shared) {
    price.slots = plan.slots * warps;
    return price;
  }
  price.slots = price.barriers = warps;
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
  // Warps all of whose threads hold copies do not store.
  constexpr unsigned laneBits = 5;
  const int64_t storing =
      warps >> std::popcount(shared.redundantThreads >> laneBits);
  auto ofSide = [&](const LinearAccess &access, int64_t accessing) {
    return accessing * (slotsOfAddresses(access, elementBits) +
                        repeats * (int64_t(access.xorOffsets.size()) +
                                   slotsOfPacking(access, elementBits)));
  };
  price.slots += ofSide(shared.store, storing) + ofSide(shared.load, warps);
  price.wavefronts = repeats * (shared.storeWavefronts * storing +
                                shared.loadWavefronts * warps);
  return price;
}

//===--- Global memory ----------------------------------------------------===//

Price priceOfAccess(const Layout &layout, const GlobalTile &tile) {
  constexpr int64_t sectorBytes = 32, sectorsOfLine = 4;
  const int64_t warps = layout.size(HardwareDim::warp);
  const int64_t bytes = std::max(1u, tile.elementBits / 8);
  const VectorAccess access =
      vectorAccess(layout, tile.order, tile.elementBits, tile.alignmentBytes,
                   tile.vectorBits);
  // Of the first access of the first warp; others are alike.
  const HardwareIndex redundant = layout.redundantBits();
  std::set<std::pair<int64_t, int64_t>> sectors, lines;
  for (int64_t lane = 0; lane < layout.size(HardwareDim::lane); ++lane) {
    if (tile.isWritten && (lane & redundant[HardwareDim::lane]))
      continue;
    for (unsigned i = 0; i < access.elements; ++i) {
      Dims at = layout.apply(inRegister(access.registers[i], lane));
      int64_t along = 0;
      if (at.rank())
        along = std::exchange(at[tile.order[0]], 0) * bytes / sectorBytes;
      const int64_t row = linearIndex(at, layout.shape());
      sectors.insert({row, along});
      lines.insert({row, along / sectorsOfLine});
    }
  }
  // The first address; where repeats are dealt, each is computed.
  constexpr int64_t ofFirst = 4, ofAddress = 3;
  const int64_t count = int64_t(access.registers.size()) / access.elements;
  const int64_t ofWord = std::max<int64_t>(1, 32 / (8 * bytes));
  int64_t slots = count + ofFirst;
  if (!layout.repeats().isLocal())
    slots += count * ofAddress;
  // Single elements of less than a word are packed.
  if (access.elements == 1)
    slots += count - count / ofWord;
  // What is padding in some threads has a condition, and each word a value.
  constexpr int64_t ofCondition = 1;
  for (int64_t i = 0; i < count && layout.shape() != tile.shape; ++i)
    if (layout.coverage(access.registers[i * access.elements], tile.shape) !=
        Coverage::always)
      slots += ofCondition + (access.elements - 1) / ofWord + 1;
  Price price;
  price.requests = warps * count;
  price.slots = warps * slots;
  const int64_t accessing =
      tile.isWritten
          ? warps >> std::popcount(uint64_t(redundant[HardwareDim::warp]))
          : warps;
  // Padding is not accessed.
  const double inTile =
      double(tile.shape.product()) / double(layout.shape().product());
  auto inAll = [&](size_t ofAccess) {
    return int64_t(double(accessing * count * int64_t(ofAccess)) * inTile);
  };
  price.sectors = inAll(sectors.size());
  price.lines = inAll(lines.size());
  if (tile.isWritten)
    price.written = price.sectors;
  return price;
}

} // namespace tilewright::layout
