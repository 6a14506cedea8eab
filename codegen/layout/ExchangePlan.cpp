//===- ExchangePlan.cpp - Conversions through shared memory ---------------===//
#include "codegen/layout/BankConflicts.h"
#include "codegen/layout/ConversionPlanning.h"
#include "codegen/layout/ExchangeSwizzle.h"
#include "support/Format.h"

namespace tilewright::layout {

/// From packed (item, lane, warp, block) bits to offsets in the own block.
static LinearMap offsetsOf(const Refined &side, std::span<const Bits> vectors,
                           std::span<const Bits> blockColumns) {
  LinearMap columns(0, 64);
  for (Bits vector : vectors)
    columns.append(vector);
  Solver solver(columns);
  LinearMap offsets(0, vectors.size());
  unsigned firstBlock = side.map.inBits() - blockColumns.size();
  for (unsigned bit = 0; bit < side.map.inBits(); ++bit) {
    Bits vector = side.map.column(bit);
    if (bit >= firstBlock)
      vector ^= blockColumns[bit - firstBlock];
    offsets.append(*solver.solve(vector)); // planExchange checked that it is.
  }
  return offsets;
}

/// Chooses among the three runs; fills in accesses and memory.
static void chooseExchange(ConversionPlan &plan, const Layout &from,
                           const ConversionOptions &options,
                           const Subspace &local,
                           std::span<const Bits> blockColumns) {
  unsigned laneBits = from.bits(HardwareDim::lane);
  unsigned threadBits = laneBits + from.bits(HardwareDim::warp);
  ExchangeSide store(plan.from, threadBits), load(plan.to, threadBits);
  ExchangeSizes sizes{options.elementBits / 8, laneBits,
                      widestLog2(options.vectorBits, options.elementBits)};
  SharedExchange &best = plan.shared;
  bool first = true;
  for (const ExchangeSide *wide :
       {(const ExchangeSide *)nullptr, (const ExchangeSide *)&store,
        (const ExchangeSide *)&load}) {
    std::vector<Bits> vectors = chooseSwizzle(store, load, wide, sizes, local);
    SharedExchange exchange;
    exchange.store = linearAccess(offsetsOf(plan.from, vectors, blockColumns),
                                  plan.from.itemBits, laneBits,
                                  options.elementBits, options.vectorBits);
    exchange.load = linearAccess(offsetsOf(plan.to, vectors, blockColumns),
                                 plan.to.itemBits, laneBits,
                                 options.elementBits, options.vectorBits);
    exchange.storeWavefronts = int64_t(exchange.store.xorOffsets.size()) *
                               exchange.store.wavefrontsEach;
    exchange.loadWavefronts =
        int64_t(exchange.load.xorOffsets.size()) * exchange.load.wavefrontsEach;
    auto cost = [](const SharedExchange &e) {
      return std::pair(e.storeWavefronts + e.loadWavefronts,
                       e.store.xorOffsets.size() + e.load.xorOffsets.size());
    };
    if (!first && cost(exchange) >= cost(best))
      continue;
    LayoutBuilder builder(Kind::memory, plan.frame.cellBits,
                          Dims(from.rank(), 1));
    for (Bits vector : vectors)
      builder.addColumn(HardwareDim::offset, vector);
    for (Bits column : blockColumns)
      builder.addColumn(HardwareDim::block, column);
    exchange.memory = builder.build();
    best = std::move(exchange);
    first = false;
  }
}

/// Only owners store: counts their wavefronts.
static void countStoring(SharedExchange &shared, unsigned laneBits,
                         unsigned elementBytes) {
  const Bits copies = shared.redundantThreads & lowBits(laneBits);
  if (!copies)
    return;
  std::vector<int64_t> addresses;
  for (Bits lane = 0; lane < Bits(1) << laneBits; ++lane)
    addresses.push_back(lane & copies
                            ? -1
                            : int64_t(shared.store.threadOffset.apply(lane)) *
                                  elementBytes);
  shared.store.wavefrontsEach =
      countWavefronts(addresses, elementBytes * shared.store.elements);
  shared.storeWavefronts =
      int64_t(shared.store.xorOffsets.size()) * shared.store.wavefrontsEach;
}

std::string planExchange(ConversionPlan &plan, const Layout &from,
                         const ConversionOptions &options) {
  unsigned blockBits = from.bits(HardwareDim::block);
  const LinearMap &held = plan.from.map, &wanted = plan.to.map;
  unsigned localFrom = held.inBits() - blockBits;
  unsigned localTo = wanted.inBits() - blockBits;
  Subspace local = held.restrict(0, localFrom).image();
  bool staysInBlock = true;
  std::vector<Bits> blockColumns;
  for (unsigned bit = 0; bit < wanted.inBits(); ++bit) {
    Bits vector = wanted.column(bit);
    if (bit >= localTo) {
      Bits ofBlock = held.column(localFrom + bit - localTo);
      blockColumns.push_back(local.reduce(ofBlock));
      vector ^= ofBlock;
    }
    staysInBlock &= local.contains(vector);
  }
  if (!staysInBlock)
    return "elements move between blocks, which neither shuffles nor a block's "
           "shared memory can do";
  int64_t bytes = options.elementBits / 8;
  int64_t ofRepeat = bytes << local.dimension();
  if (ofRepeat > options.sharedBytes)
    return format(
        "expected at least {} B of shared memory for one cell, found {} B",
        {ofRepeat, options.sharedBytes});
  chooseExchange(plan, from, options, local, blockColumns);
  SharedExchange &shared = plan.shared;
  shared.repeatsPerPass =
      std::min(plan.frame.repeatCount(), options.sharedBytes / ofRepeat);
  shared.bytes = ofRepeat * shared.repeatsPerPass;
  // Each block has its own memory, so blocks are never redundant.
  shared.redundantThreads = held.dependentBits() >> plan.from.itemBits &
                            lowBits(localFrom - plan.from.itemBits);
  countStoring(shared, from.bits(HardwareDim::lane), unsigned(bytes));
  return {};
}

} // namespace tilewright::layout
