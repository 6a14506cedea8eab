//===- Line.cpp - Layouts whose lines are held in order -------------------===//
#include "codegen/gpu/Line.h"

#include "codegen/layout/Access.h"
#include "codegen/layout/Families.h"

using namespace tilewright::layout;

namespace tilewright::tilegpu {

/// Reads the bits of `axis` that move along `dim`: each must move by `next`
/// bits of the coordinate, which then grows. Returns their mask, or nothing.
static std::optional<unsigned> ascendingBits(const Layout &layout, Axis axis,
                                             unsigned dim, unsigned &next) {
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
  for (Bits column : layout.columns(Axis::reg))
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

StatusOr<Line> lineAlong(const Layout &layout, unsigned dim) {
  auto refuse = [&](const std::string &what) {
    return Status::unsupported(
        "expected lines along dimension " + std::to_string(dim) +
        " that run through registers, lanes and warps in order; " + what);
  };
  if (layout.repeats()[dim] != 1)
    return refuse("found " + std::to_string(layout.repeats()[dim]) +
                  " repeats");
  std::optional<unsigned> own = registerBits(layout, dim);
  if (!own)
    return refuse("found registers that are not neighbours");
  unsigned next = *own;
  Line line;
  for (auto [axis, mask] :
       {std::pair(Axis::lane, &line.laneMask), {Axis::warp, &line.warpMask}}) {
    std::optional<unsigned> bits = ascendingBits(layout, axis, dim, next);
    if (!bits)
      return refuse("found another order of " + std::string(axisName(axis)) +
                    "s");
    *mask = *bits;
  }
  line.registers.resize(size_t(1) << *own);
  std::vector<int32_t> copies = registerCopies(layout);
  for (int32_t reg = 0; reg < layout.items(); ++reg) {
    Dims at = layout.apply(inRegister(reg, 0));
    if (copies[reg] != reg || at[dim] != 0)
      continue;
    for (int64_t k = 0; k < line.perThread(); ++k) {
      at[dim] = k;
      line.registers[k].push_back(int32_t(layout.invert(at)[Axis::reg]));
    }
  }
  return line;
}

/// Deals up to `count` bits of `axis` to the dimensions of `left`, the last
/// first. Returns how many.
static unsigned deal(std::vector<Step> &steps, Axis axis, Dims &left,
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

Layout lineLayout(const Dims &shape, unsigned dim, unsigned warpBits) {
  constexpr unsigned laneBits = 5, wantedPerThread = 2;
  Dims padded = shape, others = shape;
  unsigned length = log2Ceil(shape[dim]), lines = 0;
  padded[dim] = int64_t(1) << length;
  for (unsigned d = 0; d < shape.rank(); ++d) {
    others[d] = d == dim ? 0 : log2Ceil(shape[d]);
    lines += unsigned(others[d]);
  }
  unsigned warpLines = std::min(warpBits, lines);
  unsigned lanes =
      std::min(laneBits, length - std::min(length, wantedPerThread));
  unsigned laneLines = std::min(laneBits - lanes, lines - warpLines);
  lanes = std::min(laneBits - laneLines, length);
  unsigned warps = std::min(warpBits - warpLines, length - lanes);
  std::vector<Step> steps = {{Axis::reg, int(dim), length - lanes - warps},
                             {Axis::lane, int(dim), lanes}};
  deal(steps, Axis::lane, others, laneLines);
  steps.push_back({Axis::lane, Step::copies, laneBits - lanes - laneLines});
  steps.push_back({Axis::warp, int(dim), warps});
  deal(steps, Axis::warp, others, warpLines);
  steps.push_back({Axis::warp, Step::copies, warpBits - warps - warpLines});
  Dims order = rowMajorOrder(shape.rank());
  return distribute(padded, steps, order);
}

} // namespace tilewright::tilegpu
