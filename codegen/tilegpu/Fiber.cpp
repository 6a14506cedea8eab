//===- Fiber.cpp - Layouts whose fibers are held in order -----------------===//
#include "codegen/tilegpu/Fiber.h"

#include "codegen/layout/Access.h"
#include "codegen/layout/Families.h"

using namespace tilewright::layout;

namespace tilewright::tilegpu {

/// Reads the bits of `axis` that move along `dim`: each must move by `next`
/// bits of the coordinate, which then grows. Returns their mask, or nothing.
static std::optional<unsigned> ascendingBits(const Layout &layout,
                                             HardwareDim axis, unsigned dim,
                                             unsigned &next) {
  Bits own = lowBits(unsigned(layout.cellBits()[dim]))
             << layout.firstCellBit(dim);
  unsigned mask = 0, bit = 0;
  for (Bits column : layout.columns(axis)) {
    if (column & own) {
      if (column != Bits(1) << (layout.firstCellBit(dim) + next))
        return std::nullopt;
      ++next;
      mask |= 1u << bit;
    }
    ++bit;
  }
  return mask;
}

/// The bits of the coordinate along `dim` that registers choose, each alone;
/// nothing where they choose others.
static std::optional<Bits> registerBits(const Layout &layout, unsigned dim) {
  Bits own = lowBits(unsigned(layout.cellBits()[dim]))
             << layout.firstCellBit(dim);
  Bits chosen = 0;
  for (Bits column : layout.columns(HardwareDim::reg))
    if (column & own) {
      if (std::popcount(column) != 1)
        return std::nullopt;
      chosen |= column;
    }
  return chosen >> layout.firstCellBit(dim);
}

/// The registers of each element of a thread, where runs begin `distance`
/// elements apart.
static std::vector<std::vector<int32_t>>
registersOf(const Layout &layout, unsigned dim, int64_t rounds, int64_t run,
            int64_t distance) {
  std::vector<std::vector<int32_t>> registers(size_t(rounds * run));
  std::vector<int32_t> copies = registerCopies(layout);
  for (int32_t reg = 0; reg < layout.items(); ++reg) {
    Dims at = layout.apply(inRegister(reg, 0));
    if (copies[reg] != reg || at[dim] != 0)
      continue;
    for (int64_t k = 0; k < rounds * run; ++k) {
      at[dim] = k / run * distance + k % run;
      registers[k].push_back(int32_t(layout.invert(at)[HardwareDim::reg]));
    }
  }
  return registers;
}

StatusOr<Fiber> fiberAlong(const Layout &layout, unsigned dim, Rounds rounds) {
  auto reject = [&](const std::string &what) {
    return Status::unsupported(
        "expected fibers along dimension " + std::to_string(dim) +
        " that run through registers, lanes and warps in order; " + what);
  };
  if (!layout.repeats().isLocal())
    return reject("found repeats that are dealt to warps");
  if (layout.repeats()[dim] != 1)
    return reject("found " + std::to_string(layout.repeats()[dim]) +
                  " repeats");
  std::optional<Bits> own = registerBits(layout, dim);
  if (!own)
    return reject("found registers that are not neighbours");
  // Along the fiber: a run, lanes, rounds, warps.
  const unsigned runBits = unsigned(std::countr_one(*own));
  unsigned next = runBits;
  std::optional<unsigned> lanes =
      ascendingBits(layout, HardwareDim::lane, dim, next);
  if (!lanes)
    return reject("found another order of lanes");
  const unsigned firstRound = next;
  const unsigned roundBits = unsigned(std::countr_one(*own >> next));
  if (*own != (lowBits(runBits) | lowBits(roundBits) << next) ||
      (roundBits && rounds == Rounds::one))
    return reject("found registers that are not neighbours");
  next += roundBits;
  std::optional<unsigned> warps =
      ascendingBits(layout, HardwareDim::warp, dim, next);
  if (!warps)
    return reject("found another order of warps");
  Fiber fiber;
  fiber.laneMask = *lanes;
  fiber.warpMask = *warps;
  fiber.run = int64_t(1) << runBits;
  fiber.registers = registersOf(layout, dim, int64_t(1) << roundBits, fiber.run,
                                int64_t(1) << firstRound);
  return fiber;
}

/// Deals up to `count` bits of `axis` to the dimensions of `left`, the last
/// first. Returns how many.
static unsigned deal(std::vector<Step> &steps, HardwareDim axis, Dims &left,
                     unsigned count) {
  unsigned dealt = 0;
  for (unsigned dim = left.rank(); dim-- > 0;) {
    unsigned bits = std::min<unsigned>(count - dealt, unsigned(left[dim]));
    steps.push_back({axis, int(dim), bits});
    left[dim] -= bits;
    dealt += bits;
  }
  return dealt;
}

Layout fiberLayout(const Dims &shape, unsigned dim, int64_t warpCount,
                   int64_t longestRun) {
  constexpr unsigned laneBits = 5, wantedPerThread = 2;
  const unsigned warpBits = unsigned(std::countr_zero(uint64_t(warpCount)));
  Dims padded = shape, others = shape;
  unsigned length = log2Ceil(shape[dim]), fibers = 0;
  padded[dim] = int64_t(1) << length;
  for (unsigned d = 0; d < shape.rank(); ++d) {
    others[d] = d == dim ? 0 : log2Ceil(shape[d]);
    fibers += unsigned(others[d]);
  }
  unsigned warpFibers = std::min(warpBits, fibers);
  unsigned lanes =
      std::min(laneBits, length - std::min(length, wantedPerThread));
  unsigned laneFibers = std::min(laneBits - lanes, fibers - warpFibers);
  lanes = std::min(laneBits - laneFibers, length);
  unsigned warps = std::min(warpBits - warpFibers, length - lanes);
  const unsigned registers = length - lanes - warps;
  const unsigned run =
      longestRun ? std::min<unsigned>(registers,
                                      std::countr_zero(uint64_t(longestRun)))
                 : registers;
  std::vector<Step> steps = {{HardwareDim::reg, int(dim), run},
                             {HardwareDim::lane, int(dim), lanes},
                             {HardwareDim::reg, int(dim), registers - run}};
  deal(steps, HardwareDim::lane, others, laneFibers);
  steps.push_back(
      {HardwareDim::lane, Step::copies, laneBits - lanes - laneFibers});
  steps.push_back({HardwareDim::warp, int(dim), warps});
  deal(steps, HardwareDim::warp, others, warpFibers);
  steps.push_back(
      {HardwareDim::warp, Step::copies, warpBits - warps - warpFibers});
  Dims order = rowMajorOrder(shape.rank());
  return *distribute(padded, steps, order, {warpCount >> warpBits, false});
}

} // namespace tilewright::tilegpu
