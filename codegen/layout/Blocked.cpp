//===- Blocked.cpp - Tiles distributed over a grid of threads -------------===//
#include "codegen/layout/Families.h"
#include "support/Format.h"

#include <vector>

namespace tilewright::layout {

Layout distribute(const Dims &shape, std::span<const Step> steps,
                  const Dims &order, WarpParts parts) {
  unsigned rank = shape.rank();
  Dims stepBits(rank, 0), cellBits(rank, 0), repeats(rank, 1);
  for (const Step &step : steps)
    if (step.dim != Step::copies)
      stepBits[step.dim] += step.bits;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t taken = std::min<int64_t>(stepBits[dim], log2Ceil(shape[dim]));
    int64_t rest = ((shape[dim] - 1) >> taken) + 1;
    unsigned more = parts.areDealt ? 0 : std::countr_zero(uint64_t(rest));
    cellBits[dim] = taken + more;
    repeats[dim] = rest >> more;
  }
  Dims slowestFirst;
  for (unsigned i = order.rank(); i-- > 0;)
    slowestFirst.append(order[i]);
  Repeats counted = parts.areDealt ? Repeats(repeats, slowestFirst) : repeats;
  counted = parts.areDealt && counted.total() > 1
                ? counted.dealtTo(parts.count)
                : counted.copiedTo(parts.count);
  LayoutBuilder builder(Kind::registers, cellBits, counted);
  Dims next(rank, 0);
  for (const Step &step : steps)
    for (unsigned i = 0; i < step.bits; ++i)
      if (step.dim != Step::copies && next[step.dim] < cellBits[step.dim])
        builder.add(step.hardwareDim, step.dim, next[step.dim]++);
      else
        builder.addFree(step.hardwareDim);
  for (int64_t dim : order)
    builder.addRange(HardwareDim::reg, dim, next[dim],
                     cellBits[dim] - next[dim]);
  return builder.build();
}

static StatusOr<Layout> reject(const std::string &family,
                               const std::string &what) {
  return Status::invalidInput(format("{}: {}", {family, what}));
}

StatusOr<Layout> blocked(const BlockedParameters &p) {
  unsigned rank = p.shape.rank();
  if (std::string wrong = wrongTileShape(p.shape); !wrong.empty())
    return reject("blocked", wrong);
  if (!isPermutation(p.order, rank))
    return reject(
        "blocked",
        format("expected an order of the {} dimensions of shape", {rank}));
  std::vector<Step> steps;
  auto grid = [&](const char *name, const Dims &extents,
                  HardwareDim hardwareDim) -> std::string {
    if (extents.rank() != rank)
      return format("expected {} of rank {}, found {}",
                    {name, rank, extents.text()});
    for (int64_t dim : p.order) {
      if (!isPowerOfTwo(extents[dim]) || extents[dim] > 1024)
        return format("expected powers of two up to 1024, found {}={}",
                      {name, extents.text()});
      steps.push_back({hardwareDim, int(dim), log2Floor(extents[dim])});
    }
    return "";
  };
  Dims ones(rank, 1);
  for (const std::string &wrong :
       {grid("per-thread", p.perThread, HardwareDim::reg),
        grid("lanes", p.lanes, HardwareDim::lane),
        grid("warps", p.warps, HardwareDim::warp),
        grid("blocks", p.blocks.rank() ? p.blocks : ones, HardwareDim::block)})
    if (!wrong.empty())
      return reject("blocked", wrong);
  unsigned bits = 0;
  for (const Step &step : steps)
    bits += step.bits;
  if (bits > 30)
    return reject("blocked", "expected at most 2^30 positions in all grids");
  return distribute(p.shape, steps, p.order);
}

namespace {
/// A cell for a shape: the bits of each extent, and the padded elements.
struct CellChoice {
  Dims bits;
  int64_t padded = 0; // 0: unreachable.
};
} // namespace

/// For each total of bits, the cell that pads a shape least; among equals the
/// one that is longest in the fastest dimension.
static std::vector<CellChoice> bestCells(const Dims &shape, const Dims &order) {
  std::vector<CellChoice> best(32);
  best[0] = {Dims(shape.rank(), 0), 1};
  for (unsigned i = order.rank(); i-- > 0;) { // Slowest first.
    unsigned dim = order[i];
    std::vector<CellChoice> next(32);
    for (unsigned total = 0; total < best.size(); ++total)
      for (unsigned bits = 0;
           best[total].padded && bits <= log2Ceil(shape[dim]) &&
           total + bits < next.size();
           ++bits) {
        int64_t padded =
            best[total].padded * ((((shape[dim] - 1) >> bits) + 1) << bits);
        CellChoice &to = next[total + bits];
        if (to.padded && to.padded < padded)
          continue;
        to = best[total]; // Of equal candidates the last has the most bits
                          // here.
        to.bits[dim] = bits;
        to.padded = padded;
      }
    best = next;
  }
  return best;
}

namespace {
/// A cell, the warps that share it (in bits), and what that costs a thread.
struct Distribution {
  Dims cell;
  unsigned warpBits = 0;
  WarpParts parts;
  /// The dimension along which repeats are dealt; -1: along all.
  int dealtDim = -1;
  /// Registers of a thread; 0: none found. The widest access, log2 of elements.
  int64_t registers = 0;
  unsigned widest = 0;
};

/// Finds cells for one shape.
class CellSearch {
public:
  CellSearch(const CoalescedParameters &p, const Dims &order)
      : p(p), cells(bestCells(p.shape, order)), order(order),
        limit(p.vectorBits > p.elementBits
                  ? log2Floor(p.vectorBits / p.elementBits)
                  : 0) {}

  [[nodiscard]] Distribution best() const;

private:
  struct Rounds {
    int64_t count;
    int dealtDim;
  };
  [[nodiscard]] Rounds roundsOf(const Dims &cellBits, int64_t parts) const;
  [[nodiscard]] Distribution fewestRegisters(unsigned warpBits, bool areDealt,
                                             unsigned widest) const;

  const CoalescedParameters &p;
  std::vector<CellChoice> cells;
  const Dims &order;
  unsigned limit;
};
} // namespace

/// The rounds in which the repeats of a cell are dealt.
CellSearch::Rounds CellSearch::roundsOf(const Dims &cellBits,
                                        int64_t parts) const {
  Dims counts = p.shape;
  for (unsigned dim = 0; dim < counts.rank(); ++dim)
    counts[dim] = ((counts[dim] - 1) >> cellBits[dim]) + 1;
  if (p.dealing == Dealing::any || counts.product() == 1)
    return {(counts.product() - 1) / parts + 1, -1};
  Rounds best{0, -1};
  for (unsigned dim = 0; dim < counts.rank(); ++dim) {
    int64_t rounds =
        counts.product() / counts[dim] * ((counts[dim] - 1) / parts + 1);
    if (counts[dim] > 1 && (!best.count || rounds < best.count))
      best = {rounds, int(dim)};
  }
  return best;
}

/// With `warpBits` bits of the warp in the cell, the cell that wastes the
/// fewest registers and has accesses of 2^widest elements. A cell smaller than
/// its threads is held in copies. Of equals, the larger cell has fewer repeats.
Distribution CellSearch::fewestRegisters(unsigned warpBits, bool areDealt,
                                         unsigned widest) const {
  Distribution best;
  int64_t parts = p.warps >> warpBits;
  unsigned threadBits = 5 + warpBits;
  for (unsigned total = 0; total < cells.size(); ++total) {
    if (!cells[total].padded)
      continue;
    unsigned perThread = total - std::min(total, threadBits);
    unsigned along = order.rank()
                         ? std::min({limit, perThread,
                                     unsigned(cells[total].bits[order[0]])})
                         : 0;
    if (along < widest)
      continue;
    Rounds rounds = areDealt ? roundsOf(cells[total].bits, parts)
                             : Rounds{cells[total].padded >> total, -1};
    int64_t registers = rounds.count << perThread;
    if (best.registers && registers > best.registers)
      continue;
    best = {cells[total].bits, warpBits,  {parts, areDealt},
            rounds.dealtDim,   registers, along};
  }
  return best;
}

/// The fewest registers; more of them, by an eighth of the tile at most, where
/// repeats that are dealt to warps make accesses wider.
Distribution CellSearch::best() const {
  const unsigned warpBits = std::countr_zero(uint64_t(p.warps));
  Distribution best = fewestRegisters(warpBits, false, 0);
  if (p.dealing == Dealing::none)
    return best;
  if (p.warps >> warpBits > 1)
    if (Distribution dealt = fewestRegisters(warpBits, true, 0);
        dealt.registers < best.registers)
      best = dealt;
  for (unsigned widest = limit; widest > best.widest; --widest) {
    Distribution wider;
    for (unsigned bits = warpBits + 1; bits-- > 0;) {
      if (p.warps >> bits == 1)
        continue;
      Distribution found = fewestRegisters(bits, true, widest);
      if (found.registers &&
          (!wider.registers || found.registers < wider.registers))
        wider = found;
    }
    int64_t elements = p.shape.product();
    int64_t held = wider.registers * 32 * p.warps;
    if (wider.registers && held - elements <= elements / 8)
      return wider;
  }
  return best;
}

/// Deals the bits of a cell, fastest dimension first, to a vector of registers,
/// to lanes, to warps, and the rest to registers.
static std::vector<Step> dealCell(Dims left, const Dims &order, unsigned widest,
                                  unsigned warpBits) {
  unsigned total = 0;
  for (int64_t bits : left)
    total += bits;
  unsigned perThread = total - std::min(total, 5 + warpBits);
  std::vector<Step> steps;
  auto deal = [&](HardwareDim hardwareDim, int64_t dim, unsigned bits) {
    steps.push_back({hardwareDim, int(dim), bits});
    left[dim] -= bits;
  };
  if (order.rank())
    deal(HardwareDim::reg, order[0],
         std::min<unsigned>(std::min(widest, perThread), left[order[0]]));
  for (auto [hardwareDim, bits] :
       {std::pair(HardwareDim::lane, 5u), {HardwareDim::warp, warpBits}}) {
    for (int64_t dim : order) {
      unsigned taken = std::min<unsigned>(bits, left[dim]);
      deal(hardwareDim, dim, taken);
      bits -= taken;
    }
    steps.push_back({hardwareDim, Step::copies, bits});
  }
  for (int64_t dim : order) // The rest of the cell, before the repeats.
    deal(HardwareDim::reg, dim, left[dim]);
  return steps;
}

StatusOr<Layout> coalesced(const CoalescedParameters &p) {
  unsigned rank = p.shape.rank();
  Dims order = p.order.rank() ? p.order : rowMajorOrder(rank);
  if (std::string wrong = wrongTileShape(p.shape); !wrong.empty())
    return reject("coalesced", wrong);
  if (!isPermutation(order, rank))
    return reject(
        "coalesced",
        format("expected an order of the {} dimensions of shape", {rank}));
  if (p.warps < 1 || p.warps > 32)
    return reject("coalesced",
                  format("expected 1 to 32 warps, found warps={}", {p.warps}));
  if (!isPowerOfTwo(p.elementBits) || !isPowerOfTwo(p.vectorBits))
    return reject("coalesced", "expected element and vector bits that are "
                               "powers of two");
  Distribution best = CellSearch(p, order).best();
  unsigned widest = p.vectorBits > p.elementBits
                        ? log2Floor(p.vectorBits / p.elementBits)
                        : 0;
  Layout layout =
      distribute(p.shape, dealCell(best.cell, order, widest, best.warpBits),
                 order, best.parts);
  if (best.dealtDim < 0)
    return layout;
  return layout.withRepeats(
      Repeats(layout.repeats().counts())
          .dealtAlong(unsigned(best.dealtDim), best.parts.count));
}

} // namespace tilewright::layout
