//===- Blocked.cpp - Tiles distributed over a grid of threads -------------===//
#include "codegen/layout/Access.h"
#include "codegen/layout/Families.h"
#include "support/Format.h"

#include <vector>

namespace tilewright::layout {

StatusOr<Layout> distribute(const Dims &shape, std::span<const Step> steps,
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
  return builder.tryBuild();
}

StatusOr<Layout> tryWithRepeats(const Layout &layout, const Repeats &repeats) {
  return Layout::create(layout.kind(), layout.cellBits(), layout.allBits(),
                        layout.map(), repeats);
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
  // What is odd of the warps, and the dimension whose repeats are dealt to it.
  int64_t parts = 1, dealtDim = -1;
  auto grid = [&](const char *name, const Dims &extents,
                  HardwareDim hardwareDim) -> std::string {
    if (extents.rank() != rank)
      return format("expected {} of rank {}, found {}",
                    {name, rank, extents.text()});
    for (int64_t dim : p.order) {
      const int64_t extent = extents[dim];
      const bool isPower = isPowerOfTwo(extent);
      const bool isWarps = hardwareDim == HardwareDim::warp;
      const bool mayBeDealt =
          isWarps && parts == 1 && extent > 0 && extent <= 32;
      if (isPower ? extent > 1024 : !mayBeDealt)
        return format(isWarps
                          ? "expected 1 to 32 warps, and powers of two "
                            "along all dimensions but one, found {}={}"
                          : "expected powers of two up to 1024, found {}={}",
                      {name, extents.text()});
      const unsigned bits = std::countr_zero(uint64_t(extent));
      steps.push_back({hardwareDim, int(dim), bits});
      if (!isPower) {
        parts = extent >> bits;
        dealtDim = dim;
      }
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
  StatusOr<Layout> layout =
      distribute(p.shape, steps, p.order, {parts, parts > 1});
  if (!layout)
    return layout.status().prefixed("blocked");
  if (parts == 1)
    return layout;
  return tryWithRepeats(*layout, Repeats(layout->repeats().counts())
                                     .dealtAlong(unsigned(dealtDim), parts));
}

namespace {
/// A cell for a shape: the bits of each extent, and the padded elements.
struct CellChoice {
  Dims bits;
  int64_t padded = 0; // 0: unreachable.
};

/// A cell, the warps that share it (in bits), and what that costs.
struct Distribution {
  Dims cell;
  unsigned warpBits = 0;
  WarpParts parts;
  /// The dimension along which repeats are dealt; -1: along all.
  int dealtDim = -1;
  int64_t cost = 0; // 0: none found.
};

/// Finds the cheapest cell for one shape. Costs are in issue slots of all
/// threads: those of each register, eight for each access (it occupies the
/// load/store units of a quarter of a multiprocessor for four cycles, and needs
/// an address and a check), two more where repeats are dealt, since the address
/// is computed, and 32, one of a warp, for each sector.
class CellSearch {
public:
  CellSearch(const CoalescedParameters &p, const Dims &order)
      : p(p), order(order), widest(widestLog2(p.vectorBits, p.elementBits)) {}

  [[nodiscard]] Distribution best() const;

private:
  struct Rounds {
    int64_t count;
    int dealtDim;
  };
  [[nodiscard]] Rounds roundsOf(const Dims &cellBits, int64_t parts) const;
  [[nodiscard]] int64_t costOf(const Dims &cellBits, unsigned warpBits,
                               int64_t rounds, bool areDealt) const;
  void consider(const Dims &cellBits, unsigned warpBits, bool areDealt,
                Distribution &best) const;

  const CoalescedParameters &p;
  const Dims &order;
  unsigned widest;
};
} // namespace

/// For each total of bits, the cell that pads a shape least in all dimensions
/// but the fastest, along which it has none; among equals the one that is
/// longest in the faster ones.
static std::vector<CellChoice> bestCells(const Dims &shape, const Dims &order) {
  std::vector<CellChoice> best(32);
  best[0] = {Dims(shape.rank(), 0), 1};
  for (unsigned i = order.rank(); i-- > 1;) { // Slowest first.
    unsigned dim = order[i];
    std::vector<CellChoice> next(32);
    for (unsigned total = 0; total < best.size(); ++total)
      for (unsigned bits = 0;
           best[total].padded && bits <= log2Ceil(shape[dim]) &&
           total + bits < next.size();
           ++bits) {
        int64_t padded =
            best[total].padded * ((((shape[dim] - 1) >> bits) + 1) << bits);
        CellChoice &choice = next[total + bits];
        if (choice.padded && choice.padded < padded)
          continue;
        choice = best[total]; // Of equals the last has the most bits here.
        choice.bits[dim] = bits;
        choice.padded = padded;
      }
    best = next;
  }
  return best;
}

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

/// A cell smaller than its threads is held in copies.
int64_t CellSearch::costOf(const Dims &cellBits, unsigned warpBits,
                           int64_t rounds, bool areDealt) const {
  constexpr int64_t ofAccess = 8, ofAddress = 2, sector = 32;
  unsigned total = 0;
  for (int64_t bits : cellBits)
    total += unsigned(bits);
  const unsigned perThread = total - std::min(total, 5 + warpBits);
  const unsigned along = order.rank() ? unsigned(cellBits[order[0]]) : 0;
  const unsigned vector = std::min({widest, perThread, along});
  const int64_t registers = rounds << perThread, accesses = registers >> vector;
  // A warp reads runs of neighbours; where rows begin within a sector, so do
  // runs, and they touch one more.
  const int64_t bytes = std::max(1u, p.elementBits / 8);
  const int64_t run = bytes << std::min(vector + 5, along);
  const int64_t row = order.rank() ? p.shape[order[0]] * bytes : bytes;
  const int64_t aligned = std::min({run, row & -row, sector});
  const int64_t sectorsOfRun =
      (run - 1) / sector + 1 + (aligned < std::min(run, sector) ? 1 : 0);
  const int64_t runs = (p.shape.product() * bytes - 1) / run + 1;
  return 32 * p.warps *
             (p.slotsOfRegister * registers +
              (ofAccess + (areDealt ? ofAddress : 0)) * accesses) +
         sector * runs * sectorsOfRun;
}

/// Of equals, the later one is best: cells come in ascending size.
void CellSearch::consider(const Dims &cellBits, unsigned warpBits,
                          bool areDealt, Distribution &best) const {
  const int64_t parts = p.warps >> warpBits;
  Rounds rounds = roundsOf(cellBits, areDealt ? parts : 1);
  int64_t cost = costOf(cellBits, warpBits, rounds.count, areDealt);
  if (!best.cost || cost <= best.cost)
    best = {cellBits,
            warpBits,
            {parts, areDealt},
            areDealt ? rounds.dealtDim : -1,
            cost};
}

Distribution CellSearch::best() const {
  const unsigned allBits = std::countr_zero(uint64_t(p.warps));
  Distribution best;
  const std::vector<CellChoice> cells = bestCells(p.shape, order);
  const unsigned longest = order.rank() ? log2Ceil(p.shape[order[0]]) : 0;
  auto considerAll = [&](unsigned warpBits, bool areDealt) {
    Distribution found;
    for (unsigned total = 0; total < cells.size(); ++total)
      for (unsigned along = 0; along <= std::min(longest, total); ++along)
        if (CellChoice cell = cells[total - along]; cell.padded) {
          if (order.rank())
            cell.bits[order[0]] = along;
          consider(cell.bits, warpBits, areDealt, found);
        }
    if (!best.cost || found.cost < best.cost)
      best = found;
  };
  considerAll(allBits, false);
  // A cell of powers of two pads nothing.
  if (p.dealing == Dealing::none ||
      (isPowerOfTwo(p.warps) && std::ranges::all_of(p.shape, isPowerOfTwo)))
    return best;
  for (unsigned warpBits = allBits + 1; warpBits-- > 0;)
    if (p.warps >> warpBits > 1)
      considerAll(warpBits, true);
  return best;
}

/// Deals the bits of a cell, fastest dimension first, to a vector of registers
/// (or a block of two dimensions), to lanes, to warps, and the rest to
/// registers.
static std::vector<Step> dealCell(Dims left, const Dims &order,
                                  const Dims &warpOrder, unsigned widest,
                                  unsigned warpBits, bool hasBlocks) {
  unsigned total = 0;
  for (int64_t bits : left)
    total += bits;
  unsigned perThread = total - std::min(total, 5 + warpBits);
  std::vector<Step> steps;
  auto deal = [&](HardwareDim hardwareDim, int64_t dim, unsigned bits) {
    steps.push_back({hardwareDim, int(dim), bits});
    left[dim] -= bits;
  };
  for (unsigned i = 0; i < order.rank() && i < (hasBlocks ? 2 : 1); ++i) {
    unsigned neighbours =
        std::min({widest, perThread, unsigned(left[order[i]])});
    deal(HardwareDim::reg, order[i], neighbours);
    perThread -= neighbours;
  }
  auto dealAll = [&](HardwareDim hardwareDim, unsigned bits, const Dims &dims) {
    for (int64_t dim : dims) {
      unsigned taken = std::min<unsigned>(bits, left[dim]);
      deal(hardwareDim, dim, taken);
      bits -= taken;
    }
    steps.push_back({hardwareDim, Step::copies, bits});
  };
  dealAll(HardwareDim::lane, 5, order);
  dealAll(HardwareDim::warp, warpBits, warpOrder);
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
  const Dims warpOrder = p.warpOrder.rank() ? p.warpOrder : order;
  if (!isPermutation(warpOrder, rank))
    return reject("coalesced", format("expected an order of the {} dimensions "
                                      "of shape for warps",
                                      {rank}));
  if (p.warps < 1 || p.warps > 32)
    return reject("coalesced",
                  format("expected 1 to 32 warps, found warps={}", {p.warps}));
  if (!isPowerOfTwo(p.elementBits) || !isPowerOfTwo(p.vectorBits))
    return reject("coalesced", "expected element and vector bits that are "
                               "powers of two");
  Distribution best = CellSearch(p, order).best();
  StatusOr<Layout> layout =
      distribute(p.shape,
                 dealCell(best.cell, order, warpOrder,
                          widestLog2(p.vectorBits, p.elementBits),
                          best.warpBits, p.hasBlocks),
                 order, best.parts);
  if (!layout)
    return layout.status().prefixed("coalesced");
  if (best.dealtDim < 0)
    return layout;
  return tryWithRepeats(
      *layout, Repeats(layout->repeats().counts())
                   .dealtAlong(unsigned(best.dealtDim), best.parts.count));
}

StatusOr<Layout> transposingBlocks(const Dims &shape, unsigned rows,
                                   unsigned columns, int64_t warps) {
  constexpr unsigned blockBits = 2, laneRowBits = 2, laneColumnBits = 3;
  constexpr unsigned warpTile = 2 * blockBits + laneRowBits + laneColumnBits;
  if (std::string wrong = wrongTileShape(shape); !wrong.empty())
    return reject("blocks", wrong);
  if (!isPowerOfTwo(warps))
    return reject("blocks", "expected a power of two of warps");
  Dims left = shape;
  unsigned total = 0;
  for (int64_t &extent : left) {
    extent = std::countr_zero(uint64_t(extent));
    total += unsigned(extent);
  }
  if (left[columns] < blockBits + laneColumnBits ||
      left[rows] < blockBits + laneRowBits)
    return reject("blocks", "the tile is too small for a warp");
  unsigned copies = log2Floor(warps),
           ofWarps = std::min(copies, total - warpTile);
  copies -= ofWarps;
  std::vector<Step> steps;
  auto deal = [&](HardwareDim to, unsigned dim, unsigned bits) {
    steps.push_back({to, int(dim), bits});
    left[dim] -= bits;
  };
  const unsigned more =
      std::min({2U, total - warpTile - ofWarps,
                unsigned(left[columns]) - blockBits - laneColumnBits});
  deal(HardwareDim::reg, columns, blockBits + more);
  deal(HardwareDim::reg, rows, blockBits);
  deal(HardwareDim::lane, columns, laneColumnBits);
  deal(HardwareDim::lane, rows, laneRowBits);
  Dims order = {columns, rows};
  for (unsigned dim = 0; dim < shape.rank(); ++dim)
    if (dim != columns && dim != rows)
      order.append(dim);
  for (int64_t dim : order) {
    const unsigned taken = std::min<unsigned>(ofWarps, unsigned(left[dim]));
    deal(HardwareDim::warp, unsigned(dim), taken);
    ofWarps -= taken;
  }
  steps.push_back({HardwareDim::warp, Step::copies, copies + ofWarps});
  return distribute(shape, steps, rowMajorOrder(shape.rank()));
}

} // namespace tilewright::layout
