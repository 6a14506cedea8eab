//===- Blocked.cpp - Tiles distributed over a grid of threads -------------===//
#include "codegen/layout/Families.h"
#include "support/Format.h"

#include <vector>

namespace tilewright::layout {

Layout distribute(const Dims &shape, std::span<const Step> steps,
                  const Dims &order) {
  unsigned rank = shape.rank();
  Dims stepBits(rank, 0), cellBits(rank, 0), repeats(rank, 1);
  for (const Step &step : steps)
    if (step.dim != Step::copies)
      stepBits[step.dim] += step.bits;
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t taken = std::min<int64_t>(stepBits[dim], log2Ceil(shape[dim]));
    int64_t rest = ((shape[dim] - 1) >> taken) + 1;
    unsigned more = std::countr_zero(uint64_t(rest));
    cellBits[dim] = taken + more;
    repeats[dim] = rest >> more;
  }
  LayoutBuilder builder(Kind::registers, cellBits, repeats);
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

/// The bits of the cell that wastes the fewest registers. They are padded /
/// threads, but a cell smaller than the threads is held in copies. Of equals,
/// the larger cell has fewer repeats.
static Dims chooseCell(const Dims &shape, const Dims &order,
                       unsigned threadBits) {
  std::vector<CellChoice> cells = bestCells(shape, order);
  unsigned chosen = 0;
  int64_t least = 0;
  for (unsigned total = 0; total < cells.size(); ++total) {
    unsigned wasted = threadBits > total ? threadBits - total : 0;
    int64_t cost = cells[total].padded << wasted;
    if (cells[total].padded && (!least || cost <= least)) {
      least = cost;
      chosen = total;
    }
  }
  return cells[chosen].bits;
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
  if (!isPowerOfTwo(p.warps) || p.warps > 32)
    return reject(
        "coalesced",
        format("expected a power of two up to 32, found warps={}", {p.warps}));
  if (!isPowerOfTwo(p.elementBits) || !isPowerOfTwo(p.vectorBits))
    return reject("coalesced", "expected element and vector bits that are "
                               "powers of two");
  unsigned warpBits = log2Floor(p.warps);
  unsigned widest = p.vectorBits > p.elementBits
                        ? log2Floor(p.vectorBits / p.elementBits)
                        : 0;
  Dims cell = chooseCell(p.shape, order, 5 + warpBits);
  return distribute(p.shape, dealCell(cell, order, widest, warpBits), order);
}

} // namespace tilewright::layout
