//===- Conversion.cpp - Choosing how to convert a layout ------------------===//
#include "codegen/layout/Conversion.h"
#include "codegen/layout/ConversionPlanning.h"
#include "codegen/layout/Families.h"
#include "support/Format.h"

#include <map>
#include <set>

namespace tilewright::layout {

std::string_view conversionKindName(ConversionKind kind) {
  static constexpr std::array<std::string_view, 4> names = {
      "nothing", "registers", "shuffle", "shared"};
  return names[size_t(kind)];
}

static std::string wrongPair(const Layout &from, const Layout &to,
                             const ConversionOptions &options) {
  if (from.kind() != Kind::registers || to.kind() != Kind::registers)
    return "expected two layouts in registers";
  if (from.rank() != to.rank())
    return format("expected equal ranks, found {} and {}",
                  {from.shape().text(), to.shape().text()});
  for (HardwareDim hardwareDim :
       {HardwareDim::lane, HardwareDim::warp, HardwareDim::block})
    if (from.size(hardwareDim) != to.size(hardwareDim))
      return format("expected as many {}s in both, found {} and {}",
                    {hardwareDimName(hardwareDim), from.size(hardwareDim),
                     to.size(hardwareDim)});
  if (!isPowerOfTwo(options.elementBits) || options.elementBits < 8 ||
      options.elementBits > 64)
    return format("expected elements of 8, 16, 32 or 64 bits, found {}",
                  {options.elementBits});
  if (options.shape.rank())
    for (const Layout *layout : {&from, &to})
      if (!layout->covers(options.shape))
        return format("the tile has shape {}, a layout covers {}",
                      {options.shape.text(), layout->shape().text()});
  return {};
}

static std::string coordinateText(const Dims &cellBits, Bits index) {
  std::string text;
  for (unsigned dim = cellBits.rank(); dim-- > 0; index >>= cellBits[dim])
    text = std::to_string(index & lowBits(cellBits[dim])) +
           (text.empty() ? "" : ",") + text;
  return format("({})", {text});
}

/// Describes a bit of `to` whose elements `from` does not have near enough.
static std::string farBit(const ConversionPlan &plan, const Layout &to,
                          unsigned bit, std::string_view near) {
  const Dims &cell = plan.frame.cellBits;
  std::string found = coordinateText(cell, plan.to.map.column(bit));
  if (bit < plan.to.itemBits)
    return format(
        "register bit {} moves by {}, which no {} of the source moves by",
        {bit, found, near});
  unsigned fromBit = bit - plan.to.itemBits + plan.from.itemBits;
  unsigned at = bit - plan.to.itemBits;
  HardwareDim hardwareDim = HardwareDim::lane;
  while (at >= to.bits(hardwareDim)) {
    at -= to.bits(hardwareDim);
    hardwareDim = HardwareDim(size_t(hardwareDim) + 1);
  }
  return format("{} bit {} moves by {}, by {} in the source, and no {} of the "
                "source makes up for it",
                {hardwareDimName(hardwareDim), at, found,
                 coordinateText(cell, plan.from.map.column(fromBit)), near});
}

/// Finds sources for as many bits as it can, own registers first. Sets the
/// first bit that has no source in the thread, and in the warp.
static WarpSource findSources(const ConversionPlan &plan, unsigned laneBits,
                              int &notInThread, int &notInWarp) {
  const Refined &from = plan.from, &to = plan.to;
  Solver thread(from.itemMap());
  Solver warp(from.map.restrict(0, from.itemBits + laneBits));
  WarpSource source{LinearMap(to.map.inBits(), from.itemBits),
                    LinearMap(to.map.inBits(), laneBits)};
  notInThread = notInWarp = -1;
  for (unsigned bit = 0; bit < to.map.inBits(); ++bit) {
    Bits wanted = to.map.column(bit);
    if (bit >= to.itemBits) // Relative to what the same thread holds.
      wanted ^= from.map.column(bit - to.itemBits + from.itemBits);
    // Of copies, the one in the same register is best.
    if (bit < std::min(to.itemBits, from.itemBits) &&
        from.map.column(bit) == wanted) {
      source.reg.setColumn(bit, Bits(1) << bit);
      continue;
    }
    if (std::optional<Bits> found = thread.solve(wanted)) {
      source.reg.setColumn(bit, *found);
      continue;
    }
    if (notInThread < 0)
      notInThread = bit;
    if (std::optional<Bits> found = warp.solve(wanted)) {
      source.reg.setColumn(bit, *found & lowBits(from.itemBits));
      source.laneChange.setColumn(bit, *found >> from.itemBits);
    } else if (notInWarp < 0) {
      notInWarp = bit;
    }
  }
  return source;
}

/// Finds the first register that does not hold its element already. Empty where
/// there is none.
static std::string movedRegister(const ConversionPlan &plan,
                                 const WarpSource &source, const Layout &to,
                                 const Dims &shape) {
  for (unsigned bit = plan.to.itemBits; bit < plan.to.map.inBits(); ++bit)
    if (source.reg.column(bit))
      return "which register a thread needs depends on the thread";
  for (int64_t repeat = 0; repeat < plan.frame.repeatCount(); ++repeat)
    for (Bits reg = 0; reg < Bits(1) << plan.to.itemBits; ++reg) {
      int32_t have = plan.from.item(repeat, source.reg.apply(reg));
      int32_t want = plan.to.item(repeat, reg);
      if (want >= 0 && have != want &&
          to.coverage(want, shape) != Coverage::never)
        return format("register {} is register {} of the source", {want, have});
    }
  return {};
}

/// A shuffle takes two slots for each word, and each choice by a bit of the
/// thread's index, of what is sent or received, one for each register.
static int64_t slotsOfRounds(const ConversionPlan &plan, unsigned elementBits) {
  int64_t slots = 0;
  auto choices = [](const AffineMap &map) {
    int64_t registers = 1;
    for (Bits column : map.linear.allColumns())
      registers <<= column != 0;
    return registers - 1;
  };
  for (const Round &round : plan.rounds)
    slots += (round.crossesLanes ? (elementBits > 32 ? 4 : 2) : 0) +
             choices(round.send) + 2 * choices(round.receive) +
             (choices(round.reject) || round.reject.constant ? 1 : 0);
  return slots * int64_t(plan.pairs.size()) * plan.frame.repeatCount();
}

/// An access takes two slots and one for each further wavefront; a barrier, and
/// the first address, some twenty.
static int64_t slotsOfExchange(const ConversionPlan &plan, int64_t warps) {
  const SharedExchange &shared = plan.shared;
  const int64_t repeats = plan.frame.repeatCount();
  int64_t accesses = int64_t(shared.store.xorOffsets.size()) +
                     int64_t(shared.load.xorOffsets.size());
  int64_t wavefronts = shared.storeWavefronts + shared.loadWavefronts;
  return 20 + 2 * warps + repeats * (accesses + wavefronts);
}

/// Plans the conversion within threads, or within warps. False where neither is
/// possible, or too many shuffles would be needed: the plan then has the
/// reason.
static bool planWithinWarps(ConversionPlan &plan, const Layout &from,
                            const Layout &to, const Dims &shape,
                            const ConversionOptions &options) {
  unsigned laneBits = from.bits(HardwareDim::lane);
  int notInThread, notInWarp;
  WarpSource source = findSources(plan, laneBits, notInThread, notInWarp);
  if (notInThread < 0) {
    plan.reason = movedRegister(plan, source, to, shape);
    if (plan.reason.empty())
      return true;
    plan.kind = ConversionKind::registers;
    planRounds(plan, source, laneBits, options.elementBits);
    return true;
  }
  if (notInWarp >= 0) {
    plan.reason = farBit(plan, to, notInWarp, "register or lane");
    return false;
  }
  plan.kind = ConversionKind::shuffle;
  planRounds(plan, source, laneBits, options.elementBits);
  plan.slots = slotsOfRounds(plan, options.elementBits);
  plan.reason = farBit(plan, to, notInThread, "register");
  if (plan.shuffles <= options.maxShuffles.value_or(INT64_MAX))
    return true;
  plan.reason = format("{} shuffles would do; at most {} are wanted",
                       {plan.shuffles, *options.maxShuffles});
  plan.rounds.clear();
  plan.pairs.clear();
  plan.shuffles = 0;
  return false;
}

std::optional<std::vector<int32_t>> sourceRegisters(const Layout &from,
                                                    const Layout &to) {
  if (!(from.cellBits() == to.cellBits()) ||
      !(from.map(HardwareDim::lane) == to.map(HardwareDim::lane)) ||
      !(from.map(HardwareDim::warp) == to.map(HardwareDim::warp)) ||
      from.repeats().parts() != to.repeats().parts())
    return std::nullopt;
  // Threads of one part differ by lanes and warps of the cell, which move
  // elements alike in both. Any register will do where all parts have padding.
  std::vector<std::optional<std::set<int32_t>>> allowed(size_t(to.items()));
  Dims shape = from.shape();
  for (int64_t part = 0; part < from.repeats().parts(); ++part) {
    int64_t warp = part << from.bits(HardwareDim::warp);
    std::map<int64_t, std::set<int32_t>> held;
    for (int64_t reg = 0; reg < from.items(); ++reg)
      if (HardwareIndex index = inRegister(reg, 0, warp);
          from.inRange(index, shape))
        held[linearIndex(from.apply(index), shape)].insert(int32_t(reg));
    for (int64_t reg = 0; reg < to.items(); ++reg) {
      HardwareIndex index = inRegister(reg, 0, warp);
      if (!to.inRange(index, shape))
        continue;
      const std::set<int32_t> &here = held[linearIndex(to.apply(index), shape)];
      std::optional<std::set<int32_t>> &all = allowed[reg];
      if (all)
        std::erase_if(*all, [&](int32_t each) { return !here.contains(each); });
      else
        all = here;
      if (all->empty())
        return std::nullopt;
    }
  }
  std::vector<int32_t> result;
  for (const auto &registers : allowed)
    result.push_back(registers ? *registers->begin() : -1);
  return result;
}

/// Where parts do not hold copies of one layout: within each thread, or
/// element by element.
static StatusOr<ConversionPlan> planDealt(const Layout &from, const Layout &to,
                                          const Dims &shape,
                                          const ConversionOptions &options) {
  ConversionPlan plan;
  if (!options.throughShared && sourceRegisters(from, to)) {
    plan.kind = ConversionKind::registers;
    plan.reason = "repeats are dealt to warps alike";
    return plan;
  }
  plan.kind = ConversionKind::shared;
  plan.reason = options.throughShared ? "shared memory is asked for"
                                      : "repeats are dealt to other warps";
  TILEWRIGHT_ASSIGN_OR_RETURN(plan.shared.memory, dense(shape));
  plan.isByElement = true;
  plan.shared.bytes = shape.product() * options.elementBits / 8;
  if (plan.shared.bytes > options.sharedBytes)
    return Status::unsupported(format(
        "conversion: expected at least {} B of shared memory, found {} B",
        {plan.shared.bytes, options.sharedBytes}));
  return plan;
}

StatusOr<ConversionPlan> planConversion(const Layout &from, const Layout &to,
                                        const ConversionOptions &options) {
  if (std::string wrong = wrongPair(from, to, options); !wrong.empty())
    return Status::invalidInput("conversion: " + wrong);
  Dims shape = options.shape;
  if (!shape.rank())
    for (unsigned dim = 0; dim < from.rank(); ++dim)
      shape.append(std::min(from.shape()[dim], to.shape()[dim]));
  const Repeats &held = from.repeats(), &wanted = to.repeats();
  if (!held.isLocal() || !wanted.isLocal() || held.parts() != wanted.parts())
    return planDealt(from, to, shape, options);
  if (held.parts() > 1)
    return planConversion(from.withRepeats(held.ofPart()),
                          to.withRepeats(wanted.ofPart()), options);
  ConversionPlan plan;
  plan.frame = commonFrame(from, to);
  plan.from = refine(from, plan.frame);
  plan.to = refine(to, plan.frame);
  // Few shuffles need no comparison.
  constexpr int64_t fewSlots = 24;
  if (options.throughShared)
    plan.reason = "shared memory is asked for";
  else if (planWithinWarps(plan, from, to, shape, options) &&
           (plan.kind != ConversionKind::shuffle || options.maxShuffles ||
            plan.slots <= fewSlots))
    return plan;
  ConversionPlan exchange;
  exchange.kind = ConversionKind::shared;
  exchange.reason = plan.reason;
  exchange.frame = plan.frame;
  exchange.from = plan.from;
  exchange.to = plan.to;
  std::string wrong = planExchange(exchange, from, options);
  const bool isShuffle =
      plan.kind == ConversionKind::shuffle && !plan.rounds.empty();
  if (!wrong.empty())
    return isShuffle ? StatusOr<ConversionPlan>(plan)
                     : Status::unsupported("conversion: " + wrong);
  exchange.slots = slotsOfExchange(exchange, from.size(HardwareDim::warp));
  if (isShuffle && plan.slots <= exchange.slots)
    return plan;
  if (isShuffle)
    exchange.reason =
        format("{} shuffles would do, in about {} issue slots; through shared "
               "memory it is about {}",
               {plan.shuffles, plan.slots, exchange.slots});
  return exchange;
}

} // namespace tilewright::layout
