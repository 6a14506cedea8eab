//===- Fiber.cpp - Layouts whose fibers are held in order -----------------===//
#include "codegen/gpu/Fiber.h"

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

/// How many of the lowest bits along `dim` registers choose, each alone;
/// nothing where they choose others.
static std::optional<unsigned> registerBits(const Layout &layout,
                                            unsigned dim) {
  Bits own = lowBits(unsigned(layout.cellBits()[dim]))
             << layout.firstCellBit(dim);
  Bits chosen = 0;
  for (Bits column : layout.columns(HardwareDim::reg))
    if (column & own) {
      if (std::popcount(column) != 1)
        return std::nullopt;
      chosen |= column;
    }
  chosen >>= layout.firstCellBit(dim);
  if (chosen & (chosen + 1))
    return std::nullopt;
  return unsigned(std::popcount(chosen));
}

StatusOr<Fiber> fiberAlong(const Layout &layout, unsigned dim) {
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
  std::optional<unsigned> own = registerBits(layout, dim);
  if (!own)
    return reject("found registers that are not neighbours");
  unsigned next = *own;
  Fiber fiber;
  for (auto [axis, mask] : {std::pair(HardwareDim::lane, &fiber.laneMask),
                            {HardwareDim::warp, &fiber.warpMask}}) {
    std::optional<unsigned> bits = ascendingBits(layout, axis, dim, next);
    if (!bits)
      return reject("found another order of " +
                    std::string(hardwareDimName(axis)) + "s");
    *mask = *bits;
  }
  fiber.registers.resize(size_t(1) << *own);
  std::vector<int32_t> copies = registerCopies(layout);
  for (int32_t reg = 0; reg < layout.items(); ++reg) {
    Dims at = layout.apply(inRegister(reg, 0));
    if (copies[reg] != reg || at[dim] != 0)
      continue;
    for (int64_t k = 0; k < fiber.perThread(); ++k) {
      at[dim] = k;
      fiber.registers[k].push_back(
          int32_t(layout.invert(at)[HardwareDim::reg]));
    }
  }
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

Layout fiberLayout(const Dims &shape, unsigned dim, int64_t warpCount) {
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
  std::vector<Step> steps = {
      {HardwareDim::reg, int(dim), length - lanes - warps},
      {HardwareDim::lane, int(dim), lanes}};
  deal(steps, HardwareDim::lane, others, laneFibers);
  steps.push_back(
      {HardwareDim::lane, Step::copies, laneBits - lanes - laneFibers});
  steps.push_back({HardwareDim::warp, int(dim), warps});
  deal(steps, HardwareDim::warp, others, warpFibers);
  steps.push_back(
      {HardwareDim::warp, Step::copies, warpBits - warps - warpFibers});
  Dims order = rowMajorOrder(shape.rank());
  return distribute(padded, steps, order, {warpCount >> warpBits, false});
}

} // namespace tilewright::tilegpu
